import { changeObservation, reopenedFields } from "../../src/service/observations/observations.js";
import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { changeObservationByTool, createExplainingToolMutant, createRefusingToolMutant } from "./helpers/tools.js";
import { type Mutant, withArguments, withTemporaryFields } from "./mutant.js";

type Test = (row: Observation) => boolean;

type Purpose = Parameters<typeof wrapTool>[0];

/** Mutants that break a clause of MCP-TOOL-ACK-*, MCP-TOOL-COMPLETE-*, MCP-TOOL-DISMISS-*, MCP-TOOL-REOPEN-* or MCP-TOOL-TICKET-*. */
export const toolTriageMutants: Mutant[] = [
  ...(
    [
      ["MCP-TOOL-DISMISS", "dismiss_observation"],
      ["MCP-TOOL-ACK", "acknowledge_observation"],
      ["MCP-TOOL-COMPLETE", "complete_observation"],
      ["MCP-TOOL-REOPEN", "reopen_observation"],
    ] as const
  ).flatMap(([breaks, purpose]) =>
    mutantPerValue(
      breaks,
      "observation kind",
      `finds no observation of the kind * by the tool ${purpose} instead of changing it`,
      {
        mcp: (kind) =>
          wrapTool(purpose, (world, call, performTool) => {
            const isMeant = world.observations[String(call.arguments.ref)]?.kind === kind;
            return performTool(world, isMeant ? withArguments(call, { ...call.arguments, ref: "SERVICE-0" }) : call);
          }),
      },
    ),
  ),
  ...mutantPerValue("MCP-TOOL-DISMISS", "client category", "refuses to dismiss by the tool as * instead of dismissing", {
    mcp: (category) =>
      wrapTool("dismiss_observation", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.dismissal_category === category ? { ...call, arguments: { ...call.arguments, ref: "SERVICE-0" } } : call,
        ),
      ),
  }),
  ...mutantPerValue(
    "MCP-TOOL-DISMISS",
    "client category",
    "leaves an observation dismissed by the tool as * open instead of closing it",
    {
      mcp: (category) =>
        wrapTool("dismiss_observation", (world, call, performTool) => {
          const response = performTool(world, call);
          const row = world.observations[String(call.arguments.ref)];
          if (row && response.status < 300 && call.arguments.dismissal_category === category)
            changeObservation(world, row, reopenedFields);
          return response;
        }),
    },
  ),
  createRefusingToolMutant(
    "acknowledges nothing by the tool instead of the named observation",
    "MCP-TOOL-ACK",
    "acknowledge_observation",
  ),
  createExplainingToolMutant(
    "acknowledges by the tool without a time instead of with it",
    "MCP-TOOL-ACK",
    "acknowledge_observation",
  ),
  createExplainingToolMutant(
    "answers that an observation is complete and leaves it open instead of closing it",
    "MCP-TOOL-COMPLETE",
    "complete_observation",
  ),
  changeObservationByTool(
    "completes by the tool as a dismissal instead of a completion",
    "MCP-TOOL-COMPLETE",
    "complete_observation",
    {
      close_reason: "dismissed",
    },
  ),
  createRefusingToolMutant(
    "refuses a proof of completion by the tool instead of accepting it",
    "MCP-TOOL-COMPLETE",
    "complete_observation",
    ({ url }) => Boolean(url),
  ),
  createExplainingToolMutant(
    "answers that an observation is reopened and leaves it closed instead of opening it",
    "MCP-TOOL-REOPEN",
    "reopen_observation",
  ),
  createRefusingToolMutant("creates no ticket by the tool instead of one", "MCP-TOOL-TICKET", "create_ticket"),
  createExplainingToolMutant(
    "answers that a ticket is created without an integration instead of refusing it",
    "MCP-TOOL-TICKET-INTEGRATION",
    "create_ticket",
  ),
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
      name: `does nothing by ${purpose} for an observation that ${what} instead of its work`,
      breaks,
      ...wrapTool(purpose, (world, call, performTool) => {
        const row = world.observations[String(call.arguments.ref)];
        const before = row && { ...row };
        const response = performTool(world, call);
        if (row && before && isMeant(before)) Object.assign(row, before);
        return response;
      }),
    }),
  ),
  ...(["fixed", "dismissed", "completed", "expired"] as const).map(
    (reason): Mutant => ({
      name: `refuses to reopen by the tool an observation that is ${reason} instead of reopening it`,
      breaks: "MCP-TOOL-REOPEN",
      ...wrapTool("reopen_observation", (world, call, performTool) => {
        const row = world.observations[String(call.arguments.ref)];
        return withTemporaryFields(row?.close_reason === reason ? row : undefined, { status: "new" }, () =>
          performTool(world, call),
        );
      }),
    }),
  ),
];
