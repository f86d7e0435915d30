import type { ClauseId } from "../../src/contract/types.js";
import { changeObservation, opened } from "../../src/service/observations/observations.js";
import type { Observation } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import { changing, explaining, filling, instead, refusingCalls } from "./helpers/tools.js";
import { type Mutant, pretending, withArguments } from "./mutant.js";

/** A category whose observations do the contrary when they are found again. */
const contrary: Readonly<Record<string, string>> = {
  false_positive: "stale",
  wont_fix: "other",
  out_of_scope: "no_longer_found",
  stale: "wont_fix",
  other: "false_positive",
  no_longer_found: "out_of_scope",
};

type Test = (row: Observation) => boolean;

type Purpose = Parameters<typeof onTool>[0];

/** Mutants that break a clause of MCP-TOOL-ACK-*, MCP-TOOL-COMPLETE-*, MCP-TOOL-DISMISS-*, MCP-TOOL-REOPEN-* or MCP-TOOL-TICKET-*. */
export const toolTriageMutants: Mutant[] = [
  ...Object.entries(contrary).map(([category, other]) =>
    instead(`dismisses by the tool as ${other} for ${category}`, "MCP-TOOL-DISMISS", "dismiss_observation", (_, call) =>
      call.arguments.dismissal_category === category
        ? withArguments(call, { ...call.arguments, dismissal_category: other })
        : call,
    ),
  ),
  ...each("MCP-TOOL-DISMISS", "client category", "dismisses nothing by tool as *", {
    mcp: (category) =>
      onTool("dismiss_observation", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.dismissal_category === category ? { ...call, arguments: { ...call.arguments, ref: "SERVICE-0" } } : call,
        ),
      ),
  }),
  ...each("MCP-TOOL-DISMISS", "client category", "leaves open what is dismissed by tool as *", {
    mcp: (category) =>
      onTool("dismiss_observation", (world, call, performTool) => {
        const reply = performTool(world, call);
        const row = world.observations[String(call.arguments.ref)];
        if (row && reply.status < 300 && call.arguments.dismissal_category === category) changeObservation(world, row, opened);
        return reply;
      }),
  }),
  ...(
    [
      [
        "MCP-TOOL-DISMISS",
        "dismiss_observation",
        "the service's own category",
        "dismissal_category",
        "exhausted_fix_attempts",
        "other",
      ],
      ["MCP-TOOL-REOPEN", "reopen_observation", "a reason of any length", "reopen_reason", /^.{2001,}$/, "long"],
    ] satisfies [ClauseId, string, string, string, string | RegExp, string][]
  ).map(
    ([breaks, purpose, what, argument, odd, instead]): Mutant => ({
      name: `takes ${what} by the tool`,
      breaks,
      ...onTool(purpose, (world, call, performTool) => {
        const isMeant = String(call.arguments[argument]).search(odd) === 0;
        return performTool(world, isMeant ? withArguments(call, { ...call.arguments, [argument]: instead }) : call);
      }),
    }),
  ),
  refusingCalls("acknowledges nothing by the tool", "MCP-TOOL-ACK", "acknowledge_observation"),
  explaining("acknowledges by the tool without a stamp", "MCP-TOOL-ACK", "acknowledge_observation"),
  changing("closes what is acknowledged by the tool", "MCP-TOOL-ACK", "acknowledge_observation", { status: "closed" }),
  explaining("says that an observation is complete and leaves it open", "MCP-TOOL-COMPLETE", "complete_observation"),
  changing("completes by the tool as a dismissal", "MCP-TOOL-COMPLETE", "complete_observation", { close_reason: "dismissed" }),
  refusingCalls("takes no proof of completion by the tool", "MCP-TOOL-COMPLETE", "complete_observation", ({ url }) =>
    Boolean(url),
  ),
  explaining("says that an observation is reopened and leaves it closed", "MCP-TOOL-REOPEN", "reopen_observation"),
  filling("reopens by the tool without a reason", "MCP-TOOL-REOPEN", "reopen_observation", () => ({ reopen_reason: "None." })),
  instead("reopens by the tool with an empty reason", "MCP-TOOL-REOPEN", "reopen_observation", (_, call) =>
    call.arguments.reopen_reason === "" ? withArguments(call, { ...call.arguments, reopen_reason: "None." }) : call,
  ),
  refusingCalls("creates no ticket by the tool", "MCP-TOOL-TICKET", "create_ticket"),
  explaining("says that a ticket is created where there is no tracker", "MCP-TOOL-TICKET-INTEGRATION", "create_ticket"),
  {
    name: "takes a dismissal note of any length",
    breaks: "MCP-TOOL-DISMISS",
    aroundTool(world, call, performTool) {
      const { dismissal_note: note } = call.arguments;
      if (call.purpose !== "dismiss_observation" || typeof note !== "string") return performTool(world, call);
      return performTool(world, withArguments(call, { ...call.arguments, dismissal_note: note.slice(0, 500).padEnd(10, ".") }));
    },
  },
  ...(
    [
      ["dismiss_observation", "MCP-TOOL-DISMISS", "was acknowledged", (row) => row.acknowledged_at !== null],
      ["complete_observation", "MCP-TOOL-COMPLETE", "was acknowledged", (row) => row.acknowledged_at !== null],
      ["complete_observation", "MCP-TOOL-COMPLETE", "was reopened", (row) => row.reopen_reason !== null],
      ["acknowledge_observation", "MCP-TOOL-ACK", "was reopened", (row) => row.reopen_reason !== null],
      ["acknowledge_observation", "MCP-TOOL-ACK", "has a fix PR", (row) => row.fix_pr !== null],
    ] satisfies [Purpose, Mutant["breaks"], string, Test][]
  ).map(
    ([purpose, breaks, what, isMeant]): Mutant => ({
      name: `does nothing where ${purpose} is called for what ${what}`,
      breaks,
      ...onTool(purpose, (world, call, performTool) => {
        const row = world.observations[String(call.arguments.ref)];
        const before = row && { ...row };
        const reply = performTool(world, call);
        if (row && before && isMeant(before)) Object.assign(row, before);
        return reply;
      }),
    }),
  ),
  ...(["fixed", "dismissed", "completed", "expired"] as const).map(
    (reason): Mutant => ({
      name: `reopens nothing by tool that is ${reason}`,
      breaks: "MCP-TOOL-REOPEN",
      ...onTool("reopen_observation", (world, call, performTool) => {
        const row = world.observations[String(call.arguments.ref)];
        return pretending(row?.close_reason === reason ? row : undefined, { status: "new" }, () => performTool(world, call));
      }),
    }),
  ),
];
