import type { Observation } from "../../src/service/world/world.js";
import { onTool } from "./family.js";
import { type Mutant, onRoute, pretending, repoOf, withParams } from "./mutant.js";

type Test = (row: Observation) => boolean;

/** Faults of a tool that show on what something was done with before, and of routes on what was registered in one of the two modes. */
export const touchedByToolMutants: Mutant[] = [
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
  {
    name: "dismisses by tool what is completed",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("dismiss_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") row.close_reason = "dismissed";
      return performTool(world, call);
    }),
  },
  {
    name: "opens by tool what is completed when it is acknowledged",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("acknowledge_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") Object.assign(row, { status: "new", close_reason: null });
      return performTool(world, call);
    }),
  },
  ...(
    [
      ["POST /api/repos/{owner}/{repo}/{branch}/jobs", "JOB-SUBMIT-CREATED"],
      ["GET /api/repos/{owner}/{repo}/{branch}/discovery", "REPO-READ-DISCOVERY"],
      ["GET /api/repos/{owner}/{repo}/{branch}/knowledge", "REPO-READ-KNOWLEDGE"],
      ["GET /api/repos/{owner}/{repo}/{branch}/fix-prs", "REPO-READ-FIXPRS"],
      ["GET /api/repos/{owner}/{repo}/{branch}/forecasts", "FORECAST-REPO-ROUTE"],
    ] satisfies [string, Mutant["breaks"]][]
  ).flatMap(([route, breaks]) =>
    (["installed", "anonymous"] as const).map(
      (mode): Mutant => ({
        name: `does not find on ${route} what was just registered as ${mode}`,
        breaks,
        around: onRoute(route, (world, call, perform) => {
          const repo = repoOf(world, call);
          const isMeant = repo?.access_mode === mode && repo.discovery.length === 0;
          return perform(world, isMeant ? withParams(call, { repo: "none" }) : call);
        }),
      }),
    ),
  ),
];

type Purpose = Parameters<typeof onTool>[0];
