import type { Coverage } from "../property/coverage.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyJson, type WireResponse } from "../wire/exchange.js";
import { everythingSaid, isRefusal, readRpc } from "../wire/mcp.js";
import { type Ask, callOf, refuses } from "./ask.js";
import { DEAD, TRESPASSERS } from "./callers.js";
import { IN_FLIGHT } from "./passing.js";
import { FILTER_POINTS } from "./points.js";
import type { ObservationState, States } from "./states.js";
import { workOf } from "./submissions.js";

/** What was known on both sides of a request, and its answer. */
interface Seen {
  before: States;
  after: States;
  answer: WireResponse;
}

/** Counts the points of the contract that an answered request has reached. */
export function reachAfter(coverage: Coverage, ask: Ask, { before, after, answer }: Seen): void {
  const call = callOf(ask);
  coverage.reach(call.kind, call.name);
  reachCode(coverage, answer);
  if (refuses(ask, answer)) for (const name of refusalsOf(before, ask)) coverage.reach("refusals", name);
  reachFilters(coverage, ask);
  const verb = ask.what.split("/").at(-1) ?? "";
  const point = ask.flaw === undefined && ask.as === "full";
  if (point && (verb === "cancel" || verb === "retry")) reachJob(coverage, ask, verb, before);
  if (ask.what === "GET /api/jobs/{job_id}") reachMoves(coverage, ask, before, after);
  if (point && ask.what === "POST /api/repos/{owner}/{repo}/{branch}/jobs" && !refuses(ask, answer))
    reachSubmission(coverage, ask, before);
  const state = ask.ref === undefined ? undefined : before.observations[ask.ref]?.possible;
  if (point && state?.length === 1 && ["dismiss", "complete", "acknowledge", "reopen", "fix"].includes(verb))
    coverage.reach("observation transitions", `${nameOf(state[0] as ObservationState)}: ${verb}`);
}

/** The conditions that may have refused a request, by their names in the books. */
function refusalsOf(before: States, { as, by, what, with: body }: Ask): string[] {
  const key = before.keys[as];
  const paid = what.endsWith("/jobs") || what.endsWith("/retry") || what.endsWith("/fix");
  const surface = by === "rest" ? "over rest" : "over tools";
  const conditions: Record<string, boolean> = {
    [`${as} ${surface}`]: TRESPASSERS.includes(as),
    [as]: as in DEAD,
    "a workflow that the plan leaves out": as === "free" && body?.workflow !== undefined,
    "no credit": before.broke && paid,
    "spending paused": before.paused && paid,
    unverified: before.unverified && what === "POST /api/repos",
    "suspended workspace": before.suspended && as === "full",
    "too many keys": before.room.keys === 0 && !before.keysEnded && what === "POST /api/keys",
    "a key that was revoked": key?.live === false && key.expires > before.now,
    "a key that has ended": key !== undefined && key.expires <= before.now,
    "a key managing keys": as === "full" && / .*\/keys/.test(what),
    "a scope too few": (key?.live === true && by === "tool") || as === "viewer",
  };
  return Object.keys(conditions).filter((name) => conditions[name]);
}

/** Counts the code of a refusal, on REST and in what a tool says. */
export function reachCode(coverage: Coverage, answer: WireResponse): void {
  const body = bodyJson(answer);
  const direct = body.ok && isRecord(body.value) && isRecord(body.value.error) ? body.value.error.code : undefined;
  const rpc = readRpc(answer);
  const [, said] = rpc.ok && isRefusal(answer) ? (/"code":\s*"([a-z_]+)"/.exec(everythingSaid(rpc.result)) ?? []) : [];
  const code = typeof direct === "string" ? direct : said;
  if (code !== undefined) coverage.reach("error codes", code);
}

/** The name of an observation's state in the books. */
export function nameOf({ status, reason }: ObservationState): string {
  return status === "new" ? "new" : (reason ?? "closed");
}

function reachFilters(coverage: Coverage, { query = {}, what, flaw }: Ask): void {
  if (flaw !== undefined || !/GET .*\/(observations|jobs)$/.test(what)) return;
  for (const [name, value] of Object.entries(query)) {
    const point = FILTER_POINTS.find((one) => one === `${name}=${value}` || one === name);
    if (point) coverage.reach("filters", point);
  }
}

function reachJob(coverage: Coverage, { job: name }: Ask, verb: string, before: States): void {
  const job = name === undefined ? undefined : before.jobs[name];
  const [status, ...others] = job?.possible ?? [];
  if (!job || status === undefined || others.length > 0) return;
  coverage.reach("job transitions", `${status}: ${verb}`);
  const child = job.child === undefined ? undefined : before.jobs[job.child]?.possible;
  if (verb !== "retry" || child?.length !== 1) return;
  const inFlight = child.every((one) => IN_FLIGHT.includes(one));
  coverage.reach("job transitions", inFlight ? "retry while one is in flight" : "retry when the last has ended");
}

function reachMoves(coverage: Coverage, { job: name }: Ask, before: States, after: States): void {
  if (name === undefined) return;
  const was = before.jobs[name]?.possible ?? [];
  const is = after.jobs[name]?.possible ?? [];
  const [ended] = was;
  if (was.length === 1 && ended !== undefined && !IN_FLIGHT.includes(ended)) coverage.reach("job transitions", `${ended}: stays`);
  if (was.includes("pending") && is.join() === "running") coverage.reach("job transitions", "pending: dispatch");
  if (was.includes("running") && is.join() === "completed") coverage.reach("job transitions", "running: succeed");
  if (was.includes("running") && is.join() === "failed") coverage.reach("job transitions", "running: fail");
}

function reachSubmission(coverage: Coverage, ask: Ask, before: States): void {
  coverage.reach("job transitions", "submit");
  const key = ask.headers?.["idempotency-key"];
  if (key !== undefined && before.keyed[key]?.work === workOf(before, ask))
    coverage.reach("job transitions", "submit with a known key");
  const work = workOf(before, ask);
  const jobs = Object.values(before.jobs);
  for (const { work: other, possible, recent } of jobs) {
    if (other === work && possible.every((status) => IN_FLIGHT.includes(status)))
      coverage.reach("job transitions", "submit while in flight");
    if (other === work && recent && possible.join() === "completed")
      coverage.reach("job transitions", ask.query?.force === "true" ? "submit when completed, forced" : "submit when completed");
    if (other !== work && possible.every((status) => IN_FLIGHT.includes(status)) && sameButCommit(other, work))
      coverage.reach("job transitions", "submit on another commit");
  }
}

function sameButCommit(a: string, b: string): boolean {
  return a.replace(/,[0-9]+\]$/, "") === b.replace(/,[0-9]+\]$/, "");
}
