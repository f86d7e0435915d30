import { type Check, type Outcome, passed, type Verdict } from "../execute/check.js";
import type { ScenarioResult } from "../execute/result.js";
import { headOf } from "../scenario/compile.js";
import { type Acquittals, checksOf } from "./acquittals.js";
import type { Counterexample } from "./counterexample.js";
import type { Coverage } from "./coverage.js";
import type { Property } from "./property.js";
import { tokenOf, yamlOf } from "./token.js";

/** One property of a report. */
export interface PropertyLine {
  id: string;
  title: string;
  /** Cases that were judged. */
  runs: number;
  /** Cases that said nothing. */
  inconclusive: number;
  /** Cases that were not drawn, as the run ended. */
  left?: number;
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
  line: PropertyLine;
  scenario: ScenarioResult;
}

/** Whether a scenario of a report is one of its properties. */
export function isOfProperty({ properties }: { properties: readonly PropertyLine[] }, scenario: string): boolean {
  return properties.some(({ id }) => scenario === `property:${id}`);
}

/** Whether a property has cases left that were not drawn, as its run ended. */
export function isCut({ left = 0 }: PropertyLine): boolean {
  return left > 0;
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
  left: number;
  /** Clauses that the cases have judged and found kept. */
  acquittals: Acquittals;
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
  const replay = counterexample && { replay: tokenOf(counterexample.text) };
  const reason = why !== undefined && { reason: why };
  const clauses = verdict === "failed" ? (counterexample?.text.proves ?? []) : [];
  const place = { id: `${name}/cases`, scenario: name, step: "cases", clauses, file: name, line: 1 };
  const { runs = 0, inconclusive = 0, requests = 0, left = 0, acquittals = new Map() } = counts ?? {};
  const acquitting = checksOf(acquittals, name);
  return {
    line: {
      ...{ id, title, runs, inconclusive },
      ...(left > 0 && verdict !== "failed" && { left }),
      ...{ seed, verdict },
      ...reason,
      ...(counterexample && { counterexample: yamlOf(counterexample.text) }),
      ...replay,
      ...(Object.keys(points).length > 0 && { coverage: points }),
    },
    scenario: {
      scenario: headOf({ scenario: name, title, proves: [...clauses, ...acquittals.keys()], steps: [] }),
      verdict,
      ...reason,
      ...(outside && { outside }),
      requests,
      checks: counts ? [{ ...place, ...outcomeOf(found, counts), ...replay }, ...acquitting] : [],
    },
  };
}

/** What a failing check shows of the exchange. */
export function shownBy(
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
  const shown = shownBy(counterexample?.confirmed);
  return { expected: "an answer that the contract allows", actual: why, ...shown, verdict, subjects: runs };
}
