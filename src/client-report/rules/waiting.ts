import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import { type Call, fingerprint, readFields } from "../exchange.js";
import { computeTimeSince, createMoment, isSameClient, type Memory, setBounded, type Wait } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";

/** A timer may fire this many milliseconds early. */
const timerToleranceMs = 100;
/** A repetition within this many milliseconds counts as immediate. */
const atOnceMs = 50;

/** This many polls in a row without a pause are a loop. */
const maxHastyPolls = 4;
/** A Date header has whole seconds. In milliseconds. */
const maxDriftMs = 1500;
/** The operations that show jobs: one job, or lists of them. */
const jobReads = new Set(["GET /api/jobs/{job_id}", "GET /api/jobs", "GET /api/repos/{owner}/{repo}/{branch}/jobs"]);
const jobTools = new Set<string>([contract.tools.job_status.name, contract.tools.list_jobs.name]);

/** The rules about waiting: after a 429 or 503, and between polls. */
export const waitingRules: Rule[] = [
  {
    id: "retries-early",
    clauses: ["RETRY-AFTER-WAIT"],
    severity: "forbidden",
    message:
      "The client repeated a request before the `Retry-After` of its 429 had passed. Wait these seconds, then retry: an earlier retry is refused.",
    check: (call, memory) => checkSame(call, memory, 429),
    learn: learnWait,
  },
  {
    id: "retries-early-after-503",
    clauses: ["RETRY-AFTER-503-HONOUR"],
    severity: "forbidden",
    message: "The client repeated a request before the `Retry-After` of its 503 had passed. Wait these seconds, then retry.",
    check: (call, memory) => checkSame(call, memory, 503),
  },
  {
    id: "retries-without-backoff",
    clauses: ["RETRY-AFTER-503-HONOUR"],
    severity: "discouraged",
    message:
      "The client repeated a request at once, more than once, after a 503 without `Retry-After`. Wait longer after each attempt.",
    check: checkBackoff,
    learn: learnOutage,
  },
  {
    id: "crowds-limit",
    clauses: ["RETRY-AFTER-WAIT"],
    severity: "discouraged",
    message:
      "The client sent other requests under a limit before the `Retry-After` of its 429 had passed. Pause every request that the same limit counts.",
    check: checkOthers,
  },
  {
    id: "polls-without-pause",
    clauses: ["JOB-STATE-DISPATCH-TICK"],
    severity: "discouraged",
    message:
      "The client polled an unfinished job without a pause. The scheduler runs about every 30 s: wait some seconds between two polls.",
    check: checkPoll,
    learn: learnPoll,
  },
];

function checkSame(call: Call, memory: Memory, status: number): RuleResult {
  const { waits } = memory;
  if (waits.size === 0) return null;
  const wait = waits.get(fingerprint(call));
  if (!wait || wait.status !== status || !isSameClient(wait, call, memory)) return null;
  return isOver(wait, call) ? "passed" : { broken: formatWait(wait, call) };
}

function checkOthers(call: Call, memory: Memory): RuleResult {
  const { limitWaits } = memory;
  if (limitWaits.size === 0) return null;
  const wait = limitWaits.get(computeLimitName(call));
  if (!wait || isOver(wait, call) || !isSameClient(wait, call, memory) || wait.fingerprint === fingerprint(call)) return null;
  return { broken: formatWait(wait, call) };
}

function learnWait(call: Call, { waits, limitWaits }: Memory): void {
  const { status, retryAfter, exchange } = call;
  if (waits.size > 0) waits.delete(fingerprint(call));
  if ((status !== 429 && status !== 503) || retryAfter === null || exchange.skipsWait) return;
  const wait = createMoment(call, { seconds: retryAfter, status, fingerprint: fingerprint(call) });
  setBounded(waits, wait.fingerprint, wait);
  // a spend limit refuses a cheap workflow later than an expensive one
  if (status === 429 && call.code !== "rate_limit_budget") setBounded(limitWaits, computeLimitName(call), wait);
}

function checkBackoff(call: Call, memory: Memory): RuleResult {
  const { outages } = memory;
  if (outages.size === 0) return null;
  const outage = outages.get(fingerprint(call));
  if (!outage || !isSameClient(outage, call, memory)) return null;
  if (computeTimeSince(outage, call) >= atOnceMs) return "passed";
  return outage.hasty === 0
    ? null
    : { broken: `again after ${Math.round(computeTimeSince(outage, call))} ms, ${outage.hasty + 1} times in a row` };
}

function learnOutage(call: Call, { outages }: Memory): void {
  const { status, retryAfter, exchange } = call;
  const away = status === 503 && retryAfter === null && !exchange.skipsWait;
  if (!away && outages.size === 0) return;
  const name = fingerprint(call);
  const before = outages.get(name);
  const immediatePolls = before && computeTimeSince(before, call) < atOnceMs ? before.hasty + 1 : 0;
  if (away) setBounded(outages, name, createMoment(call, { hasty: immediatePolls }));
  else outages.delete(name);
}

function checkPoll(call: Call, memory: Memory): RuleResult {
  const { polls } = memory;
  if (polls.size === 0 || call.exchange.skipsPause) return null;
  const poll = polls.get(fingerprint(call));
  if (!poll || !isSameClient(poll, call, memory)) return null;
  if (computeTimeSince(poll, call) >= atOnceMs) return "passed";
  // a test can also move the clock of a server behind a proxy
  if (Math.abs(readServerTime(call) - poll.serverTime) > maxDriftMs) return null;
  // one finding for each series of polls
  return poll.hasty + 1 === maxHastyPolls
    ? { broken: `${maxHastyPolls + 1} polls in a row with less than ${atOnceMs} ms between two` }
    : null;
}

function learnPoll(call: Call, { polls }: Memory): void {
  const { route, status, payload, exchange } = call;
  const isPoll = (route !== null && jobReads.has(route)) || jobTools.has(call.operation);
  // a client that reads after its own write checks the effect, and is not polling
  if (!isPoll && polls.size > 0 && route !== null && !route.startsWith("GET ")) polls.clear();
  if (!isPoll || (polls.size === 0 && status !== 200)) return;
  const name = fingerprint(call);
  const before = polls.get(name);
  const isUnfinished =
    status === 200 && (Array.isArray(payload.data) ? payload.data.some(isUnfinishedJob) : isUnfinishedJob(payload));
  if (!isUnfinished || exchange.overridden) polls.delete(name);
  else {
    const isHasty = before !== undefined && computeTimeSince(before, call) < atOnceMs;
    setBounded(polls, name, createMoment(call, { serverTime: readServerTime(call), hasty: isHasty ? before.hasty + 1 : 0 }));
  }
}

function isUnfinishedJob(job: unknown): boolean {
  const { status } = readFields(job);
  return status === "pending" || status === "running";
}

/** Returns the time of the Date header in milliseconds; NaN without one. */
function readServerTime({ exchange: { responseHeaders } }: Call): number {
  const { date } = responseHeaders;
  return date === undefined ? Number.NaN : Date.parse(String(date));
}

/** Returns the limit that counts a refused request, as far as it is known: the bucket of its path, or its path alone. */
function computeLimitName({ surface, caller, route, operation }: Call): string {
  const limit = surface === "mcp" ? "tools" : ((route && routes[route].bucket) ?? operation);
  return `${caller} ${limit}`;
}

function isOver(wait: Wait, call: Call): boolean {
  return computeTimeSince(wait, call) >= wait.seconds * 1000 - timerToleranceMs;
}

function formatWait(wait: Wait, call: Call): string {
  const source = wait.number === null ? "an earlier answer" : `the answer to call ${wait.number}`;
  return `${source} required a wait of ${wait.seconds} s; the request came after ${(computeTimeSince(wait, call) / 1000).toFixed(1)} s`;
}
