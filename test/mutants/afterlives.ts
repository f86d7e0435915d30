import type { Job, Observation, World } from "../../src/service/world/world.js";
import { onTool } from "./family.js";
import {
  type Around,
  answering,
  keyOf,
  type Mutant,
  observationOf,
  onRoute,
  pretending,
  type Shown,
  showing,
  withQuery,
  withRows,
} from "./mutant.js";

const list = "GET /api/observations";

/** Faults in what comes after a retry, a refusal, a removal, a ticket or a fix without a pull request. */
export const afterlifeMutants: Mutant[] = [
  ...(
    [
      ["REPO-REGISTER-CAP", "plan_repo_cap_exceeded"],
      ["REPO-REGISTER-CAP-ANONYMOUS", "repo_cap_exceeded"],
    ] as const
  ).map(
    ([breaks, code]): Mutant => ({
      name: `has room for one more than the plan where one was removed, and says ${code} after that`,
      breaks,
      around: onRoute("POST /api/repos", (world, call, perform) => {
        const reply = perform(world, call);
        const workspace = world.workspaces[keyOf(world, call)?.workspace ?? ""];
        if (reply.rule.code !== code || !workspace) return reply;
        const own = Object.values(world.repos).filter((repo) => repo.workspace === workspace.id);
        const live = own.filter(({ deleted_at }) => deleted_at === null).length;
        const cap = workspace.repo_cap ?? world.plans[workspace.plan].repo_cap;
        return live === cap && live < own.length
          ? pretending(workspace, { repo_cap: live + 1 }, () => perform(world, call))
          : reply;
      }),
    }),
  ),
  {
    name: "answers a fix with the one before that has failed",
    breaks: "OBS-FIX-MAKES-JOB",
    around: onRoute("POST /api/observations/{ref}/fix", (world, call, perform) => {
      const job = fixOf(world, observationOf(world, call));
      return job?.status === "failed" ? pretending(job, { status: "running" }, () => perform(world, call)) : perform(world, call);
    }),
  },
  {
    name: "takes a fix for a fix PR that was had",
    breaks: "OBS-FILTER-FIXPR-TRUE",
    around: asking("has_fix_pr", "true", (row) => row.fix_pr !== null || row.attempt !== null),
  },
  {
    name: "takes a fix for a fix PR that was had where none is asked for",
    breaks: "OBS-FILTER-FIXPR-FALSE",
    around: asking("has_fix_pr", "false", (row) => row.fix_pr === null && row.attempt === null),
  },
  {
    name: "lists a suggestion among the new while its fix PR is open",
    breaks: "OBS-LANE-EXCLUDED",
    around: asking("status", "new", (row) => row.status === "new" && (row.kind === "suggestion" || !isInLane(row))),
  },
  {
    name: "shows no fix PR of a suggestion in the lane",
    breaks: "OBS-LANE-FIX-PRS",
    around: answering("GET /api/repos/{owner}/{repo}/{branch}/fix-prs", (reply, { observations }) =>
      withRows<Shown>(reply, (rows) => rows.filter(({ ref }) => observations[String(ref)]?.kind !== "suggestion")),
    ),
  },
  {
    name: "lists nothing that the service dismissed among the dismissed",
    breaks: "OBS-FILTER-CLOSEREASON",
    around: asking("close_reason", "dismissed", (row) => row.close_reason === "dismissed" && !isExhausted(row)),
  },
  {
    name: "lists nothing that the service dismissed among the closed",
    breaks: "OBS-FILTER-STATUS",
    around: asking("status", "closed", (row) => row.status === "closed" && !isExhausted(row)),
  },
  {
    name: "lists nothing that has a ticket among the new",
    breaks: "OBS-FILTER-STATUS",
    around: leavingOut("status", "new", ({ ticket_url }) => ticket_url !== null),
  },
  {
    name: "lists nothing that has a ticket for review",
    breaks: "OBS-FILTER-REVIEW",
    around: leavingOut("needs_review", "true", ({ ticket_url }) => ticket_url !== null),
  },
  {
    name: "lists no easy win that has a ticket",
    breaks: "OBS-FILTER-EASYWINS",
    around: leavingOut("easy_wins", "true", ({ ticket_url }) => ticket_url !== null),
  },
  ...(
    [
      ["acknowledged", (row) => row.acknowledged_at !== null],
      ["reopened", (row) => row.reopen_reason !== null],
    ] satisfies [string, (row: Observation) => boolean][]
  ).map(
    ([what, isMeant]): Mutant => ({
      name: `finds nothing by tool that was ${what}`,
      breaks: "MCP-TOOL-OBS-SEARCH",
      ...onTool("list_observations", (world, call, performTool) => {
        const reply = performTool(world, call);
        return call.arguments.search === undefined ? reply : withRows<Shown>(reply, (rows) => rows.filter(not(world, isMeant)));
      }),
    }),
  ),
  {
    name: "shows no time of acknowledging while the fix PR is in review",
    breaks: "OBS-ACK-STAMPS",
    around: showing("GET /api/observations/{ref}", (shown, { observations }) =>
      observations[String(shown.ref)]?.fix_pr?.status === "in_review" ? { ...shown, acknowledged_at: null } : shown,
    ),
  },
  ...(["retry_job", "submit_fix", "register_repository"] as const).map(
    (purpose): Mutant => ({
      name: `takes nothing from a key's dollars for what ${purpose} starts`,
      breaks: "KEY-FIELD-DOLLARS",
      ...onTool(purpose, (world, call, performTool) => {
        const { id } = call.caller.key;
        const spent = world.spend[id] && { ...world.spend[id] };
        const reply = performTool(world, call);
        if (spent) world.spend[id] = spent;
        else delete world.spend[id];
        return reply;
      }),
    }),
  ),
  ...["GET /api/repos", "GET /api/jobs"].map(
    (route): Mutant => ({
      name: `says of a last page that is full that more follows, on ${route}`,
      breaks: "CURSOR-LAST",
      around: onRoute(route, (world, call, perform) => {
        const reply = perform(world, call);
        const { data, has_more } = reply.body as { data?: unknown[]; has_more?: boolean };
        return data && !has_more && String(data.length) === call.query.limit?.[0]
          ? { ...reply, body: { data, next_cursor: "bW9yZQ", has_more: true } }
          : reply;
      }),
    }),
  ),
];

function fixOf({ attempts, jobs }: World, row: Observation | undefined): Job | undefined {
  return jobs[attempts[row?.attempt ?? ""]?.job ?? ""];
}

function isInLane({ fix_pr }: Observation): boolean {
  return fix_pr?.status === "in_review" || fix_pr?.status === "revising";
}

function isExhausted({ dismissal_category }: Observation): boolean {
  return dismissal_category === "exhausted_fix_attempts";
}

function not({ observations }: World, isMeant: (row: Observation) => boolean): (shown: Shown) => boolean {
  return ({ ref }) => {
    const row = observations[String(ref)];
    return row !== undefined && !isMeant(row);
  };
}

/** A list that is asked for by one value of a filter, and holds what passes another test. */
function asking(filter: string, value: string, passes: (row: Observation) => boolean): Around {
  return onRoute(list, (world, call, perform) => {
    if (call.query[filter]?.[0] !== value) return perform(world, call);
    const all = perform(world, withQuery(call, { [filter]: undefined }));
    return withRows<Shown>(all, (rows) => rows.filter(not(world, (row) => !passes(row))));
  });
}

/** Leaves out of what a filter keeps what something was done with. */
function leavingOut(filter: string, value: string, isMeant: (row: Observation) => boolean): Around {
  return onRoute(list, (world, call, perform) => {
    const reply = perform(world, call);
    return call.query[filter]?.[0] === value ? withRows<Shown>(reply, (rows) => rows.filter(not(world, isMeant))) : reply;
  });
}
