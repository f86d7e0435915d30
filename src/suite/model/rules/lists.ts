import { findObservationParameter, observationParameters } from "../../statements/lists.js";
import {
  type Branch,
  containsNone,
  createAcceptance,
  createRequirement,
  expectNotFound,
  expectValidationError,
  type Requirement,
} from "./branch.js";
import { createRefPattern } from "./observations.js";
import { findAddress } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { changeJob, changeObservation, type Observation, type ObservationState, type States } from "./states.js";

/** Returns the outcomes of listing observations, for one observation (`ref`): OBS-FILTER-*, OBS-LANE-*. */
export function listObservations(states: States, request: ModelRequest): Branch[] {
  if (request.flaw === "CURSOR-FILTERS") return [{ requirements: cursorRefused, next: states }];
  if (request.flaw !== undefined)
    return [
      { requirements: request.flaw === "PAGE-LIMIT-OVER" ? pageTooLong : expectValidationError(request.flaw), next: states },
    ];
  const rows = [createPageRequirement(request), ...listRowRules(request)];
  const observation = request.ref === undefined ? undefined : states.observations[request.ref];
  if (request.ref === undefined || !observation) return [{ requirements: rows, next: states }];
  const ref = request.ref;
  return observation.possible.map((state) => {
    const place = judgeListMembership(observation, state, request);
    const next = changeObservation(states, ref, { possible: [state] });
    return { requirements: [...rows, ...(place ? [createMembership(ref, place, request)] : [])], next };
  });
}

const cursorRefused: Requirement[] = [
  createRequirement("CURSOR-FILTERS", {
    status: 400,
    error: {},
    json: { error: { fields: { type: "invalid_request_error", code: "invalid_cursor" } } },
  }),
];
const pageTooLong: Requirement[] = [
  createRequirement("PAGE-LIMIT-OVER", {
    status: 422,
    json: { error: { fields: { type: "validation_error", code: "invalid_payload" } } },
  }),
];

/** PAGE-FIELD-TYPES */
function createPageRequirement({ by, walk }: ModelRequest): Requirement {
  if (by === "tool") return createAcceptance("MCP-TOOL-OBS-LIST", 200);
  // CURSOR-LAST: a walk ends with the last page.
  const ended = { has_more: false, next_cursor: { type: "null" } };
  const more = walk ? ended : { has_more: { type: "boolean" }, next_cursor: { type: ["string", "null"] } };
  return createRequirement(walk ? ["PAGE-FIELD-TYPES", "CURSOR-LAST"] : "PAGE-FIELD-TYPES", {
    status: 200,
    json: { data: { type: "array" }, ...more },
  });
}

/** Returns the requirements of every row of a filtered list. */
function listRowRules({ query = {}, by }: ModelRequest): Requirement[] {
  if (by === "tool") return [];
  const getEveryRow = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  const parameters = Object.entries(query).map(([name, value]) => ({ ...findObservationParameter(name), value }));
  return [
    ...parameters.flatMap(({ field, clause = [], value }) =>
      field === undefined ? [] : [createRequirement(clause, getEveryRow({ [field]: value }))],
    ),
    ...parameters.flatMap(({ implies }) => (implies ? [createRequirement(implies.clause, getEveryRow(implies.row))] : [])),
    ...(query.easy_wins === "true"
      ? [
          createRequirement(
            ["OBS-FILTER-EASYWINS", "OBS-FILTER-EASYWINS-PRIORITY"],
            getEveryRow({ ...easyWins.pairedWith, priority: { not: "P3" } }),
          ),
        ]
      : []),
  ];
}

const { easy_wins: easyWins, has_fix_pr: hasFixPull, order } = observationParameters;
/** OBS-ORDER-RESOLVED-OPEN: an open observation has no time of resolution. */
const orderByStatus: Readonly<Record<string, string>> = order.onlyForStatus;

/** Returns whether a list contains an observation in this state, and the clause; undefined where this is open. */
function judgeListMembership(
  observation: Observation,
  state: ObservationState,
  { query = {} }: ModelRequest,
): { in: boolean; clause: string } | undefined {
  const verdicts = Object.entries(query).map(([name, value]) => keepsRow(observation, state, name, String(value)));
  const out = verdicts.find((verdict) => verdict !== undefined && verdict !== "kept");
  if (typeof out === "string") return { in: false, clause: out };
  const clause = Object.keys(query).some((name) => findObservationParameter(name).field !== undefined)
    ? "OBS-FILTER-COMBINE"
    : "OBS-FILTER-REPO";
  // OBS-LIST-DEFAULT-STATUS: closed rows without a status filter are open
  if (state.status === "closed" && query.status === undefined && query.close_reason === undefined) return undefined;
  return verdicts.every((verdict) => verdict === "kept")
    ? { in: true, clause: findListingClause(observation, query) ?? clause }
    : undefined;
}

/** Returns "kept" if a filter keeps an observation, or the clause by which it excludes it; undefined if this is open. */
function keepsRow(observation: Observation, state: ObservationState, name: string, value: string): string | undefined {
  switch (name) {
    case "status":
      return judgeStatusFilter(state, value);
    case "close_reason":
      return state.status === "closed" && state.reason === value ? "kept" : observationParameters.close_reason.clause;
    case "has_fix_pr":
      return judgePullFilter(state, value === "true");
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
      return (orderByStatus[value] ?? state.status) === state.status ? "kept" : undefined;
    case "repo":
      return value === findAddress(observation.repo).slug ? "kept" : observationParameters.repo.clause;
    case "limit":
    case "include":
    case "search":
      return "kept";
    default:
      return undefined;
  }
}

/** OBS-LANE-EXCLUDED: `status=new` excludes open observations with a pull request. */
function judgeStatusFilter({ status, pull }: ObservationState, value: string): string | undefined {
  if (status !== value) return observationParameters.status.clause;
  if (status === "closed") return "kept";
  if (pull === "open") return "OBS-LANE-EXCLUDED";
  return pull === "none" || pull === "closed" ? "kept" : undefined;
}

function judgePullFilter({ pull }: ObservationState, isWanted: boolean): string | undefined {
  if (pull === null) return undefined;
  return (pull !== "none") === isWanted ? "kept" : hasFixPull.clauses[`${isWanted}`];
}

/** Returns the clause that requires an observation in a list, where its earlier actions name one. */
function findListingClause({ because, exhausted }: Observation, query: Readonly<Record<string, unknown>>): string | undefined {
  if (query.needs_review === "true" && exhausted) return "OBS-FILTER-REVIEW";
  if (query.has_fix_pr !== undefined) return hasFixPull.clauses.true;
  const listing = ["OBS-FIX-LISTED-BEFORE-PR", "OBS-FIX-UNMERGED", "OBS-ACK-OPEN"];
  return query.status === "new" ? because.find((clause) => listing.includes(clause)) : undefined;
}

function createMembership(
  ref: string,
  place: { in: boolean; clause: string },
  { by, walk, query = {} }: ModelRequest,
): Requirement {
  const row = { contains: { ref: `{${ref}}` } };
  const text = { matches: createRefPattern(ref) };
  if (!place.in) return createRequirement(place.clause, { json: { data: { not: row } } }, { content: { not: text } });
  // A tool certainly shows an observation on the first page only when the call searches its title.
  if (by === "tool") return createRequirement(place.clause, {}, "search" in query ? { content: text } : {});
  return createRequirement(place.clause, walk ? { json: { data: row } } : {});
}

/** Returns the outcomes of listing jobs, for one job (`job`): JOB-LIST-*, MCP-TOOL-JOBS-*. */
export function listJobs(states: States, request: ModelRequest): Branch[] {
  const { repo, query = {}, by, what } = request;
  if (request.flaw !== undefined)
    return [{ requirements: request.flaw === "CURSOR-ENDPOINT" ? cursorRefused : pageTooLong, next: states }];
  const ofRepo = what !== "GET /api/jobs";
  if (ofRepo && !(states.repos[repo ?? "repo"]?.registered ?? [false]).includes(true))
    return [{ requirements: expectNotFound("REPO-READ-UNKNOWN"), next: states }];
  const base =
    by === "tool" ? [createAcceptance("MCP-TOOL-JOBS", 200)] : [createPageRequirement(request), ...listJobRowRules(request)];
  const job = request.job === undefined ? undefined : states.jobs[request.job];
  if (request.job === undefined || !job) return [{ requirements: base, next: states }];
  const name = request.job;
  return job.possible.map((status) => {
    const next = changeJob(states, name, { possible: [status] });
    const inPlace =
      (!ofRepo || job.repo === (repo ?? "repo")) && (query.workflow === undefined || query.workflow === job.workflow);
    if (by === "tool") return { requirements: [...base, ...createToolRow(name, status, query.status)], next };
    const row = { contains: { id: `{${name}}`, ...(inPlace && { workflow: job.workflow, status }) } };
    const clause =
      query.workflow === undefined ? (ofRepo ? "JOB-LIST-REPO-ROUTE" : "JOB-LIST-WORKSPACE-ROUTE") : "JOB-LIST-REPO-WORKFLOW";
    const named = { contains: { id: `{${name}}`, repo_name: findAddress(job.repo).slug } };
    const field = request.walk && inPlace ? [createRequirement("JOB-FIELD-REPO-NAME", { json: { data: named } })] : [];
    const rule = request.walk ? createRequirement(clause, { json: { data: inPlace ? row : { not: row } } }) : undefined;
    return { requirements: [...base, ...(rule ? [rule] : []), ...field], next };
  });
}

function listJobRowRules({ query = {}, what, repo = "repo" }: ModelRequest): Requirement[] {
  const getEveryRow = (row: object) => ({ json: { data: { in: [{ length: 0 }, { each: { fields: row } }] } } });
  return [
    ...(what === "GET /api/jobs"
      ? []
      : [createRequirement(["JOB-LIST-REPO-ROUTE", "JOB-FIELD-REPO-NAME"], getEveryRow({ repo_name: findAddress(repo).slug }))]),
    ...(query.workflow === undefined
      ? []
      : [createRequirement("JOB-LIST-REPO-WORKFLOW", getEveryRow({ workflow: query.workflow }))]),
  ];
}

/** MCP-TOOL-JOBS-FILTER: the response contains no job of another status. A job of the status may be on a later page. */
function createToolRow(name: string, status: string, wanted: unknown): Requirement[] {
  if (wanted === undefined || wanted === status) return [];
  return [createRequirement("MCP-TOOL-JOBS-FILTER", {}, { content: containsNone([name]) })];
}
