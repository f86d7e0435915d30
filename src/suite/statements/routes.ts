import type { Effect } from "../../engine/scenario/format.js";

/** The kind of resource that a request names. */
export type Subject = "repo" | "job" | "ref" | "key";

/** The contract's statement about one route, except for its responses. */
export interface RouteStatement {
  subject: readonly Subject[];
  /** The strongest effect on the server; `paid`: it starts paid work (SPEND-*). */
  effect: Effect;
  /** The clause that refuses a key with only view scopes. */
  viewClause?: string;
  /** The clause that requires the server to accept a valid request; absent where the outcome depends on a state, a plan or a free name. */
  servedClause?: string;
  /** JSON pointer to the id of the created resource in the response. */
  idPointer?: string;
  /** Whether requests have a JSON body even when no field is required. */
  sendsBody?: true;
}

const triage = { effect: "write", subject: ["ref"], viewClause: "SCOPE-VIEW-TRIAGE" } as const;
const read = { effect: "read", subject: [] } as const;
const readRepository = { effect: "read", subject: ["repo"] } as const;

/** Every route, in the order of section 4 of the contract. */
export const routes = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": {
    effect: "paid",
    subject: ["repo"],
    viewClause: "SCOPE-VIEW-SUBMIT",
    idPointer: "/id",
  },
  "GET /api/repos/{owner}/{repo}/{branch}/jobs": { ...readRepository, servedClause: "JOB-LIST-REPO-ROUTE" },
  "GET /api/jobs": { ...read, servedClause: "JOB-LIST-WORKSPACE-ROUTE" },
  "GET /api/jobs/{job_id}": { effect: "read", subject: ["job"], servedClause: "JOB-GET-ROUTE" },
  "POST /api/jobs/{job_id}/cancel": { effect: "write", subject: ["job"] },
  "POST /api/jobs/{job_id}/retry": { effect: "paid", subject: ["job"], viewClause: "SCOPE-VIEW-SUBMIT", idPointer: "/id" },
  "GET /api/repos": { ...read, servedClause: "REPO-LIST-ROUTE" },
  "POST /api/repos": { effect: "paid", subject: ["repo"], viewClause: "SCOPE-VIEW-REGISTER" },
  "GET /api/repos/{owner}/{repo}/{branch}": { ...readRepository, servedClause: "REPO-GET-ROUTE" },
  "DELETE /api/repos/{owner}/{repo}/{branch}": {
    effect: "destructive",
    subject: ["repo"],
    viewClause: "SCOPE-VIEW-DELETE",
    servedClause: "REPO-DELETE-ROUTE",
  },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": {
    effect: "destructive",
    subject: ["repo"],
    viewClause: "SCOPE-VIEW-DELETE",
    sendsBody: true,
  },
  "GET /api/repos/{owner}/{repo}/{branch}/discovery": { ...readRepository, servedClause: "REPO-READ-DISCOVERY" },
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge": { ...readRepository, servedClause: "REPO-READ-KNOWLEDGE" },
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs": { ...readRepository, servedClause: "REPO-READ-FIXPRS" },
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts": { ...readRepository, servedClause: "FORECAST-REPO-ROUTE" },
  "GET /api/forecasts/lookup": { ...read, servedClause: "FORECAST-LOOKUP-ROUTE" },
  "GET /api/observations": { ...read, servedClause: "OBS-FILTER-COMBINE" },
  "GET /api/observations/{ref}": { effect: "read", subject: ["ref"], servedClause: "OBS-GET-ROUTE" },
  "POST /api/observations/{ref}/fix": {
    effect: "paid",
    subject: ["ref"],
    viewClause: "SCOPE-VIEW-FIX",
    idPointer: "/job_id",
    sendsBody: true,
  },
  "POST /api/observations/{ref}/dismiss": triage,
  "POST /api/observations/{ref}/reopen": triage,
  "POST /api/observations/{ref}/complete": triage,
  "POST /api/observations/{ref}/acknowledge": triage,
  "POST /api/observations/{ref}/publish-ticket": { ...triage, sendsBody: true },
  "POST /api/keys": { effect: "write", subject: [], servedClause: "KEY-FIELD-OPTIONAL", idPointer: "/key_id" },
  "PATCH /api/keys/{key_id}": { effect: "write", subject: ["key"], servedClause: "KEY-PATCH-LOWER" },
  "GET /api/openapi.json": read,
} as const satisfies Record<string, RouteStatement>;

/** A route, for example `POST /api/jobs/{job_id}/cancel`. */
export type Route = keyof typeof routes;

/** A route that changes something. */
export type WriteRoute = { [R in Route]: (typeof routes)[R] extends { effect: "read" } ? never : R }[Route];

/** Returns the contract's statement about a route. */
export function findRouteStatement(route: Route): RouteStatement {
  return routes[route];
}
