import { contract } from "../contract/load.js";
import { routes } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";
import { type Call, fieldsOf, wordOf } from "./exchange.js";
import { keep } from "./memory.js";
import type { ClientReport, Meetings } from "./report.js";

/** What a client has met, and what it saw last of each job and observation. */
export interface Sights {
  surfaces: Set<"rest" | "mcp">;
  codes: Set<string>;
  transitions: Set<string>;
  pages: Set<string>;
  routes: Set<string>;
  tools: Set<string>;
  jobs: Map<string, string>;
  observations: Map<string, string>;
  /** Observations that were seen with a fix PR. */
  lane: Map<string, true>;
}

type Transition = (typeof contract.transitions)["job" | "observation"][number];

const triage = ["dismiss", "complete", "acknowledge", "fix", "reopen"];

/** Every transition by the name of what moves and of what moves it. */
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
const pageable = [
  ...Object.values(routes).flatMap(({ name, operation }) => (operation["x-list"] ? [name] : [])),
  ...tools.flatMap((tool) => ("cursor" in tool.arguments.properties ? [tool.name] : [])),
];

/** Has met nothing yet. */
export function openSights(): Sights {
  return {
    surfaces: new Set(),
    codes: new Set(),
    transitions: new Set(),
    pages: new Set(),
    routes: new Set(),
    tools: new Set(),
    jobs: new Map(),
    observations: new Map(),
    lane: new Map(),
  };
}

/** Takes in what one call showed. */
export function look(sights: Sights, call: Call): void {
  const { surface, code, route, operation, isTool, input, status, payload } = call;
  sights.surfaces.add(surface);
  if (isTool) sights.tools.add(operation);
  else if (route !== null) sights.routes.add(route);
  if (code !== null) sights.codes.add(code);
  if (status === null || status >= 300) return;
  if (input.cursor !== undefined) sights.pages.add(operation);
  if (route !== null && call.exchange.method === "POST") lookAtDeed(sights, call, route);
  if (Array.isArray(payload.data)) for (const row of payload.data) lookAtRow(sights, fieldsOf(row), call);
  else lookAtRow(sights, payload, call);
  const { observation } = payload;
  if (typeof observation === "object") lookAtRow(sights, fieldsOf(observation), call);
}

/** What was met of all there is. */
export function meetingsOf(sights: Omit<Sights, "jobs" | "observations" | "lane">): ClientReport["met"] {
  return {
    surfaces: [...sights.surfaces].sort(),
    error_codes: split(sights.codes, codes),
    transitions: split(sights.transitions, [...new Set(transitionNames.values())]),
    second_pages: split(sights.pages, pageable),
    routes: split(sights.routes, Object.keys(routes)),
    tools: split(
      sights.tools,
      tools.map(({ name }) => name),
    ),
  };
}

function split(met: ReadonlySet<string>, all: readonly string[]): Meetings {
  const others = [...met].filter((name) => !all.includes(name));
  return { met: [...all.filter((name) => met.has(name)), ...others], unmet: all.filter((name) => !met.has(name)) };
}

/** What the client's own doing moved. */
function lookAtDeed(sights: Sights, { status, input, path, isTool }: Call, route: RouteName): void {
  const [, , , id = ""] = path.split("/");
  if (route.startsWith("POST /api/observations/")) {
    const on = route.slice(route.lastIndexOf("/") + 1);
    if (triage.includes(on)) move(sights, "observation", on === "reopen" ? "closed" : "new", on);
    const ref = isTool ? wordOf(input.ref) : id;
    if (on === "reopen") keep(sights.observations, ref, "new");
  } else if (route === "POST /api/jobs/{job_id}/retry" && status === 201) {
    move(sights, "job", sights.jobs.get(isTool ? wordOf(input.job_id) : id) ?? "", "retry");
  } else if (route === "POST /api/jobs/{job_id}/cancel") move(sights, "job", sights.jobs.get(id) ?? "", "cancel");
  else if (route === "POST /api/repos/{owner}/{repo}/{branch}/jobs" && status === 201) move(sights, "job", "null", "submit");
}

function lookAtRow(sights: Sights, row: Readonly<Record<string, unknown>>, call: Call): void {
  const { id, ref, status } = row;
  if (typeof ref === "string") lookAtObservation(sights, ref, row, call);
  else if (typeof id === "string" && typeof status === "string") {
    const before = sights.jobs.get(id);
    if (before === status) return;
    keep(sights.jobs, id, status);
    lookAtJob(sights, before, status);
  }
}

/** A job that was pending and is done has been running in between. */
function lookAtJob(sights: Sights, before: string | undefined, after: string): void {
  if (before === "pending" && ["running", "completed", "failed"].includes(after)) move(sights, "job", "pending", "dispatch");
  if (before !== "pending" && before !== "running") return;
  if (after === "completed") move(sights, "job", "running", "succeed");
  if (after === "failed") move(sights, "job", "running", "fail");
}

function lookAtObservation(
  sights: Sights,
  ref: string,
  row: Readonly<Record<string, unknown>>,
  { path, operation, input }: Call,
): void {
  const isLane = path.endsWith("/fix-prs") || operation === "list_fix_prs";
  if (isLane) {
    if (row.status === "in_review" || row.status === "revising") keep(sights.lane, ref, true);
    return;
  }
  const { status, close_reason: reason } = row;
  if (typeof status !== "string") return;
  const before = sights.observations.get(ref);
  if (status === "new" && input.status === "new" && sights.lane.delete(ref)) move(sights, "observation", "new", "close-fix-pr");
  if (before === status) return;
  keep(sights.observations, ref, status);
  if (before === "new" && reason === "fixed") move(sights, "observation", "new", "merge-fix-pr");
  if (before === "new" && reason === "expired") move(sights, "observation", "new", "expire");
  if (before === "closed" && status === "new") move(sights, "observation", "closed", "rediscover");
}

function move(sights: Sights, kind: "job" | "observation", from: string, on: string): void {
  const name = transitionNames.get(`${kind} ${from} ${on}`);
  if (name !== undefined) sights.transitions.add(name);
}
