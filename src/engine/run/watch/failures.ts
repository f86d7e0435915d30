import type { Check, Verdict } from "../../execute/check.js";
import { nameOfCounterexample } from "../../property/counterexample.js";
import type { Report } from "../../report/report.js";

/** One thing that fails. */
export interface FailingCheck {
  /** The check, or the property that its counterexample stands for. */
  id: string;
  clauses: readonly string[];
  /** What should have come and what came. */
  what: string;
  /** Of what is not as expected as much as stays the same from play to play. */
  kind: string;
}

/** What fails, by the scenario that is played to see it again: a counterexample stands for its property. */
export type Failures = ReadonlyMap<string, readonly FailingCheck[]>;

/** What a round has changed: lines to be read, and what fails now. */
export interface Change {
  lines: string[];
  failures: Failures;
}

const LONGEST = 160;
/** What a scenario may come to and be done with; a counterexample of what is mended may say nothing any more. */
const DONE: ReadonlySet<Verdict> = new Set<Verdict>(["passed", "warned", "informational", "waived"]);
const DONE_WITH_PROPERTY: ReadonlySet<Verdict> = new Set<Verdict>([...DONE, "inconclusive"]);

/** What failed in a report, be it of the whole or of a round. */
export function failuresIn({ checks, properties }: Pick<Report, "checks" | "properties">): Failures {
  const shown = new Map(
    properties.map(({ id, counterexample }) => [`property:${id}`, counterexample && nameOfCounterexample(id)]),
  );
  const failures = new Map<string, FailingCheck[]>();
  for (const check of checks.filter(({ verdict }) => verdict === "failed")) {
    const scenario = shown.get(check.scenario) ?? check.scenario;
    failures.set(scenario, [...(failures.get(scenario) ?? []), failingCheck(check)]);
  }
  return failures;
}

/** How many checks fail. */
export function countFailures(failures: Failures): number {
  return [...failures.values()].flat().length;
}

/** Compares what failed before with what a round of the same scenarios came to. What cannot be told goes on failing. */
export function compareFailures(before: Failures, round: Pick<Report, "checks" | "properties" | "scenarios">): Change {
  const now = failuresIn(round);
  const lines: string[] = [];
  const failures = new Map<string, readonly FailingCheck[]>();
  for (const [scenario, failing] of before) {
    const { verdict = "not-observed" } = round.scenarios.find((line) => line.scenario === scenario) ?? {};
    const failingNow = now.get(scenario) ?? [];
    const isDone = (propertyOf(scenario) === undefined ? DONE : DONE_WITH_PROPERTY).has(verdict);
    const passing = failing.filter(
      ({ id }) => isDone || round.checks.some((check) => nameOf(check) === id && check.verdict === "passed"),
    );
    lines.push(...passing.map(({ id, clauses }) => `passes now: ${id}${inBrackets(clauses)}`));
    for (const { id, clauses, what, kind } of failingNow) {
      const known = failing.find((one) => one.id === id);
      if (known?.kind !== kind) lines.push(`fails ${known ? "otherwise" : "now"}: ${id}${inBrackets(clauses)}: ${what}`);
    }
    if (failingNow.length > 0) failures.set(scenario, failingNow);
    else if (!isDone) failures.set(scenario, failing);
  }
  return { lines, failures };
}

function failingCheck(check: Check): FailingCheck {
  const { clauses, expected = "", actual = "", mismatches = [] } = check;
  const [what, kind] = [
    `${expected}, came ${actual}`,
    mismatches.map(({ at, expected: wanted }) => `${at}: ${wanted}`).join("; "),
  ];
  const status = mismatches.find(({ at }) => at === "status")?.actual ?? "";
  return {
    id: nameOf(check),
    clauses,
    what: what.length > LONGEST ? `${what.slice(0, LONGEST - 1)}…` : what,
    kind: `${kind} ${status}`,
  };
}

/** A property fails or passes as a whole, and so does its counterexample. */
function nameOf({ id, scenario }: Check): string {
  const property = propertyOf(scenario);
  return property === undefined ? id : `property:${property}`;
}

/** The property that a scenario is, or is a counterexample of. */
function propertyOf(scenario: string): string | undefined {
  return /^(?:property:|found-)(.+)$/.exec(scenario)?.[1];
}

function inBrackets(clauses: readonly string[]): string {
  return clauses.length === 0 ? "" : ` (${clauses.join(", ")})`;
}
