import type { Ask } from "./ask.js";
import { accepted, type Branch, invalid, type Must, must, namesNone, notFound } from "./branch.js";
import { placeOf } from "./place.js";
import { type Observation, type ObservationState, type States, withJob, withObservation } from "./states.js";
import { refPattern } from "./triage.js";

/** How a list of observations may come out, as far as one of them (`ref`) goes: OBS-FILTER-*, OBS-LANE-*. */
export function listObservations(states: States, ask: Ask): Branch[] {
  if (ask.flaw === "CURSOR-FILTERS") return [{ must: cursorRefused, next: states }];
  if (ask.flaw !== undefined) return [{ must: ask.flaw === "PAGE-LIMIT-OVER" ? tooMany : invalid(ask.flaw), next: states }];
  const rows = [page(ask), ...rowRules(ask)];
  const observation = ask.ref === undefined ? undefined : states.observations[ask.ref];
  if (ask.ref === undefined || !observation) return [{ must: rows, next: states }];
  const ref = ask.ref;
  return observation.possible.map((state) => {
    const place = listed(observation, state, ask);
    const next = withObservation(states, ref, { possible: [state] });
    return { must: [...rows, ...(place ? [membership(ref, place, ask)] : [])], next };
  });
}

const cursorRefused: Must[] = [
  must("CURSOR-FILTERS", {
    status: 400,
    error: {},
    json: { error: { fields: { type: "invalid_request_error", code: "invalid_cursor" } } },
  }),
];
const tooMany: Must[] = [
  must("PAGE-LIMIT-OVER", { status: 422, json: { error: { fields: { type: "validation_error", code: "invalid_payload" } } } }),
];

/** PAGE-FIELD-TYPES */
function page({ by, walk }: Ask): Must {
  if (by === "tool") return accepted("MCP-TOOL-OBS-LIST", 200);
  // CURSOR-LAST: what a walk ends with is the last page.
  const ended = { has_more: false, next_cursor: { type: "null" } };
  const more = walk ? ended : { has_more: { type: "boolean" }, next_cursor: { type: ["string", "null"] } };
  return must(walk ? ["PAGE-FIELD-TYPES", "CURSOR-LAST"] : "PAGE-FIELD-TYPES", {
    status: 200,
    json: { data: { type: "array" }, ...more },
  });
}

const ROW_FIELDS: Readonly<Record<string, { clause: string; field: string }>> = {
  kind: { clause: "OBS-FILTER-KIND", field: "kind" },
  status: { clause: "OBS-FILTER-STATUS", field: "status" },
  priority: { clause: "OBS-FILTER-PRIORITY", field: "priority" },
  category: { clause: "OBS-FILTER-CATEGORY", field: "category" },
  close_reason: { clause: "OBS-FILTER-CLOSEREASON", field: "close_reason" },
};

/** What every row of a filtered list shows. */
function rowRules({ query = {}, by }: Ask): Must[] {
  if (by === "tool") return [];
  const every = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  const fields = Object.entries(query).flatMap(([name, value]) => {
    const rule = ROW_FIELDS[name];
    return rule ? [must(rule.clause, every({ [rule.field]: value }))] : [];
  });
  const open = { kind: "finding", status: "new" };
  return [
    ...fields,
    ...(query.close_reason === undefined ? [] : [must("OBS-FILTER-CLOSEREASON-CLOSED", every({ status: "closed" }))]),
    ...(query.easy_wins === "true"
      ? [must(["OBS-FILTER-EASYWINS", "OBS-FILTER-EASYWINS-PRIORITY"], every({ ...open, priority: { not: "P3" } }))]
      : []),
  ];
}

/** Whether an observation in this state is in the list, and the clause that says so; undefined where it is not said. */
function listed(
  observation: Observation,
  state: ObservationState,
  { query = {} }: Ask,
): { in: boolean; clause: string } | undefined {
  const verdicts = Object.entries(query).map(([name, value]) => keeps(observation, state, name, String(value)));
  const out = verdicts.find((verdict) => verdict !== undefined && verdict !== "kept");
  if (typeof out === "string") return { in: false, clause: out };
  const clause = Object.keys(query).some((name) => name in ROW_FIELDS) ? "OBS-FILTER-COMBINE" : "OBS-FILTER-REPO";
  return verdicts.every((verdict) => verdict === "kept")
    ? { in: true, clause: inBecause(observation, query) ?? clause }
    : undefined;
}

/** Whether one filter keeps an observation: "kept", the clause by which it leaves it out, or undefined where that is not said. */
function keeps(observation: Observation, state: ObservationState, name: string, value: string): string | undefined {
  switch (name) {
    case "status":
      return keptByStatus(state, value);
    case "close_reason":
      return state.status === "closed" && state.reason === value ? "kept" : "OBS-FILTER-CLOSEREASON";
    case "has_fix_pr":
      return keptByPull(state, value === "true");
    case "needs_review":
      if (!observation.exhausted) return undefined;
      return state.status === "new" && state.pull === "none" ? "kept" : undefined;
    case "kind":
    case "priority":
    case "category": {
      const known = observation.fields[name];
      return known === undefined ? undefined : known === value ? "kept" : (ROW_FIELDS[name]?.clause ?? "OBS-FILTER-COMBINE");
    }
    case "order":
      return value === "resolved" && state.status === "new" ? undefined : "kept"; // an open one has no time of resolution
    case "repo":
      return value === placeOf(observation.repo).slug ? "kept" : "OBS-FILTER-REPO";
    case "limit":
    case "include":
    case "search":
      return "kept";
    default:
      return undefined;
  }
}

/** OBS-LANE-EXCLUDED: new ones with a pull request are in the lane and not in the list of new ones. */
function keptByStatus({ status, pull }: ObservationState, value: string): string | undefined {
  if (status !== value) return "OBS-FILTER-STATUS";
  if (status === "closed") return "kept";
  if (pull === "open") return "OBS-LANE-EXCLUDED";
  return pull === "none" || pull === "closed" ? "kept" : undefined;
}

function keptByPull({ pull }: ObservationState, wanted: boolean): string | undefined {
  if (pull === null) return undefined;
  return (pull !== "none") === wanted ? "kept" : wanted ? "OBS-FILTER-FIXPR-TRUE" : "OBS-FILTER-FIXPR-FALSE";
}

/** The clause that puts an observation into a list, where its history names one. */
function inBecause({ because, exhausted }: Observation, query: Readonly<Record<string, unknown>>): string | undefined {
  if (query.needs_review === "true" && exhausted) return "OBS-FILTER-REVIEW";
  if (query.has_fix_pr !== undefined) return "OBS-FILTER-FIXPR-TRUE";
  const listing = ["OBS-FIX-LISTED-BEFORE-PR", "OBS-FIX-UNMERGED", "OBS-ACK-OPEN"];
  return query.status === "new" ? because.find((clause) => listing.includes(clause)) : undefined;
}

function membership(ref: string, place: { in: boolean; clause: string }, { by, walk, query = {} }: Ask): Must {
  const row = { contains: { ref: `{${ref}}` } };
  const text = { matches: refPattern(ref) };
  if (!place.in) return must(place.clause, { json: { data: { not: row } } }, { says: { not: text } });
  // Of a tool only a search by its title is sure to show an observation on the first page.
  if (by === "tool") return must(place.clause, {}, "search" in query ? { says: text } : {});
  return must(place.clause, walk ? { json: { data: row } } : {});
}

/** How a list of jobs may come out, as far as one of them (`job`) goes: JOB-LIST-*, MCP-TOOL-JOBS-*. */
export function listJobs(states: States, ask: Ask): Branch[] {
  const { repo, query = {}, by, what } = ask;
  if (ask.flaw !== undefined) return [{ must: ask.flaw === "CURSOR-ENDPOINT" ? cursorRefused : tooMany, next: states }];
  const ofRepo = what !== "GET /api/jobs";
  if (ofRepo && !(states.repos[repo ?? "repo"]?.registered ?? [false]).includes(true))
    return [{ must: notFound("REPO-READ-UNKNOWN"), next: states }];
  const base = by === "tool" ? [accepted("MCP-TOOL-JOBS", 200)] : [page(ask), ...jobRows(ask)];
  const job = ask.job === undefined ? undefined : states.jobs[ask.job];
  if (ask.job === undefined || !job) return [{ must: base, next: states }];
  const name = ask.job;
  return job.possible.map((status) => {
    const next = withJob(states, name, { possible: [status] });
    const inPlace =
      (!ofRepo || job.repo === (repo ?? "repo")) && (query.workflow === undefined || query.workflow === job.workflow);
    if (by === "tool") return { must: [...base, ...toolRow(name, status, query.status)], next };
    const row = { contains: { id: `{${name}}`, ...(inPlace && { workflow: job.workflow, status }) } };
    const clause =
      query.workflow === undefined ? (ofRepo ? "JOB-LIST-REPO-ROUTE" : "JOB-LIST-WORKSPACE-ROUTE") : "JOB-LIST-REPO-WORKFLOW";
    const named = { contains: { id: `{${name}}`, repo_name: placeOf(job.repo).slug } };
    const field = ask.walk && inPlace ? [must("JOB-FIELD-REPO-NAME", { json: { data: named } })] : [];
    const rule = ask.walk ? must(clause, { json: { data: inPlace ? row : { not: row } } }) : undefined;
    return { must: [...base, ...(rule ? [rule] : []), ...field], next };
  });
}

function jobRows({ query = {}, what, repo = "repo" }: Ask): Must[] {
  const every = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  return [
    ...(what === "GET /api/jobs"
      ? []
      : [must(["JOB-LIST-REPO-ROUTE", "JOB-FIELD-REPO-NAME"], every({ repo_name: placeOf(repo).slug }))]),
    ...(query.workflow === undefined ? [] : [must("JOB-LIST-REPO-WORKFLOW", every({ workflow: query.workflow }))]),
  ];
}

/** MCP-TOOL-JOBS-FILTER: a job of another status is not in the answer; one of that status may be on a later page. */
function toolRow(name: string, status: string, wanted: unknown): Must[] {
  if (wanted === undefined || wanted === status) return [];
  return [must("MCP-TOOL-JOBS-FILTER", {}, { says: namesNone([name]) })];
}
