import { type Check, isByChoice, type Verdict } from "../execute/check.js";
import { LONGER_DEADLINE } from "../execute/result.js";
import { describeUnseen, isContrastSeen } from "../execute/write-effects.js";
import type { Dimensions } from "../scenario/dimensions.js";
import type { Ledger } from "../scenario/lint.js";
import { findBlockingCheck } from "./blocking-check.js";
import { computeDimensionCoverage, type DimensionCoverage } from "./dimension-coverage.js";
import type { Evidence } from "./evidence.js";
import { type Explanations, findExplanations } from "./explanations.js";
import type { ScenarioEntry } from "./scenario-entry.js";

/** The verdict of one clause. `by`: ids of the checks that judged it, or of the scenarios that could not judge it. */
export interface ClauseVerdict {
  id: string;
  level: string;
  surface: readonly string[];
  verdict: Verdict;
  subjects: number;
  by: string[];
  reason?: string;
  /** The items that are missing to judge it: fields of the target file, and flags such as `--profile full`. */
  missing?: readonly string[];
  /** For each dimension of the clause, how many of its values were judged. */
  dimensions?: readonly DimensionCoverage[];
  /** The part of its statement that no check can observe. */
  unobservable?: string;
}

/** The parts of a suite on which verdicts depend. */
export interface VerdictRules {
  clauses: Ledger;
  coverage: { dimensions: Dimensions };
}

/** Verdicts by precedence. The verdict of a clause is the first of these among its outcomes. */
const VERDICT_ORDER = [
  "failed",
  "harness-error",
  "inconclusive",
  "passed",
  "not-observed",
  "not-applicable",
  "informational",
] as const;

/** The outcome of one check for a clause, or of a scenario without a check of it (`ofScenario`). */
interface ClauseOutcome {
  verdict: (typeof VERDICT_ORDER)[number];
  by: string;
  ofScenario?: true;
  subjects: number;
  reason?: string | undefined;
  basis?: Check["basis"] | undefined;
  missing?: ScenarioEntry["missing"];
  /** It is a pass whose contrast the run has not seen. */
  withoutContrast?: true;
}

/**
 * The contrasts that a run has seen. `isCut`: its deadline left scenarios out that might have shown more. `prevented`: for each
 * operation, why one of its requests did not succeed. `explanations`: the failed checks that show no second fault.
 */
interface SeenContrasts {
  served: ReadonlySet<string>;
  isCut: boolean;
  prevented: ReadonlyMap<string, string>;
  explanations: Explanations;
}

/** Returns the ids of the clauses that a run can test: stated or derived, binding for a server, and observable on a surface. */
export function listTestableClauses(ledger: Ledger, surface?: string): string[] {
  return Object.entries(ledger)
    .filter(([, { level, excluded }]) => (level === "stated" || level === "derived") && excluded === undefined)
    .filter(([, clause]) => (surface ? clause.surface.includes(surface) : clause.surface.some((name) => name !== "client")))
    .map(([id]) => id);
}

/**
 * Judges every claimed clause. A pass needs at least one subject. A refusal, and a read after a write, needs a contrast: a success or an effect of
 * the same operation, or a control. A claimed clause that was not judged is `not-observed`, or `not-applicable` if the target or the profile offers no means to judge it.
 */
export function judgeClauses(
  { clauses: ledger, coverage }: VerdictRules,
  claimed: readonly string[],
  { scenarios, checks, selection }: Pick<Evidence, "scenarios" | "checks"> & Partial<Pick<Evidence, "selection">>,
): ClauseVerdict[] {
  if (claimed.length === 0) return [];
  const untested = selection?.missing_shards ? "no scenario of the merged shards tests it" : "no scenario tests it";
  const served = new Set(scenarios.flatMap((line) => line.served ?? []));
  const isCut = scenarios.some(({ missing }) => missing?.includes(LONGER_DEADLINE));
  const explanations = findExplanations(checks);
  const seenContrasts: SeenContrasts = { served, isCut, prevented: mapPreventedClauses(checks), explanations };
  const fails = (check: Check, id: string) => check.verdict === "failed" && !explanations.get(check)?.clauses.has(id);
  const known = new Map<string, ClauseOutcome[]>();
  const checksOfScenario = grouped(checks, ({ scenario }) => [scenario]);
  for (const line of scenarios) {
    const ownChecks = checksOfScenario.get(line.scenario) ?? [];
    for (const id of line.proves)
      known.set(id, [...(known.get(id) ?? []), ...listScenarioOutcomes(line, ownChecks, id, seenContrasts)]);
  }
  const checksOfClause = grouped(checks, ({ clauses }) => new Set(clauses));
  return claimed.map((id) => {
    const { level = "open", surface = [], over, except, unobservable } = ledger[id] ?? {};
    const judging = (checksOfClause.get(id) ?? []).filter((check) => fails(check, id) || isPass(check, served));
    const judgedDimensions = computeDimensionCoverage({ surface, over, except }, coverage.dimensions, judging);
    return {
      ...{ id, level, surface, ...combine(known.get(id) ?? [], untested) },
      ...(judgedDimensions.length > 0 && { dimensions: judgedDimensions }),
      ...(unobservable !== undefined && { unobservable }),
    };
  });
}

/** Returns the checks of each name, in their order. */
function grouped(checks: readonly Check[], namesOf: (check: Check) => Iterable<string>): ReadonlyMap<string, readonly Check[]> {
  const groups = new Map<string, Check[]>();
  for (const check of checks)
    for (const name of namesOf(check)) {
      const group = groups.get(name);
      if (group) group.push(check);
      else groups.set(name, [check]);
    }
  return groups;
}

/** Returns the outcomes of one scenario for a clause that it claims. */
function listScenarioOutcomes(
  line: ScenarioEntry,
  checks: readonly Check[],
  id: string,
  seenContrasts: SeenContrasts,
): ClauseOutcome[] {
  const outcomes = checks
    .filter((check) => check.clauses.includes(id))
    .flatMap((check) => checkOutcomes(check, id, seenContrasts, findBlockingCheck(checks, check)));
  if (outcomes.length > 0) return outcomes;
  const common = { by: line.scenario, ofScenario: true, subjects: 0 } as const;
  return line.newer
    ? [{ ...common, verdict: "informational", reason: "only checks that are newer than the claimed edition judge it" }]
    : [{ ...common, verdict: judgeWithoutChecks(line), reason: line.reason, missing: line.missing }];
}

/** Returns the outcomes of a check. `blocking`: the check because of which it did not run, else the check itself. */
function checkOutcomes(check: Check, clause: string, seenContrasts: SeenContrasts, blocking: Check): ClauseOutcome[] {
  const { id, verdict, subjects, reason, actual } = check;
  const { basis } = blocking;
  const explanation = seenContrasts.explanations.get(check);
  switch (verdict) {
    case "passed":
      if (subjects === 0) return [{ verdict: "inconclusive", by: id, subjects, reason: "nothing was judged" }];
      return [
        isPass(check, seenContrasts.served) ? { verdict, by: id, subjects, basis } : judgeWithoutContrast(check, seenContrasts),
      ];
    case "failed":
      if (explanation?.clauses.has(clause))
        return [
          { verdict: "inconclusive", by: id, subjects: 0, reason: `the failure of ${explanation.by.id} explains this one` },
        ];
      return [{ verdict, by: id, subjects, reason: actual }];
    case "inconclusive":
    case "not-observed":
      if (isLegalRefusal(blocking, seenContrasts)) return [outcomeOfRefusal(id, blocking)];
      return [{ verdict, by: id, subjects: 0, reason, basis }];
    case "harness-error":
      return [{ verdict, by: id, subjects: 0, reason, basis }];
    case "not-applicable":
    case "informational":
    case "warned":
    case "waived":
    case "stale-waiver":
      return [];
    default:
      return verdict satisfies never;
  }
}

/** The item that a clause lacks if a legal choice of the server left its checks open. */
export const OTHER_CHOICE_REASON = "another legal choice of the server";

/**
 * Returns whether a legal refusal left a check open. A server that never serves the operation may refuse every request, which is
 * not a choice.
 */
function isLegalRefusal({ basis, operation }: Check, { served }: SeenContrasts): boolean {
  return basis === "refusal" && operation !== undefined && served.has(operation);
}

/** Returns the outcome of a check that a legal refusal left open: the server offers no means to judge it. */
function outcomeOfRefusal(by: string, { reason, basis }: Check): ClauseOutcome {
  return { verdict: "not-applicable", by, subjects: 0, reason, basis, missing: [OTHER_CHOICE_REASON] };
}

/** Returns whether a check is a pass that counts: beside a control, or if the run has seen its contrasts. */
function isPass({ verdict, contrasts = [], basis }: Check, served: ReadonlySet<string>): boolean {
  return verdict === "passed" && (basis === "control" || contrasts.every((contrast) => isContrastSeen(contrast, served)));
}

/** Returns for each operation why its requests did not succeed: the most frequent reason of its checks that prove nothing. */
function mapPreventedClauses(checks: readonly Check[]): Map<string, string> {
  const reasons = new Map<string, Map<string, number>>();
  for (const check of checks) {
    const { operation, verdict } = check;
    if (operation === undefined || (verdict !== "inconclusive" && verdict !== "not-observed")) continue;
    const { reason } = findBlockingCheck(checks, check);
    if (reason === undefined) continue;
    const counts = reasons.get(operation) ?? new Map<string, number>();
    reasons.set(operation, counts.set(reason, (counts.get(reason) ?? 0) + 1));
  }
  const mostFrequent = (counts: Map<string, number>) => [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
  return new Map([...reasons].map(([operation, counts]) => [operation, mostFrequent(counts)]));
}

/** Returns the outcome of a pass that does not count. A scenario that the deadline left out might have shown its contrast. */
function judgeWithoutContrast({ id, contrasts = [] }: Check, { served, isCut, prevented }: SeenContrasts): ClauseOutcome {
  const [unseen = ""] = contrasts.filter((contrast) => !isContrastSeen(contrast, served));
  const cause = prevented.get(unseen);
  const reason = `the answer is as expected, but ${describeUnseen(unseen)}${cause === undefined ? "" : `. One of them: ${cause}`}`;
  const outcome = { by: id, subjects: 0, reason, withoutContrast: true } as const;
  return isCut ? { ...outcome, verdict: "not-applicable", missing: [LONGER_DEADLINE] } : { ...outcome, verdict: "inconclusive" };
}

/** Returns the outcome of a scenario without a check of the clause. */
function judgeWithoutChecks({ verdict, missing }: ScenarioEntry): ClauseOutcome["verdict"] {
  if (verdict === "not-applicable" && !missing) return "not-observed"; // the means are named, but do not work
  return verdict === "harness-error" || verdict === "not-applicable" || verdict === "inconclusive" ? verdict : "not-observed";
}

/**
 * Returns the outcomes that count. Beside a pass, neither a pass without a contrast counts nor a check that a legal choice of the server left
 * unjudged; nor does the latter beside a scenario that the deadline left out and that might have passed. If the control of a pass matched, no check
 * counts that any response made inconclusive.
 */
function listCountedOutcomes(outcomes: readonly ClauseOutcome[]): readonly ClauseOutcome[] {
  const passes = outcomes.filter(({ verdict }) => verdict === "passed");
  const isCut = outcomes.some(({ missing }) => missing?.includes(LONGER_DEADLINE));
  if (passes.length === 0 && !isCut) return outcomes;
  const isShown = passes.some(({ basis }) => basis === "control");
  return outcomes.filter(({ verdict, basis, withoutContrast }) => {
    if (withoutContrast) return isCut && passes.length === 0;
    if (verdict !== "inconclusive" && verdict !== "not-observed") return true;
    return !isByChoice({ basis }) && !(isShown && basis === "answer");
  });
}

function combine(
  all: readonly ClauseOutcome[],
  untested: string,
): Omit<ClauseVerdict, "id" | "level" | "surface" | "dimensions" | "unobservable"> {
  const outcomes = listCountedOutcomes(all);
  const verdict = VERDICT_ORDER.find((candidate) => outcomes.some((each) => each.verdict === candidate));
  if (verdict === undefined) return { verdict: "not-observed", subjects: 0, by: [], reason: untested };
  const deciding = outcomes.filter((each) => each.verdict === verdict);
  const [first] = deciding.toSorted(
    (clauseOutcome, other) => (clauseOutcome.missing?.length ?? 0) - (other.missing?.length ?? 0),
  );
  const { reason, missing } = first ?? {};
  return {
    verdict: verdict === "not-observed" && outcomes.some(isAfterFailedStep) ? "inconclusive" : verdict,
    subjects: outcomes.reduce((sum, { subjects }) => sum + subjects, 0),
    by: deciding.map(({ by }) => by),
    ...(reason !== undefined && { reason }),
    ...(missing && { missing }),
  };
}

/** Returns whether a check did not run because an earlier step ended its scenario. */
function isAfterFailedStep({ verdict, ofScenario }: ClauseOutcome): boolean {
  return verdict === "not-observed" && !ofScenario;
}
