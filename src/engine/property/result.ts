import { type Check, createPassedOutcome, type Outcome, type Verdict } from "../execute/check.js";
import type { ScenarioResult, SkipReason } from "../execute/result.js";
import { readHead } from "../scenario/compile.js";
import type { Counterexample } from "./counterexample.js";
import type { Coverage } from "./coverage.js";
import { createPassedChecks, type PassedClauses } from "./passed-clauses.js";
import type { Property } from "./property.js";
import { decodeYaml, encodeReplayToken } from "./replay-token.js";

/** A property in a report. */
export interface PropertyEntry {
  id: string;
  title: string;
  /** Cases that were judged. */
  runs: number;
  /** Cases that were inconclusive. */
  inconclusive: number;
  /** Cases that did not run because the run ended. */
  not_run?: number;
  seed: number;
  verdict: Verdict;
  reason?: string;
  /** The counterexample as the text of a scenario file. */
  counterexample?: string;
  /** The counterexample as a token for `counterpart replay`. */
  replay?: string;
  /** Visits of each point of the contract: kind -> name -> visits. */
  coverage?: Record<string, Record<string, number>>;
}

/** The result of a property: its entry in the report, and the same result as a scenario, so that it is judged like one. */
export interface PropertyResult {
  line: PropertyEntry;
  scenario: ScenarioResult;
}

/** Returns whether a scenario of a report is the result of a property. */
export function isPropertyScenario({ properties }: { properties: readonly PropertyEntry[] }, scenario: string): boolean {
  return properties.some(({ id }) => scenario === `property:${id}`);
}

/** Returns whether cases of a property did not run because the run ended. */
export function isIncomplete({ not_run: notRun = 0 }: PropertyEntry): boolean {
  return notRun > 0;
}

/** Counts over the cases of a property. */
export interface CaseCounts {
  /** Cases that were judged. */
  runs: number;
  /** Responses and rows that the cases judged. */
  subjects: number;
  inconclusive: number;
  requests: number;
  /** Cases that have not run. */
  notRun: number;
  /** Clauses that the cases judged as passed. */
  passedClauses: PassedClauses;
}

/** The verdict of a property. `counts` is absent if no case ran. */
interface PropertyVerdict {
  verdict: Verdict;
  why?: string;
  /** The reason that prevented every case. */
  skippedBy?: SkipReason["by"];
  /** The items that are missing to run all cases. */
  missing?: SkipReason["missing"];
  counts?: CaseCounts;
  coverage?: Coverage;
  counterexample?: Counterexample;
}

/**
 * Builds the result of a property. The clauses of its counterexample fail, and the clauses that its cases judged pass. A property
 * that was skipped names every clause that its cases can judge.
 */
export function createPropertyResult(
  { id, title, proves: judges }: Property,
  seed: number,
  propertyVerdict: PropertyVerdict,
): PropertyResult {
  const { verdict, why, skippedBy, missing, counts, coverage, counterexample } = propertyVerdict;
  const name = `property:${id}`;
  const points = coverage?.toJSON() ?? {};
  const replay = counterexample && { replay: encodeReplayToken(counterexample.text) };
  const reason = why !== undefined && { reason: why };
  const clauses = verdict === "failed" ? (counterexample?.text.proves ?? []) : [];
  const place = { id: `${name}/cases`, scenario: name, step: "cases", clauses, file: name, line: 1 };
  const { runs = 0, inconclusive = 0, requests = 0, notRun = 0, passedClauses = new Map() } = counts ?? {};
  const proves = skippedBy || missing ? [...judges] : [...clauses, ...passedClauses.keys()];
  const clauseChecks = createPassedChecks(passedClauses, name);
  return {
    line: {
      ...{ id, title, runs, inconclusive },
      ...(notRun > 0 && verdict !== "failed" && { not_run: notRun }),
      ...{ seed, verdict },
      ...reason,
      ...(counterexample && { counterexample: decodeYaml(counterexample.text) }),
      ...replay,
      ...(Object.keys(points).length > 0 && { coverage: points }),
    },
    scenario: {
      scenario: readHead({ scenario: name, title, proves, steps: [] }),
      verdict,
      ...reason,
      ...(skippedBy && { skippedBy }),
      ...(missing && { missing }),
      requests,
      checks: counts ? [{ ...place, ...createOutcome(propertyVerdict, counts), ...replay }, ...clauseChecks] : [],
    },
  };
}

/** Returns the fields of a failed check that describe the exchange. */
export function readFailureDetails(
  check: Check | undefined,
): Pick<Check, "expected" | "actual" | "curl" | "mismatches" | "operation" | "exchanges"> {
  const { expected, actual, curl, mismatches, operation, exchanges } = check ?? {};
  return {
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(curl !== undefined && { curl }),
    ...(mismatches && { mismatches }),
    ...(operation !== undefined && { operation }),
    ...(exchanges && { exchanges }),
  };
}

function createOutcome({ verdict, why = "", counterexample }: PropertyVerdict, { runs, subjects }: CaseCounts): Outcome {
  if (verdict === "passed") return createPassedOutcome(subjects);
  if (verdict !== "failed") return { verdict, subjects: 0, reason: why };
  const shown = readFailureDetails(counterexample?.confirmed);
  return { expected: "a response that the contract allows", actual: why, ...shown, verdict, subjects: runs };
}
