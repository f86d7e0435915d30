import type { Observation, World } from "../../src/service/world/world.js";
import { onTool } from "./family.js";
import {
  type Around,
  answering,
  type Mutant,
  observationOf,
  onRoute,
  pretending,
  routeOf,
  type Shown,
  showing,
  withAnswer,
  withQuery,
  withRows,
} from "./mutant.js";

const list = "GET /api/observations";
const one = "GET /api/observations/{ref}";
const dismiss = "POST /api/observations/{ref}/dismiss";
const acknowledge = "POST /api/observations/{ref}/acknowledge";
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";

const dismissedOnce = new WeakSet<Observation>();

/** Faults that show on what something was done with before: acknowledged, opened again, found again, mended, or begun. */
export const touchedMutants: Mutant[] = [
  ...(
    [
      ["acknowledged", (row) => row.acknowledged_at !== null],
      ["reopened", (row) => row.reopen_reason !== null],
      ["in a pull request", (row) => row.fix_pr !== null],
      ["dismissed", (row) => dismissedOnce.has(row)],
      ["ticketed", (row) => row.ticket_url !== null],
    ] satisfies [string, (row: Observation) => boolean][]
  ).map(
    ([what, isMeant]): Mutant => ({
      name: `never finds again what was ${what} before its dismissal`,
      breaks: "OBS-REDISCOVER-REAPPEAR",
      around: onRoute(dismiss, (world, call, perform) => {
        const row = observationOf(world, call);
        const isStaying = row !== undefined && row.status === "new" && isMeant(row);
        const reply = perform(world, call);
        if (row) dismissedOnce.add(row);
        if (row && isStaying && reply.status < 300) row.dismissal_category = "wont_fix";
        return reply;
      }),
    }),
  ),
  {
    name: "acknowledges nothing that was found again",
    breaks: "OBS-ACK-STAMPS",
    around: (world, call, perform) => {
      const row = observationOf(world, call);
      const reply = perform(world, call);
      if (row && routeOf(call) === dismiss) dismissedOnce.add(row);
      if (row && routeOf(call) === acknowledge && dismissedOnce.has(row)) row.acknowledged_at = null;
      return reply;
    },
  },
  {
    name: "dismisses nothing that a fix is in flight for",
    breaks: "OBS-DISMISS-CLOSES",
    around: keepingOpen(({ fix_pr }, isFixed) => isFixed && fix_pr === null),
  },
  {
    name: "dismisses nothing that has a fix PR in review",
    breaks: "OBS-DISMISS-CLOSES",
    around: keepingOpen(({ fix_pr }) => fix_pr?.status === "in_review"),
  },
  {
    name: "says completed of what was acknowledged when its fix is merged",
    breaks: "OBS-FIX-MERGED",
    around: showing(one, (shown) =>
      shown.close_reason === "fixed" && shown.acknowledged_at !== null ? { ...shown, close_reason: "completed" } : shown,
    ),
  },
  {
    name: "lists what is in the fix lane among the new where it was acknowledged",
    breaks: "OBS-LANE-EXCLUDED",
    around: asking(
      "status",
      (value) => value === "new",
      undefined,
      (row) => row.status === "new" && (!inLane(row) || seen(row)),
    ),
  },
  {
    name: "lists no more among the new what a fix has failed for",
    breaks: "OBS-FIX-LISTED-BEFORE-PR",
    around: answering(list, (reply, world, call) =>
      call.query.status?.[0] === "new" ? withRows<Shown>(reply, (rows) => rows.filter((row) => !hasFailed(world, row))) : reply,
    ),
  },
  {
    name: "forgets the fix PR of what is opened again",
    breaks: "OBS-FILTER-FIXPR-TRUE",
    around: leavingOut("has_fix_pr", (row) => row.reopen_reason !== null),
  },
  {
    name: "lists no more among the new what was acknowledged and opened again",
    breaks: "OBS-REOPEN-OPENS",
    around: asking(
      "status",
      (value) => value === "new",
      "new",
      (row) => !seen(row) || row.reopen_reason === null,
    ),
  },
  {
    name: "lists no easy win that was acknowledged",
    breaks: "OBS-FILTER-EASYWINS",
    around: leavingOut("easy_wins", seen),
  },
  {
    name: "lists no easy win that was opened again",
    breaks: "OBS-FILTER-EASYWINS",
    around: leavingOut("easy_wins", (row) => row.reopen_reason !== null),
  },
  {
    name: "places by the opening of its PR what was fixed",
    breaks: "OBS-ORDER-RESOLVED",
    around: answering(list, (reply, _, call) =>
      call.query.order?.[0] === "resolved"
        ? withRows<Shown>(reply, (rows) => rows.toSorted((a, b) => Number(isFixed(a)) - Number(isFixed(b))))
        : reply,
    ),
  },
  {
    name: "notes no resolution of what is completed by tool",
    breaks: "OBS-ORDER-RESOLVED",
    ...onTool("complete_observation", (world, call, performTool) => {
      const reply = performTool(world, call);
      const row = rowOf(world, call.arguments.ref);
      if (row && reply.status < 300) row.resolved_at = row.created_at;
      return reply;
    }),
  },
  {
    name: "completes by tool what is dismissed",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("complete_observation", (world, call, performTool) => {
      const row = rowOf(world, call.arguments.ref);
      if (row?.status === "closed") row.close_reason = "completed";
      return performTool(world, call);
    }),
  },
  {
    name: "spawns by tool a fix of what is closed",
    breaks: "OBS-FIX-ON-CLOSED",
    ...onTool("submit_fix", (world, call, performTool) => {
      const row = rowOf(world, call.arguments.ref);
      return pretending(row, { status: "new" }, () => performTool(world, call));
    }),
  },
  {
    name: "explains nothing that is closed",
    breaks: "MCP-TOOL-EXPLAIN",
    ...onTool("explain_observation", (world, call, performTool) =>
      performTool(
        world,
        rowOf(world, call.arguments.ref)?.status === "closed" ? { ...call, arguments: { ref: "SERVICE-0" } } : call,
      ),
    ),
  },
  ...[submit, retry].map(
    (route): Mutant => ({
      name: `tells as pending what was begun by now, on ${route}`,
      breaks: "JOB-FIELD-STATUS",
      value: { surface: "rest", dimension: "job status", value: "running" },
      around: answering(route, (reply) => (reply.status === 200 ? withAnswer(reply, { status: "pending" }) : reply)),
    }),
  ),
];

function rowOf({ observations }: World, ref: unknown): Observation | undefined {
  return observations[String(ref)];
}

function seen({ acknowledged_at }: Pick<Observation, "acknowledged_at"> | Shown): boolean {
  return acknowledged_at !== null;
}

function inLane({ fix_pr }: Shown): boolean {
  return ["in_review", "revising"].includes(String((fix_pr as Observation["fix_pr"])?.status));
}

function isFixed({ close_reason }: Shown): boolean {
  return close_reason === "fixed";
}

function hasFailed({ observations, attempts, jobs }: World, { ref }: Shown): boolean {
  const attempt = attempts[observations[String(ref)]?.attempt ?? ""];
  return jobs[attempt?.job ?? ""]?.status === "failed";
}

/** A list that is asked for with another value of a filter, and holds what passes instead. */
function asking(
  filter: string,
  isMeant: (value: string | undefined) => boolean,
  instead: string | undefined,
  passes: (row: Shown) => boolean,
): Around {
  return onRoute(list, (world, call, perform) => {
    if (!isMeant(call.query[filter]?.[0])) return perform(world, call);
    return withRows<Shown>(perform(world, withQuery(call, { [filter]: instead })), (rows) => rows.filter(passes));
  });
}

/** Leaves out of what a filter keeps what something was done with. */
function leavingOut(filter: string, isMeant: (row: Shown) => boolean): Around {
  return asking(
    filter,
    (value) => value === "true",
    "true",
    (row) => !isMeant(row),
  );
}

/** Refuses to dismiss some of what is open. */
function keepingOpen(isMeant: (row: Observation, isFixed: boolean) => boolean): Around {
  return onRoute(dismiss, (world, call, perform) => {
    const row = observationOf(world, call);
    const job = world.jobs[world.attempts[row?.attempt ?? ""]?.job ?? ""];
    const isKept = row?.status === "new" && isMeant(row, job?.finished_at === null);
    return isKept ? pretending(row, { status: "closed" }, () => perform(world, call)) : perform(world, call);
  });
}
