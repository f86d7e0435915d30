import { contract } from "../contract/load.js";
import { routes } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";
import { type Call, readFields, readWord } from "./exchange.js";
import { setBounded } from "./memory.js";
import type { ClientReport, CoverageList } from "./report.js";

/** The routes, codes and transitions that a client has used or seen, and the last status of each job and observation. */
export interface Coverage {
  surfaces: Set<"rest" | "mcp">;
  codes: Set<string>;
  transitions: Set<string>;
  pages: Set<string>;
  routes: Set<string>;
  tools: Set<string>;
  jobs: Map<string, string>;
  observations: Map<string, string>;
  /** Observations that were seen with a fix PR. */
  fixPrs: Map<string, true>;
}

type Transition = (typeof contract.transitions)["job" | "observation"][number];

const triageActions = ["dismiss", "complete", "acknowledge", "fix", "reopen"];

/** The name of each transition, by resource, earlier status and event. */
const transitionNames = new Map(
  (["job", "observation"] as const).flatMap((kind) =>
    contract.transitions[kind].map((row: Transition): [string, string] => [
      `${kind} ${row.from} ${row.on}`,
      `${kind}: ${row.from ?? "(none)"} -> ${row.to} (${row.on})`,
    ]),
  ),
);
const codes = Object.entries(contract.errors).flatMap(([code, { clause }]) => (contract.clauses[clause].excluded ? [] : [code]));
const tools = Object.values(contract.tools);
const pagedLists = [
  ...Object.values(routes).flatMap(({ name, operation }) => (operation["x-list"] ? [name] : [])),
  ...tools.flatMap((tool) => ("cursor" in tool.arguments.properties ? [tool.name] : [])),
];

/** Returns the coverage of a client that has made no call. */
export function openCoverage(): Coverage {
  return {
    surfaces: new Set(),
    codes: new Set(),
    transitions: new Set(),
    pages: new Set(),
    routes: new Set(),
    tools: new Set(),
    jobs: new Map(),
    observations: new Map(),
    fixPrs: new Map(),
  };
}

/** Adds one call to the coverage. */
export function addCoverage(coverage: Coverage, call: Call): void {
  const { surface, code, route, operation, isTool, input, status, payload } = call;
  coverage.surfaces.add(surface);
  if (isTool) coverage.tools.add(operation);
  else if (route !== null) coverage.routes.add(route);
  if (code !== null) coverage.codes.add(code);
  if (status === null || status >= 300) return;
  if (input.cursor !== undefined) coverage.pages.add(operation);
  if (route !== null && call.exchange.method === "POST") coverAction(coverage, call, route);
  if (Array.isArray(payload.data)) for (const row of payload.data) coverRow(coverage, readFields(row), call);
  else coverRow(coverage, payload, call);
  const { observation } = payload;
  if (typeof observation === "object") coverRow(coverage, readFields(observation), call);
}

/** Returns the covered and the uncovered names of each kind. */
export function reportCoverage(coverage: Omit<Coverage, "jobs" | "observations" | "fixPrs">): ClientReport["coverage"] {
  return {
    surfaces: [...coverage.surfaces].sort(),
    error_codes: splitByCoverage(coverage.codes, codes),
    transitions: splitByCoverage(coverage.transitions, [...new Set(transitionNames.values())]),
    second_pages: splitByCoverage(coverage.pages, pagedLists),
    routes: splitByCoverage(coverage.routes, Object.keys(routes)),
    tools: splitByCoverage(
      coverage.tools,
      tools.map(({ name }) => name),
    ),
  };
}

function splitByCoverage(covered: ReadonlySet<string>, all: readonly string[]): CoverageList {
  const others = [...covered].filter((name) => !all.includes(name));
  return {
    covered: [...all.filter((name) => covered.has(name)), ...others],
    uncovered: all.filter((name) => !covered.has(name)),
  };
}

/** Adds the transition that the call itself caused. */
function coverAction(coverage: Coverage, { status, input, path, isTool }: Call, route: RouteName): void {
  const id = (name: string) => (isTool ? readWord(input[name]) : (path.split("/")[3] ?? ""));
  if (route.startsWith("POST /api/observations/")) {
    const on = route.slice(route.lastIndexOf("/") + 1);
    if (triageActions.includes(on)) addTransition(coverage, "observation", on === "reopen" ? "closed" : "new", on);
    if (on === "reopen") setBounded(coverage.observations, id("ref"), "new");
  } else if (route === "POST /api/jobs/{job_id}/retry" && status === 201) {
    addTransition(coverage, "job", coverage.jobs.get(id("job_id")) ?? "", "retry");
  } else if (route === "POST /api/jobs/{job_id}/cancel")
    addTransition(coverage, "job", coverage.jobs.get(id("job_id")) ?? "", "cancel");
  else if (route === "POST /api/repos/{owner}/{repo}/{branch}/jobs" && status === 201)
    addTransition(coverage, "job", "null", "submit");
}

function coverRow(coverage: Coverage, row: Readonly<Record<string, unknown>>, call: Call): void {
  const { id, ref, status } = row;
  if (typeof ref === "string") coverObservation(coverage, ref, row, call);
  else if (typeof id === "string" && typeof status === "string") {
    const before = coverage.jobs.get(id);
    if (before === status) return;
    setBounded(coverage.jobs, id, status);
    coverJob(coverage, before, status);
  }
}

/** Adds the transitions of a job between two reads. A job that was pending and is completed was running in between. */
function coverJob(coverage: Coverage, before: string | undefined, after: string): void {
  if (before === "pending" && ["running", "completed", "failed"].includes(after))
    addTransition(coverage, "job", "pending", "dispatch");
  if (before !== "pending" && before !== "running") return;
  if (after === "completed") addTransition(coverage, "job", "running", "succeed");
  if (after === "failed") addTransition(coverage, "job", "running", "fail");
}

function coverObservation(
  coverage: Coverage,
  ref: string,
  row: Readonly<Record<string, unknown>>,
  { path, operation, input }: Call,
): void {
  const isLane = path.endsWith("/fix-prs") || operation === "list_fix_prs";
  if (isLane) {
    if (row.status === "in_review" || row.status === "revising") setBounded(coverage.fixPrs, ref, true);
    return;
  }
  const { status, close_reason: reason } = row;
  if (typeof status !== "string") return;
  const before = coverage.observations.get(ref);
  if (status === "new" && input.status === "new" && coverage.fixPrs.delete(ref))
    addTransition(coverage, "observation", "new", "close-fix-pr");
  if (before === status) return;
  setBounded(coverage.observations, ref, status);
  if (before === "new" && reason === "fixed") addTransition(coverage, "observation", "new", "merge-fix-pr");
  if (before === "new" && reason === "expired") addTransition(coverage, "observation", "new", "expire");
  if (before === "closed" && status === "new") addTransition(coverage, "observation", "closed", "rediscover");
}

function addTransition(coverage: Coverage, kind: "job" | "observation", from: string, on: string): void {
  const name = transitionNames.get(`${kind} ${from} ${on}`);
  if (name !== undefined) coverage.transitions.add(name);
}
