import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import { type Call, fieldsOf, fingerprint } from "../exchange.js";
import { isSameClient, keep, type Memory, momentOf, timeSince, type Wait } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";

/** A timer may be early by a little. In milliseconds. */
const slackMs = 100;
/** Whoever asks again sooner than this has not backed off. */
const atOnceMs = 50;

/** So many polls in a row without a pause are a loop, and no accident. */
const mostHasty = 4;
/** A Date header has whole seconds. In milliseconds. */
const mostDrift = 1500;
/** The operations that show jobs: one job, or lists of them. */
const jobReads = new Set(["GET /api/jobs/{job_id}", "GET /api/jobs", "GET /api/repos/{owner}/{repo}/{branch}/jobs"]);
const jobTools = new Set<string>([contract.tools.job_status.name, contract.tools.list_jobs.name]);

/** What a client does after an answer that asks it to wait, or that shows that work is under way. */
export const waitingRules: Rule[] = [
  {
    id: "retries-early",
    clauses: ["RETRY-AFTER-WAIT"],
    severity: "forbidden",
    says: "A request that was refused with 429 came again before its `Retry-After` had passed. Wait the seconds it names, then retry: until then it is refused again.",
    check: (call, memory) => checkSame(call, memory, 429),
    learn: learnWait,
  },
  {
    id: "retries-early-after-503",
    clauses: ["RETRY-AFTER-503-HONOUR"],
    severity: "forbidden",
    says: "A request that was answered with 503 came again before its `Retry-After` had passed. Wait the seconds it names, then retry.",
    check: (call, memory) => checkSame(call, memory, 503),
  },
  {
    id: "retries-without-backoff",
    clauses: ["RETRY-AFTER-503-HONOUR"],
    severity: "discouraged",
    says: "A request that was answered with 503 without `Retry-After` came again at once, more than once. Back off on a schedule of your own: wait longer each time.",
    check: checkBackoff,
    learn: learnOutage,
  },
  {
    id: "crowds-limit",
    clauses: ["RETRY-AFTER-WAIT"],
    severity: "discouraged",
    says: "Other requests went on under a limit that had just refused one, before its `Retry-After` had passed. Hold back all that draws on the same limit, not only the request that was refused.",
    check: checkOthers,
  },
  {
    id: "polls-without-pause",
    clauses: ["JOB-STATE-DISPATCH-TICK"],
    severity: "discouraged",
    says: "A job that was not finished was asked for again and again without a pause. The scheduler comes about every 30 s: wait some seconds between two polls.",
    check: checkPoll,
    learn: learnPoll,
  },
];

function checkSame(call: Call, memory: Memory, status: number): RuleResult {
  const { waits } = memory;
  if (waits.size === 0) return null;
  const wait = waits.get(fingerprint(call));
  if (!wait || wait.status !== status || !isSameClient(wait, call, memory)) return null;
  return isOver(wait, call) ? "kept" : { broken: sayWait(wait, call) };
}

function checkOthers(call: Call, memory: Memory): RuleResult {
  const { crowds } = memory;
  if (crowds.size === 0) return null;
  const wait = crowds.get(limitOf(call));
  if (!wait || isOver(wait, call) || !isSameClient(wait, call, memory) || wait.fingerprint === fingerprint(call)) return null;
  return { broken: sayWait(wait, call) };
}

function learnWait(call: Call, { waits, crowds }: Memory): void {
  const { status, retryAfter, exchange } = call;
  if (waits.size > 0) waits.delete(fingerprint(call));
  if ((status !== 429 && status !== 503) || retryAfter === null || exchange.skipsWait) return;
  const wait = { ...momentOf(call), seconds: retryAfter, status, fingerprint: fingerprint(call) };
  keep(waits, wait.fingerprint, wait);
  // a limit of money refuses one kind of work only when it is dear enough
  if (status === 429 && call.code !== "rate_limit_budget") keep(crowds, limitOf(call), wait);
}

function checkBackoff(call: Call, memory: Memory): RuleResult {
  const { outages } = memory;
  if (outages.size === 0) return null;
  const outage = outages.get(fingerprint(call));
  if (!outage || !isSameClient(outage, call, memory)) return null;
  if (timeSince(outage, call) >= atOnceMs) return "kept";
  return outage.hasty === 0
    ? null
    : { broken: `again after ${Math.round(timeSince(outage, call))} ms, ${outage.hasty + 1} times running` };
}

function learnOutage(call: Call, { outages }: Memory): void {
  const { status, retryAfter, exchange } = call;
  const away = status === 503 && retryAfter === null && !exchange.skipsWait;
  if (!away && outages.size === 0) return;
  const name = fingerprint(call);
  const before = outages.get(name);
  const hasty = before && timeSince(before, call) < atOnceMs ? before.hasty + 1 : 0;
  if (away) keep(outages, name, { ...momentOf(call), hasty });
  else outages.delete(name);
}

function checkPoll(call: Call, memory: Memory): RuleResult {
  const { polls } = memory;
  if (polls.size === 0 || call.exchange.skipsPause) return null;
  const poll = polls.get(fingerprint(call));
  if (!poll || !isSameClient(poll, call, memory)) return null;
  if (timeSince(poll, call) >= atOnceMs) return "kept";
  // the clock of a server behind a proxy can be moved by hand as well
  if (Math.abs(serverTime(call) - poll.serverTime) > mostDrift) return null;
  // one finding for each row of hasty polls
  return poll.hasty + 1 === mostHasty
    ? { broken: `${mostHasty + 1} polls in a row with less than ${atOnceMs} ms between two` }
    : null;
}

function learnPoll(call: Call, { polls }: Memory): void {
  const { route, status, payload, exchange } = call;
  const isPoll = (route !== null && jobReads.has(route)) || jobTools.has(call.operation);
  // a client that reads again after a write looks for what the write did
  if (!isPoll && polls.size > 0 && route !== null && !route.startsWith("GET ")) polls.clear();
  if (!isPoll || (polls.size === 0 && status !== 200)) return;
  const name = fingerprint(call);
  const before = polls.get(name);
  const jobs = Array.isArray(payload.data) ? payload.data.map(fieldsOf) : [payload];
  const isUnfinished = status === 200 && jobs.some((job) => job.status === "pending" || job.status === "running");
  if (!isUnfinished || exchange.bent) polls.delete(name);
  else {
    const isHasty = before !== undefined && timeSince(before, call) < atOnceMs;
    keep(polls, name, { ...momentOf(call), serverTime: serverTime(call), hasty: isHasty ? before.hasty + 1 : 0 });
  }
}

/** The time that an answer names, in milliseconds; NaN when it names none. */
function serverTime({ exchange: { answerHeaders } }: Call): number {
  return Date.parse(String(answerHeaders.date));
}

/** What a refused request drew on, as far as it can be told: its path's bucket, or its path alone. */
function limitOf({ surface, caller, route, operation }: Call): string {
  const limit = surface === "mcp" ? "tools" : ((route && routes[route].bucket) ?? operation);
  return `${caller} ${limit}`;
}

function isOver(wait: Wait, call: Call): boolean {
  return timeSince(wait, call) >= wait.seconds * 1000 - slackMs;
}

function sayWait(wait: Wait, call: Call): string {
  const asked = wait.number === null ? "an earlier answer" : `the answer to call ${wait.number}`;
  return `${asked} said to wait ${wait.seconds} s; it came after ${(timeSince(wait, call) / 1000).toFixed(1)} s`;
}
