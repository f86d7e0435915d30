import type { Effect } from "../../engine/scenario/format.js";

/** What a request is about. */
export type Subject = "repo" | "job" | "ref" | "key";

/** What the text says of one route, apart from how its answers come out. */
export interface RouteText {
  subject: readonly Subject[];
  /** What it does to the server at most; `paid`: it starts paid work (SPEND-*). */
  effect: Effect;
  /** The clause by which a key with only view scopes is refused. */
  viewClause?: string;
  /** The clause by which a valid request is let in, where neither a state nor a plan nor a spare name decides. */
  servedClause?: string;
  /** Where the id of what it makes stands in the answer. */
  save?: string;
  /** Whether a body is sent though nothing need stand in it. */
  body?: true;
}

const triage = { effect: "write", subject: ["ref"], viewClause: "SCOPE-VIEW-TRIAGE" } as const;
const read = { effect: "read", subject: [] } as const;
const readRepository = { effect: "read", subject: ["repo"] } as const;

/** Every route, as section 4 of the contract lists them. */
export const routes = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": {
    effect: "paid",
    subject: ["repo"],
    viewClause: "SCOPE-VIEW-SUBMIT",
    save: "/id",
  },
  "GET /api/repos/{owner}/{repo}/{branch}/jobs": { ...readRepository, servedClause: "JOB-LIST-REPO-ROUTE" },
  "GET /api/jobs": { ...read, servedClause: "JOB-LIST-WORKSPACE-ROUTE" },
  "GET /api/jobs/{job_id}": { effect: "read", subject: ["job"], servedClause: "JOB-GET-ROUTE" },
  "POST /api/jobs/{job_id}/cancel": { effect: "write", subject: ["job"] },
  "POST /api/jobs/{job_id}/retry": { effect: "paid", subject: ["job"], viewClause: "SCOPE-VIEW-SUBMIT", save: "/id" },
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
    body: true,
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
    save: "/job_id",
    body: true,
  },
  "POST /api/observations/{ref}/dismiss": triage,
  "POST /api/observations/{ref}/reopen": triage,
  "POST /api/observations/{ref}/complete": triage,
  "POST /api/observations/{ref}/acknowledge": triage,
  "POST /api/observations/{ref}/publish-ticket": { ...triage, body: true },
  "POST /api/keys": { effect: "write", subject: [], servedClause: "KEY-FIELD-OPTIONAL", save: "/key_id" },
  "PATCH /api/keys/{key_id}": { effect: "write", subject: ["key"], servedClause: "KEY-PATCH-LOWER" },
  "GET /api/openapi.json": read,
} as const satisfies Record<string, RouteText>;

/** A route, `POST /api/jobs/{job_id}/cancel`. */
export type Route = keyof typeof routes;

/** What is known of a route. */
export function routeText(route: Route): RouteText {
  return routes[route];
}
