import type { Check, Verdict } from "../../execute/check.js";
import { formatPlace } from "../../execute/expect/match.js";
import { nameCounterexample } from "../../property/counterexample.js";
import type { Report } from "../../report/report.js";

/** One failing check. */
export interface FailingCheck {
  /** Id of the check, or of the property whose counterexample fails. */
  id: string;
  clauses: readonly string[];
  /** The expected and the actual answer. */
  what: string;
  /** The mismatches, without values that change from run to run. */
  kind: string;
}

/** Failing checks by the scenario that reproduces them. A property is reproduced by its counterexample. */
export type Failures = ReadonlyMap<string, readonly FailingCheck[]>;

/** The changes of one round: a line for each, and the checks that fail now. */
export interface RoundChange {
  lines: string[];
  failures: Failures;
}

const MAX_TEXT_CHARACTERS = 160;
/** Verdicts that end the repetition of a scenario. The counterexample of a property that passes now may be inconclusive. */
const PASSING_VERDICTS: ReadonlySet<Verdict> = new Set<Verdict>(["passed", "warned", "informational", "waived"]);
const PASSING_PROPERTY_VERDICTS: ReadonlySet<Verdict> = new Set<Verdict>([...PASSING_VERDICTS, "inconclusive"]);

/** Returns the failing checks of a report. */
export function collectFailures({ checks, properties }: Pick<Report, "checks" | "properties">): Failures {
  const shown = new Map(properties.map(({ id, counterexample }) => [`property:${id}`, counterexample && nameCounterexample(id)]));
  const failures = new Map<string, FailingCheck[]>();
  for (const check of checks.filter(({ verdict }) => verdict === "failed")) {
    const scenario = shown.get(check.scenario) ?? check.scenario;
    failures.set(scenario, [...(failures.get(scenario) ?? []), describeFailingCheck(check)]);
  }
  return failures;
}

/** Returns the number of failing checks. */
export function countFailures(failures: Failures): number {
  return [...failures.values()].flat().length;
}

/** Compares earlier failures with the report of a new round. A check without a clear result still counts as failing. */
export function compareFailures(
  failuresBefore: Failures,
  round: Pick<Report, "checks" | "properties" | "scenarios">,
): RoundChange {
  const now = collectFailures(round);
  const lines: string[] = [];
  const failures = new Map<string, readonly FailingCheck[]>();
  for (const [scenario, failing] of failuresBefore) {
    const { verdict = "not-observed" } = round.scenarios.find((line) => line.scenario === scenario) ?? {};
    const failingNow = now.get(scenario) ?? [];
    const isDone = (readPropertyId(scenario) === undefined ? PASSING_VERDICTS : PASSING_PROPERTY_VERDICTS).has(verdict);
    const passingChecks = failing.filter(
      ({ id }) => isDone || round.checks.some((check) => formatCheckName(check) === id && check.verdict === "passed"),
    );
    lines.push(...passingChecks.map(({ id, clauses }) => `passes now: ${id}${formatInBrackets(clauses)}`));
    for (const { id, clauses, what, kind } of failingNow) {
      const knownFailingCheck = failing.find((one) => one.id === id);
      if (knownFailingCheck?.kind !== kind)
        lines.push(`${knownFailingCheck ? "fails in another way" : "fails now"}: ${id}${formatInBrackets(clauses)}: ${what}`);
    }
    if (failingNow.length > 0) failures.set(scenario, failingNow);
    else if (!isDone) failures.set(scenario, failing);
  }
  return { lines, failures };
}

function describeFailingCheck(check: Check): FailingCheck {
  const { clauses, expected = "", actual = "", mismatches = [] } = check;
  const [what, kind] = [
    `expected ${expected}, got ${actual}`,
    mismatches.map((mismatch) => `${formatPlace(mismatch)}: ${mismatch.expected}`).join("; "),
  ];
  const { status = "" } = mismatches.find((mismatch) => mismatch.status !== undefined) ?? {};
  return {
    id: formatCheckName(check),
    clauses,
    what: what.length > MAX_TEXT_CHARACTERS ? `${what.slice(0, MAX_TEXT_CHARACTERS - 1)}…` : what,
    kind: `${kind} ${status}`,
  };
}

/** Returns the id of a check. All checks of a property and its counterexample share the id of the property. */
function formatCheckName({ id, scenario }: Check): string {
  const property = readPropertyId(scenario);
  return property === undefined ? id : `property:${property}`;
}

/** Returns the property of a scenario that is a property or its counterexample. */
function readPropertyId(scenario: string): string | undefined {
  return /^(?:property:|found-)(.+)$/.exec(scenario)?.[1];
}

function formatInBrackets(clauses: readonly string[]): string {
  return clauses.length === 0 ? "" : ` (${clauses.join(", ")})`;
}
