import { isDeepStrictEqual } from "node:util";
import type { Check } from "../execute/check.js";
import { RESULT_NAME } from "../execute/expect/response.js";
import type { ShownExchange } from "../execute/shown-steps.js";

/** For each failed check that other failed checks explain: one of them, and the clauses that the explained check does not fail. */
export type Explanations = ReadonlyMap<Check, { by: Check; clauses: ReadonlySet<string> }>;

/**
 * Returns which failed checks show no second fault. A later step of a scenario that repeats a request and fails by the same response fails no other
 * clause, if only reads lie between. A drawn case fails no other clause than a scenario that shows the same symptom of the same operation. If it
 * names several clauses, it fails those that a more precise check of the operation fails too.
 */
export function findExplanations(checks: readonly Check[]): Explanations {
  const failedChecks = checks.filter(({ verdict }) => verdict === "failed");
  return new Map(
    failedChecks.flatMap((check, index) => {
      const explainingChecks = isDrawn(check)
        ? failedChecks.filter((otherCheck) => explains(otherCheck, check))
        : failedChecks.slice(0, index).filter((earlierCheck) => isSameEvidence(earlierCheck, check));
      const [by] = explainingChecks;
      const failedClauses = new Set(explainingChecks.flatMap(({ clauses }) => clauses));
      const otherClauses = check.clauses.filter((id) => !failedClauses.has(id));
      return by && otherClauses.length > 0 ? [[check, { by, clauses: new Set(otherClauses) }] as const] : [];
    }),
  );
}

/** Returns whether a check is the counterexample of a property, which names every clause that the case may contradict. */
function isDrawn({ replay }: Check): boolean {
  return replay !== undefined;
}

/** Returns whether another failed check is more precise than a drawn one about the same fault. */
function explains(otherCheck: Check, drawnCheck: Check): boolean {
  const { clauses } = drawnCheck;
  if (otherCheck.operation === undefined || otherCheck.operation !== drawnCheck.operation) return false;
  const isPrecise = !isDrawn(otherCheck) || otherCheck.clauses.length === 1;
  const isAboutOne = clauses.length > 1 && otherCheck.clauses.some((id) => clauses.includes(id));
  return isPrecise && (isAboutOne || (!isDrawn(otherCheck) && hasSameSymptom(otherCheck, drawnCheck)));
}

/** Returns whether a drawn check has the symptom of another check: a refusal with the same wrong status, or the same wrong values. */
function hasSameSymptom({ mismatches = [] }: Check, drawnCheck: Check): boolean {
  const status = findJudgedExchange(drawnCheck)?.answer?.status ?? 0;
  return (status >= 400 && mismatches.some((mismatch) => mismatch.status === status)) || sharesMismatches(mismatches, drawnCheck);
}

/** Returns whether two checks of a scenario fail by the same response to a repeated request: a refusal, or the same wrong values. */
function isSameEvidence(earlierCheck: Check, check: Check): boolean {
  if (earlierCheck.scenario !== check.scenario || isDrawn(earlierCheck)) return false;
  const [earlier, later] = [findJudgedExchange(earlierCheck), findJudgedExchange(check)];
  if (!earlier || !later || !isRepeated(earlier, later, check)) return false;
  if (earlier.answer?.status !== later.answer?.status) return false;
  if (isRefused(earlierCheck) && isRefused(check)) return true; // each refusal has its own request id
  return earlier.answer?.body === later.answer?.body && sharesMismatches(earlierCheck.mismatches ?? [], check);
}

function isRefused({ mismatches = [] }: Check): boolean {
  return mismatches.some(({ refused, at }) => refused || at === RESULT_NAME);
}

/** Returns whether a check has only mismatches with the place and value of one of these. */
function sharesMismatches(known: NonNullable<Check["mismatches"]>, { mismatches = [] }: Check): boolean {
  return (
    mismatches.length > 0 && mismatches.every(({ at, actual }) => known.some((one) => one.at === at && one.actual === actual))
  );
}

/** Returns whether a check repeated an earlier request, by the same caller. Another caller, or a write between, may meet another fault. */
function isRepeated(earlier: ShownExchange, later: ShownExchange, { exchanges = [] }: Check): boolean {
  if (!isDeepStrictEqual(earlier.request, later.request)) return false;
  const between = exchanges.slice(exchanges.findLastIndex(({ step }) => step === earlier.step) + 1, -1);
  return between.every(
    (one) => "request" in one && (/^(GET|HEAD)$/.test(one.request.method) || isDeepStrictEqual(one.request, later.request)),
  );
}

/** Returns the exchange that a failed check judged: its last one. */
function findJudgedExchange({ exchanges = [] }: Check): ShownExchange | undefined {
  const last = exchanges.at(-1);
  return last && "request" in last ? last : undefined;
}
