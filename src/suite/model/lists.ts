import { observationParameter, observationParameters } from "../statements/lists.js";
import { accepted, type Branch, invalid, must, namesNone, notFound, type Requirement } from "./branch.js";
import { placeOf } from "./place.js";
import type { ModelRequest } from "./request.js";
import { type Observation, type ObservationState, type States, withJob, withObservation } from "./states.js";
import { refPattern } from "./triage.js";

/** How a list of observations may come out, as far as one of them (`ref`) goes: OBS-FILTER-*, OBS-LANE-*. */
export function listObservations(states: States, request: ModelRequest): Branch[] {
  if (request.flaw === "CURSOR-FILTERS") return [{ must: cursorRefused, next: states }];
  if (request.flaw !== undefined)
    return [{ must: request.flaw === "PAGE-LIMIT-OVER" ? tooMany : invalid(request.flaw), next: states }];
  const rows = [page(request), ...rowRules(request)];
  const observation = request.ref === undefined ? undefined : states.observations[request.ref];
  if (request.ref === undefined || !observation) return [{ must: rows, next: states }];
  const ref = request.ref;
  return observation.possible.map((state) => {
    const place = listed(observation, state, request);
    const next = withObservation(states, ref, { possible: [state] });
    return { must: [...rows, ...(place ? [membership(ref, place, request)] : [])], next };
  });
}

const cursorRefused: Requirement[] = [
  must("CURSOR-FILTERS", {
    status: 400,
    error: {},
    json: { error: { fields: { type: "invalid_request_error", code: "invalid_cursor" } } },
  }),
];
const tooMany: Requirement[] = [
  must("PAGE-LIMIT-OVER", { status: 422, json: { error: { fields: { type: "validation_error", code: "invalid_payload" } } } }),
];

/** PAGE-FIELD-TYPES */
function page({ by, walk }: ModelRequest): Requirement {
  if (by === "tool") return accepted("MCP-TOOL-OBS-LIST", 200);
  // CURSOR-LAST: what a walk ends with is the last page.
  const ended = { has_more: false, next_cursor: { type: "null" } };
  const more = walk ? ended : { has_more: { type: "boolean" }, next_cursor: { type: ["string", "null"] } };
  return must(walk ? ["PAGE-FIELD-TYPES", "CURSOR-LAST"] : "PAGE-FIELD-TYPES", {
    status: 200,
    json: { data: { type: "array" }, ...more },
  });
}

/** What every row of a filtered list shows. */
function rowRules({ query = {}, by }: ModelRequest): Requirement[] {
  if (by === "tool") return [];
  const every = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  const asked = Object.entries(query).map(([name, value]) => ({ ...observationParameter(name), value }));
  return [
    ...asked.flatMap(({ field, clause = [], value }) => (field === undefined ? [] : [must(clause, every({ [field]: value }))])),
    ...asked.flatMap(({ implies }) => (implies ? [must(implies.clause, every(implies.row))] : [])),
    ...(query.easy_wins === "true"
      ? [
          must(
            ["OBS-FILTER-EASYWINS", "OBS-FILTER-EASYWINS-PRIORITY"],
            every({ ...easyWins.pairedWith, priority: { not: "P3" } }),
          ),
        ]
      : []),
  ];
}

const { easy_wins: easyWins, has_fix_pr: hasFixPull, order } = observationParameters;
/** OBS-ORDER-RESOLVED-OPEN: an open observation has no time of resolution. */
const orderedOnly: Readonly<Record<string, string>> = order.onlyForStatus;

/** Whether an observation in this state is in the list, and the clause that says so; undefined where it is not said. */
function listed(
  observation: Observation,
  state: ObservationState,
  { query = {} }: ModelRequest,
): { in: boolean; clause: string } | undefined {
  const verdicts = Object.entries(query).map(([name, value]) => keeps(observation, state, name, String(value)));
  const out = verdicts.find((verdict) => verdict !== undefined && verdict !== "kept");
  if (typeof out === "string") return { in: false, clause: out };
  const clause = Object.keys(query).some((name) => observationParameter(name).field !== undefined)
    ? "OBS-FILTER-COMBINE"
    : "OBS-FILTER-REPO";
  // OBS-LIST-DEFAULT-STATUS: closed ones that are not asked for
  if (state.status === "closed" && query.status === undefined && query.close_reason === undefined) return undefined;
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
      return state.status === "closed" && state.reason === value ? "kept" : observationParameters.close_reason.clause;
    case "has_fix_pr":
      return keptByPull(state, value === "true");
    case "needs_review":
      if (!observation.exhausted) return undefined;
      return state.status === "new" && state.pull === "none" ? "kept" : undefined;
    case "kind":
    case "priority":
    case "category": {
      const known = observation.fields[name];
      return known === undefined ? undefined : known === value ? "kept" : observationParameters[name].clause;
    }
    case "order":
      return (orderedOnly[value] ?? state.status) === state.status ? "kept" : undefined;
    case "repo":
      return value === placeOf(observation.repo).slug ? "kept" : observationParameters.repo.clause;
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
  if (status !== value) return observationParameters.status.clause;
  if (status === "closed") return "kept";
  if (pull === "open") return "OBS-LANE-EXCLUDED";
  return pull === "none" || pull === "closed" ? "kept" : undefined;
}

function keptByPull({ pull }: ObservationState, wanted: boolean): string | undefined {
  if (pull === null) return undefined;
  return (pull !== "none") === wanted ? "kept" : hasFixPull.clauses[`${wanted}`];
}

/** The clause that puts an observation into a list, where its history names one. */
function inBecause({ because, exhausted }: Observation, query: Readonly<Record<string, unknown>>): string | undefined {
  if (query.needs_review === "true" && exhausted) return "OBS-FILTER-REVIEW";
  if (query.has_fix_pr !== undefined) return hasFixPull.clauses.true;
  const listing = ["OBS-FIX-LISTED-BEFORE-PR", "OBS-FIX-UNMERGED", "OBS-ACK-OPEN"];
  return query.status === "new" ? because.find((clause) => listing.includes(clause)) : undefined;
}

function membership(ref: string, place: { in: boolean; clause: string }, { by, walk, query = {} }: ModelRequest): Requirement {
  const row = { contains: { ref: `{${ref}}` } };
  const text = { matches: refPattern(ref) };
  if (!place.in) return must(place.clause, { json: { data: { not: row } } }, { content: { not: text } });
  // Of a tool only a search by its title is sure to show an observation on the first page.
  if (by === "tool") return must(place.clause, {}, "search" in query ? { content: text } : {});
  return must(place.clause, walk ? { json: { data: row } } : {});
}

/** How a list of jobs may come out, as far as one of them (`job`) goes: JOB-LIST-*, MCP-TOOL-JOBS-*. */
export function listJobs(states: States, request: ModelRequest): Branch[] {
  const { repo, query = {}, by, what } = request;
  if (request.flaw !== undefined) return [{ must: request.flaw === "CURSOR-ENDPOINT" ? cursorRefused : tooMany, next: states }];
  const ofRepo = what !== "GET /api/jobs";
  if (ofRepo && !(states.repos[repo ?? "repo"]?.registered ?? [false]).includes(true))
    return [{ must: notFound("REPO-READ-UNKNOWN"), next: states }];
  const base = by === "tool" ? [accepted("MCP-TOOL-JOBS", 200)] : [page(request), ...jobRows(request)];
  const job = request.job === undefined ? undefined : states.jobs[request.job];
  if (request.job === undefined || !job) return [{ must: base, next: states }];
  const name = request.job;
  return job.possible.map((status) => {
    const next = withJob(states, name, { possible: [status] });
    const inPlace =
      (!ofRepo || job.repo === (repo ?? "repo")) && (query.workflow === undefined || query.workflow === job.workflow);
    if (by === "tool") return { must: [...base, ...toolRow(name, status, query.status)], next };
    const row = { contains: { id: `{${name}}`, ...(inPlace && { workflow: job.workflow, status }) } };
    const clause =
      query.workflow === undefined ? (ofRepo ? "JOB-LIST-REPO-ROUTE" : "JOB-LIST-WORKSPACE-ROUTE") : "JOB-LIST-REPO-WORKFLOW";
    const named = { contains: { id: `{${name}}`, repo_name: placeOf(job.repo).slug } };
    const field = request.walk && inPlace ? [must("JOB-FIELD-REPO-NAME", { json: { data: named } })] : [];
    const rule = request.walk ? must(clause, { json: { data: inPlace ? row : { not: row } } }) : undefined;
    return { must: [...base, ...(rule ? [rule] : []), ...field], next };
  });
}

function jobRows({ query = {}, what, repo = "repo" }: ModelRequest): Requirement[] {
  const every = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  return [
    ...(what === "GET /api/jobs"
      ? []
      : [must(["JOB-LIST-REPO-ROUTE", "JOB-FIELD-REPO-NAME"], every({ repo_name: placeOf(repo).slug }))]),
    ...(query.workflow === undefined ? [] : [must("JOB-LIST-REPO-WORKFLOW", every({ workflow: query.workflow }))]),
  ];
}

/** MCP-TOOL-JOBS-FILTER: a job of another status is not in the answer; one of that status may be on a later page. */
function toolRow(name: string, status: string, wanted: unknown): Requirement[] {
  if (wanted === undefined || wanted === status) return [];
  return [must("MCP-TOOL-JOBS-FILTER", {}, { content: namesNone([name]) })];
}
