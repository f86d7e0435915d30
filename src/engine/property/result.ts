import { type Check, type Outcome, passed, type Verdict } from "../execute/check.js";
import type { ScenarioResult } from "../execute/result.js";
import { headOf } from "../scenario/compile.js";
import type { Counterexample } from "./counterexample.js";
import type { Coverage } from "./coverage.js";
import { type PassedClauses, passedChecks } from "./passed-clauses.js";
import type { Property } from "./property.js";
import { replayTokenOf, yamlOf } from "./replay-token.js";

/** One property of a report. */
export interface PropertyEntry {
  id: string;
  title: string;
  /** Cases that were judged. */
  runs: number;
  /** Cases that said nothing. */
  inconclusive: number;
  /** Cases that were not drawn, as the run ended. */
  not_run?: number;
  seed: number;
  verdict: Verdict;
  reason?: string;
  /** The counterexample as a scenario file. */
  counterexample?: string;
  /** The same as one word for `counterpart replay`. */
  replay?: string;
  /** Points of the contract reached, kind -> name -> visits. */
  coverage?: Record<string, Record<string, number>>;
}

/** A property that was checked: its line, and the same as one scenario, so that it is judged and reported like any other. */
export interface PropertyResult {
  line: PropertyEntry;
  scenario: ScenarioResult;
}

/** Whether a scenario of a report is one of its properties. */
export function isPropertyScenario({ properties }: { properties: readonly PropertyEntry[] }, scenario: string): boolean {
  return properties.some(({ id }) => scenario === `property:${id}`);
}

/** Whether a property has cases left that were not drawn, as its run ended. */
export function isIncomplete({ not_run: notRun = 0 }: PropertyEntry): boolean {
  return notRun > 0;
}

/** How much the cases of a property came to. */
export interface CaseCounts {
  /** Cases that were judged. */
  runs: number;
  /** Answers and rows that they judged. */
  subjects: number;
  inconclusive: number;
  requests: number;
  /** Cases not drawn. */
  notRun: number;
  /** Clauses that the cases have judged and found kept. */
  passedClauses: PassedClauses;
}

/** What a property came to. Without counts nothing was run. */
interface PropertyVerdict {
  verdict: Verdict;
  why?: string;
  /** Left out by the run's profile. */
  outside?: true;
  counts?: CaseCounts;
  coverage?: Coverage;
  counterexample?: Counterexample;
}

/** Puts in a report what a property came to. It convicts the clauses that its counterexample breaks, and acquits those that its cases say they have judged. */
export function propertyResult({ id, title }: Property, seed: number, found: PropertyVerdict): PropertyResult {
  const { verdict, why, outside, counts, coverage, counterexample } = found;
  const name = `property:${id}`;
  const points = coverage?.toJSON() ?? {};
  const replay = counterexample && { replay: replayTokenOf(counterexample.text) };
  const reason = why !== undefined && { reason: why };
  const clauses = verdict === "failed" ? (counterexample?.text.proves ?? []) : [];
  const place = { id: `${name}/cases`, scenario: name, step: "cases", clauses, file: name, line: 1 };
  const { runs = 0, inconclusive = 0, requests = 0, notRun = 0, passedClauses = new Map() } = counts ?? {};
  const passedOnes = passedChecks(passedClauses, name);
  return {
    line: {
      ...{ id, title, runs, inconclusive },
      ...(notRun > 0 && verdict !== "failed" && { not_run: notRun }),
      ...{ seed, verdict },
      ...reason,
      ...(counterexample && { counterexample: yamlOf(counterexample.text) }),
      ...replay,
      ...(Object.keys(points).length > 0 && { coverage: points }),
    },
    scenario: {
      scenario: headOf({ scenario: name, title, proves: [...clauses, ...passedClauses.keys()], steps: [] }),
      verdict,
      ...reason,
      ...(outside && { outside }),
      requests,
      checks: counts ? [{ ...place, ...outcomeOf(found, counts), ...replay }, ...passedOnes] : [],
    },
  };
}

/** What a failing check shows of the exchange. */
export function failureDetails(
  failing: Check | undefined,
): Pick<Check, "expected" | "actual" | "curl" | "mismatches" | "asks" | "exchanges"> {
  const { expected, actual, curl, mismatches, asks, exchanges } = failing ?? {};
  return {
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(curl !== undefined && { curl }),
    ...(mismatches && { mismatches }),
    ...(asks !== undefined && { asks }),
    ...(exchanges && { exchanges }),
  };
}

function outcomeOf({ verdict, why = "", counterexample }: PropertyVerdict, { runs, subjects }: CaseCounts): Outcome {
  if (verdict === "passed") return passed(subjects);
  if (verdict !== "failed") return { verdict, subjects: 0, reason: why };
  const shown = failureDetails(counterexample?.confirmed);
  return { expected: "an answer that the contract allows", actual: why, ...shown, verdict, subjects: runs };
}
