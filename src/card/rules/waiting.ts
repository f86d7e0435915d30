import { routes } from "../../contract/routes.js";
import { type Act, fingerprint } from "../exchange.js";
import { keep, type Memory, maybeInFlight, momentOf, timeSince, type Wait } from "../memory.js";
import type { Finding, Rule } from "../rule.js";

/** A timer may be early by a little. In milliseconds. */
const slackMs = 100;
/** Whoever asks again sooner than this has not backed off. */
const atOnceMs = 50;

/** What a client does after it was told to wait. */
export const waitingRules: Rule[] = [
  {
    id: "retries-early",
    clauses: ["RETRY-AFTER-WAIT"],
    severity: "forbidden",
    says: "A request that was refused with 429 came again before its `Retry-After` had passed. Wait the seconds it names, then retry: until then it is refused again.",
    check: (act, memory) => checkSame(act, memory, 429),
    learn: learnWait,
  },
  {
    id: "retries-early-after-503",
    clauses: ["RETRY-AFTER-503-HONOUR"],
    severity: "forbidden",
    says: "A request that was answered with 503 came again before its `Retry-After` had passed. Wait the seconds it names, then retry.",
    check: (act, memory) => checkSame(act, memory, 503),
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
];

function checkSame(act: Act, memory: Memory, status: number): Finding {
  const { waits } = memory;
  if (waits.size === 0) return null;
  const wait = waits.get(fingerprint(act));
  if (!wait || wait.status !== status || maybeInFlight(wait, act, memory)) return null;
  return isOver(wait, act) ? "kept" : { broken: sayWait(wait, act) };
}

function checkOthers(act: Act, memory: Memory): Finding {
  const { crowds } = memory;
  if (crowds.size === 0) return null;
  const wait = crowds.get(limitOf(act));
  if (!wait || isOver(wait, act) || maybeInFlight(wait, act, memory) || wait.fingerprint === fingerprint(act)) return null;
  return { broken: sayWait(wait, act) };
}

function learnWait(act: Act, { waits, crowds }: Memory): void {
  const { status, retryAfter, exchange } = act;
  if (waits.size > 0) waits.delete(fingerprint(act));
  if ((status !== 429 && status !== 503) || retryAfter === null || exchange.skipsWait) return;
  const wait = { ...momentOf(act), seconds: retryAfter, status, fingerprint: fingerprint(act) };
  keep(waits, wait.fingerprint, wait);
  // a limit of money refuses one kind of work only when it is dear enough
  if (status === 429 && act.code !== "rate_limit_budget") keep(crowds, limitOf(act), wait);
}

function checkBackoff(act: Act, memory: Memory): Finding {
  const { outages } = memory;
  if (outages.size === 0) return null;
  const outage = outages.get(fingerprint(act));
  if (!outage || maybeInFlight(outage, act, memory)) return null;
  if (timeSince(outage, act) >= atOnceMs) return "kept";
  return outage.hasty === 0
    ? null
    : { broken: `again after ${Math.round(timeSince(outage, act))} ms, ${outage.hasty + 1} times running` };
}

function learnOutage(act: Act, { outages }: Memory): void {
  const { status, retryAfter, exchange } = act;
  const away = status === 503 && retryAfter === null && !exchange.skipsWait;
  if (!away && outages.size === 0) return;
  const name = fingerprint(act);
  const before = outages.get(name);
  const hasty = before && timeSince(before, act) < atOnceMs ? before.hasty + 1 : 0;
  if (away) keep(outages, name, { ...momentOf(act), hasty });
  else outages.delete(name);
}

/** What a refused request drew on, as far as it can be told: its path's bucket, or its path alone. */
function limitOf({ surface, caller, route, operation }: Act): string {
  const limit = surface === "mcp" ? "tools" : ((route && routes[route].bucket) ?? operation);
  return `${caller} ${limit}`;
}

function isOver(wait: Wait, act: Act): boolean {
  return timeSince(wait, act) >= wait.seconds * 1000 - slackMs;
}

function sayWait(wait: Wait, act: Act): string {
  const asked = wait.number === null ? "an earlier answer" : `the answer to call ${wait.number}`;
  return `${asked} said to wait ${wait.seconds} s; it came after ${(timeSince(wait, act) / 1000).toFixed(1)} s`;
}
