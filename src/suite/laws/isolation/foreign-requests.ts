import type { McpText, Step } from "../../../engine/scenario/format.js";
import { jobStatuses } from "../../statements/jobs.js";
import { type ListParameter, observationParameters } from "../../statements/lists.js";
import { triageActions } from "../../statements/observations.js";
import { findOperationStatement, findToolOperation, isRoute, type Operation, operations } from "../../statements/operations.js";
import type { Route, Subject } from "../../statements/routes.js";
import { SPARE_SLUG, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import { findToolStatement, toolPurposes } from "../../statements/tools.js";
import { OWNER_MARK_WORDS } from "./owner-data.js";

/** A request that names a resource of another workspace, and the same request for a resource that does not exist. */
export interface ForeignRequest {
  /** The operation, as dimensions name it: a route, or a tool by its purpose. */
  operation: string;
  surface: "rest" | "mcp";
  /** The kind of resource. Requests about keys use sessions. */
  subject: readonly Subject[];
  step: Step;
  unknown: Step;
  /** The clauses that require the same response as for a resource that does not exist. */
  clauses: readonly string[];
  /** Whether the response to a resource that does not exist is open. */
  isOpen?: true;
}

/** Ids of resources: the owner's, or ids that do not exist. */
interface Names {
  repo: { owner: string; repo: string; branch: string };
  slug: string;
  job: string;
  ref: string;
  key: string;
}

const UNKNOWN_NAMES: Names = {
  repo: { ...SPARE_TRIPLE, repo: "no-such-{unique}" },
  slug: `no-such-{unique}@${SPARE_TRIPLE.branch}`,
  job: "no-such-{unique}",
  ref: "SERVICE-999999999",
  key: "no-such-{unique}",
};
/** An in-flight job can be cancelled, and a closed observation can be reopened. */
const OWNER_NAMES: Names = { repo: SPARE_TRIPLE, slug: SPARE_SLUG, job: "{job}", ref: "{ref}", key: "{key_id}" };
const CANCELLABLE: Names = { ...OWNER_NAMES, job: "{live}" };
const CLOSED_NAMES: Names = { ...OWNER_NAMES, ref: "{closed}" };
/** A fix needs its own job, and a ticket needs a tracker. */
const FIXED_NAMES: Names = { ...OWNER_NAMES, job: "{fix}" };
const TICKETED_NAMES: Names = { ...OWNER_NAMES, ref: "{ticketed}" };

const NOTE = "Sent from another workspace by the runner.";

/** Valid bodies of routes. Any other POST has an empty body. */
const requestBodies: { [R in Route]?: unknown } = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": { workflow: "standard_audit", params: {} },
  "PATCH /api/keys/{key_id}": { requests_per_minute: 1 },
  ...Object.fromEntries(Object.values(triageActions).map((act) => [act.route, "body" in act ? act.body(NOTE) : undefined])),
};

/** A request for each route and tool that names a resource of a workspace. A new row of the statements adds its own. */
export const foreignRequests: readonly ForeignRequest[] = [
  ...(Object.keys(operations) as Operation[]).flatMap((operation) => (isRoute(operation) ? listRouteRequests(operation) : [])),
  ...toolPurposes.flatMap((purpose) => listToolRequests(purpose)),
  ...listNamedRequests(),
];

function listRouteRequests(route: Route): ForeignRequest[] {
  const { subject } = findOperationStatement(route);
  if (subject.length === 0 || route === "POST /api/repos") return []; // a registration names a resource that does not exist yet
  const clauses = listClauses(route);
  const unknown = createRouteStep(route, UNKNOWN_NAMES);
  return listNames(route, subject).map((own) => ({
    operation: route,
    surface: "rest",
    subject,
    step: createRouteStep(route, own),
    unknown,
    clauses,
  }));
}

/** Returns the owner's resources that an operation can name. */
function listNames(operation: Operation, subject: readonly Subject[]): Names[] {
  if (subject.includes("job") && subject.includes("ref")) return [FIXED_NAMES];
  if (subject.includes("job")) return [OWNER_NAMES, CANCELLABLE];
  if (operation === "POST /api/observations/{ref}/publish-ticket") return [OWNER_NAMES, TICKETED_NAMES];
  return subject.includes("ref") ? [OWNER_NAMES, CLOSED_NAMES] : [OWNER_NAMES];
}

function createRouteStep(route: Route, { repo, job, ref, key }: Names): Step {
  const line = route
    .replace("{owner}/{repo}/{branch}", `${repo.owner}/${repo.repo}/${repo.branch}`)
    .replace("{job_id}", job)
    .replace("{ref}", ref)
    .replace("{key_id}", key);
  const json = route in requestBodies ? requestBodies[route] : route.startsWith("POST") ? {} : undefined;
  return { rest: line, ...(json !== undefined && { json }) };
}

function listToolRequests(purpose: (typeof toolPurposes)[number]): ForeignRequest[] {
  const text = findToolStatement(purpose);
  const subject: readonly Subject[] = "route" in text ? findOperationStatement(text.route).subject : text.subject;
  if (subject.length === 0 || purpose === "register_repository") return [];
  const act = "route" in text ? Object.values(triageActions).find(({ route }) => route === text.route) : undefined;
  const more = { ...text.sample, ...(act && "body" in act && act.body(NOTE)) };
  const step = (of: Names): Step => ({ mcp: { tool: purpose, arguments: { ...createArguments(subject, of), ...more } } });
  return listNames(findToolOperation(purpose), subject).map((own) => ({
    ...{ operation: purpose, surface: "mcp" as const, subject, step: step(own), unknown: step(UNKNOWN_NAMES) },
    clauses: ["KEY-WORKSPACE"],
  }));
}

function createArguments(subject: readonly Subject[], { repo, job, ref }: Names): NonNullable<McpText["arguments"]> {
  return {
    ...(subject.includes("repo") && repo),
    ...(subject.includes("job") && { job_id: job }),
    ...(subject.includes("ref") && { ref }),
  };
}

/** Returns the requests that name a repository by its slug. */
function listNamedRequests(): ForeignRequest[] {
  const both = (step: (slug: string) => Step) => ({ step: step(OWNER_NAMES.slug), unknown: step(UNKNOWN_NAMES.slug) });
  const about = { subject: ["repo"], clauses: ["KEY-WORKSPACE"], isOpen: true } as const;
  return [
    {
      ...{ ...about, operation: "GET /api/observations", surface: "rest" },
      ...both((repo) => ({ rest: "GET /api/observations", query: { repo } })),
    },
    {
      ...{ ...about, operation: "GET /api/forecasts/lookup", surface: "rest" },
      ...both((repo_name) => ({ rest: "GET /api/forecasts/lookup", query: { workflow: "audit", repo_name } })),
    },
    {
      ...{ ...about, operation: "list_observations", surface: "mcp" },
      ...both((repo) => ({ mcp: { tool: "list_observations", arguments: { repo } } })),
    },
    {
      ...{ ...about, operation: "forecast", surface: "mcp" },
      step: { mcp: { tool: "forecast", arguments: { workflow: "audit", ...OWNER_NAMES.repo } } },
      unknown: { mcp: { tool: "forecast", arguments: { workflow: "audit", ...UNKNOWN_NAMES.repo } } },
    },
  ];
}

/** Returns the clauses that forbid a route to show resources of other workspaces: the general clause, then the clause of its resource. */
function listClauses(route: Route): string[] {
  const { subject, effect } = findOperationStatement(route);
  const reads = effect === "read";
  const about = {
    job: "JOB-ID-UNKNOWN",
    repo: reads ? "REPO-READ-UNKNOWN" : "REPO-WRITE-UNKNOWN",
    ref: "OBS-REF-UNKNOWN",
    key: "KEY-PATCH-UNKNOWN",
  };
  return [reads ? "KEY-WORKSPACE-GET" : "KEY-WORKSPACE", ...subject.map((one) => about[one]), "ERR-TYPE-NOTFOUND"];
}

/** A request that lists the data of a workspace. */
export interface Listing {
  operation: string;
  step: Step;
}

/** Every list of a workspace's data. */
export const foreignLists: readonly Listing[] = [
  ...["GET /api/repos", "GET /api/jobs", "GET /api/observations"].map((operation) => ({
    operation,
    step: { rest: operation, query: { limit: 200 }, allPages: true },
  })),
  ...["list_repositories", "list_jobs", "list_observations"].map((operation) => ({
    operation,
    step: { mcp: { tool: operation, arguments: {} } },
  })),
];

/** The same lists with each value of each parameter. */
export const narrowedLists: readonly Listing[] = [
  ...listValues(observationParameters).map(([name, value]) => ({
    operation: "GET /api/observations",
    step: { rest: "GET /api/observations", query: { [name]: value, limit: 200 }, allPages: true },
  })),
  ...listValues(observationParameters)
    .filter(([name]) => findToolStatement("list_observations").shownArguments?.includes(name))
    .map(([name, value]) => createListing("list_observations", { [name]: value })),
  createListing("list_observations", { search: OWNER_MARK_WORDS }),
  ...jobStatuses.map((status) => createListing("list_jobs", { status })),
];

function createListing(purpose: "list_observations" | "list_jobs", given: Record<string, string>): Listing {
  return { operation: purpose, step: { mcp: { tool: purpose, arguments: given } } };
}

function listValues(parameters: Readonly<Record<string, ListParameter>>): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, { values = [] }]) => values.map((value): [string, string] => [name, value]));
}
