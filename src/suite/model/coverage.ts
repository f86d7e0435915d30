import { parseBodyJson, type WireResponse } from "../../engine/http/exchange.js";
import { readRpc, readToolResultText } from "../../engine/http/mcp.js";
import type { Coverage } from "../../engine/property/coverage.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isRefusal } from "../response-rules.js";
import { isInFlight, serviceTransitions } from "../statements/jobs.js";
import { findList } from "../statements/lists.js";
import { findTriageAction } from "../statements/observations.js";
import { findOperationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE, refusedCredentials } from "../statements/roles.js";
import { FILTER_POINTS } from "./coverage-points.js";
import { LIMITED_ROLES } from "./rules/callers.js";
import { hasUnknownCommit, nameWork, removeCommit } from "./rules/job-submissions.js";
import { isRefused, type ModelRequest, nameForCoverage } from "./rules/request.js";
import type { ObservationState, States } from "./rules/states.js";
import { isRecent } from "./rules/time.js";

/** The states before and after a request, and its response. */
interface Outcome {
  before: States;
  after: States;
  answer: WireResponse;
}

/** Counts the points of the contract that a request with a response has reached. */
export function coverRequest(coverage: Coverage, request: ModelRequest, { before, after, answer: response }: Outcome): void {
  const call = nameForCoverage(request);
  coverage.reach(call.kind, call.name);
  coverErrorCode(coverage, response);
  if (isRefused(request, response)) for (const name of listRefusals(before, request)) coverage.reach("refusals", name);
  coverFilters(coverage, request);
  const point = request.flaw === undefined && request.as === DEFAULT_ROLE;
  if (point && request.what === "POST /api/jobs/{job_id}/cancel") coverJob(coverage, request, "cancel", before);
  if (point && request.what === "POST /api/jobs/{job_id}/retry") coverJob(coverage, request, "retry", before);
  if (request.what === "GET /api/jobs/{job_id}") coverMoves(coverage, request, before, after);
  if (point && request.what === "POST /api/repos/{owner}/{repo}/{branch}/jobs" && !isRefused(request, response))
    coverSubmission(coverage, request, before);
  const state = request.ref === undefined ? undefined : before.observations[request.ref]?.possible;
  const act = request.what === "POST /api/observations/{ref}/fix" ? "fix" : findTriageAction(request.what);
  if (point && state?.length === 1 && act !== undefined)
    coverage.reach("observation transitions", `${nameState(state[0] as ObservationState)}: ${act}`);
}

/** Returns the conditions that may have refused a request, by their coverage names. */
function listRefusals(statesBefore: States, { as, by, what, with: body }: ModelRequest): string[] {
  const key = statesBefore.keys[as];
  const paid = findOperationStatement(what).effect === "paid" && what !== "POST /api/repos";
  const surface = by === "rest" ? "over rest" : "over tools";
  const conditions: Record<string, boolean> = {
    [`${as} ${surface}`]: LIMITED_ROLES.includes(as),
    [as]: as in refusedCredentials,
    "a workflow that the plan leaves out": as === "free" && body?.workflow !== undefined,
    "no credit": statesBefore.broke && paid,
    "spending paused": statesBefore.paused && paid,
    unverified: statesBefore.unverified && what === "POST /api/repos",
    "suspended workspace": statesBefore.suspended && as === DEFAULT_ROLE,
    "too many keys": statesBefore.room.keys === 0 && !statesBefore.keysEnded && what === "POST /api/keys",
    "a key that was revoked": key?.live === false && key.expires > statesBefore.now,
    "a key that has ended": key !== undefined && key.expires <= statesBefore.now,
    "a key managing keys": as === DEFAULT_ROLE && /^[^ ]* .*\/keys/.test(what),
    "a scope too few": (key?.live === true && by === "tool") || as === "viewer",
  };
  return Object.keys(conditions).filter((name) => conditions[name]);
}

/** Counts the error code of a refusal, by REST or by a tool. */
export function coverErrorCode(coverage: Coverage, response: WireResponse): void {
  const body = parseBodyJson(response);
  const restCode = body.ok && isRecord(body.value) && isRecord(body.value.error) ? body.value.error.code : undefined;
  const rpc = readRpc(response);
  const [, toolCode] = rpc.ok && isRefusal(response) ? (/"code":\s*"([a-z_]+)"/.exec(readToolResultText(rpc.result)) ?? []) : [];
  const code = typeof restCode === "string" ? restCode : toolCode;
  if (code !== undefined) coverage.reach("error codes", code);
}

/** Returns the coverage name of an observation's state. */
export function nameState({ status, reason }: ObservationState): string {
  return status === "new" ? "new" : (reason ?? "closed");
}

function coverFilters(coverage: Coverage, { query = {}, what, flaw }: ModelRequest): void {
  if (flaw !== undefined || !findList(what)) return;
  for (const [name, value] of Object.entries(query)) {
    const point = FILTER_POINTS.find((one) => one === `${name}=${value}` || one === name);
    if (point) coverage.reach("filters", point);
  }
}

function coverJob(coverage: Coverage, { job: name }: ModelRequest, trigger: "cancel" | "retry", statesBefore: States): void {
  const job = name === undefined ? undefined : statesBefore.jobs[name];
  const [status, ...others] = job?.possible ?? [];
  if (!job || status === undefined || others.length > 0) return;
  coverage.reach("job transitions", `${status}: ${trigger}`);
  const child = job.child === undefined ? undefined : statesBefore.jobs[job.child]?.possible;
  if (trigger !== "retry" || child?.length !== 1) return;
  const inFlight = child.every(isInFlight);
  coverage.reach("job transitions", inFlight ? "retry while one is in flight" : "retry after the last retry has ended");
}

function coverMoves(coverage: Coverage, { job: name }: ModelRequest, statesBefore: States, statesAfter: States): void {
  if (name === undefined) return;
  const was = statesBefore.jobs[name]?.possible ?? [];
  const is = statesAfter.jobs[name]?.possible ?? [];
  const [ended] = was;
  if (was.length === 1 && ended !== undefined && !isInFlight(ended)) coverage.reach("job transitions", `${ended}: stays`);
  for (const { from, on, to } of serviceTransitions)
    if (was.includes(from) && is.join() === to) coverage.reach("job transitions", `${from}: ${on}`);
}

function coverSubmission(coverage: Coverage, request: ModelRequest, statesBefore: States): void {
  coverage.reach("job transitions", "submit");
  const key = request.headers?.["idempotency-key"];
  const idempotencyRecord = key === undefined ? undefined : statesBefore.keyed[key];
  if (idempotencyRecord?.bound && idempotencyRecord.work === nameWork(statesBefore, request))
    coverage.reach("job transitions", "submit with a known key");
  const work = nameWork(statesBefore, request);
  const jobs = Object.values(statesBefore.jobs);
  for (const job of jobs) {
    const { work: other, possible } = job;
    if (other === work && possible.every(isInFlight)) coverage.reach("job transitions", "submit while in flight");
    if (other === work && isRecent(job, statesBefore) && possible.join() === "completed")
      coverage.reach(
        "job transitions",
        request.query?.force === "true" ? "submit when completed, forced" : "submit when completed",
      );
    if (other !== work && possible.every(isInFlight) && !hasUnknownCommit(job) && removeCommit(other) === removeCommit(work))
      coverage.reach("job transitions", "submit on another commit");
  }
}
