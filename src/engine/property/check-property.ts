import fc from "fast-check";
import type { Verdict } from "../execute/check.js";
import type { Run } from "../execute/run.js";
import type { Draft } from "../execute/scenarios.js";
import type { Step } from "../scenario/format.js";
import { meetsNeed } from "../target/needs.js";
import { type Counterexample, shrink } from "./counterexample.js";
import { type Coverage, openCoverage } from "./coverage.js";
import { addPassed, type PassedClauses, passedClausesIn } from "./passed-clauses.js";
import { type CaseOutcome, casesOf, type Failure, type Property, propertySkipReason } from "./property.js";
import { type CaseCounts, type PropertyResult, propertyResult } from "./result.js";
import { openSystemUnderTest } from "./system-under-test.js";

/** How a property is checked. */
export interface CheckParameters {
  /** How many cases; default: what the property asks for. */
  runs?: number | undefined;
  seed: number;
  /** When to stop, in wall-clock milliseconds. */
  deadline: number;
  /** A run against a server that keeps the contract and costs nothing, for shrinking; opened when it is needed. */
  sandbox?: (() => Promise<Run>) | undefined;
  /** Traces the execution that shows a counterexample to fail. */
  tracer?: Pick<Draft, "confirm"> | undefined;
  /** Called after every case. */
  onCase?: (id: string, done: number, of: number) => void;
}

/** Cases between two looks at the coverage, which later cases are drawn by. */
const BATCH = 20;
/** Cases in a row that judge nothing, as with a budget used up, after which more will not. */
const MOST_IDLE = 20;
/** Time a shrink may take. */
const SHRINK_MS = 20_000;

/** What the cases of one property came to so far. */
interface RunDetails extends CaseCounts {
  passedClauses: PassedClauses;
  /** Why a case said nothing, of the first that did. */
  why?: string;
  /** The smallest so far. */
  failure?: Failure;
  /** All steps of the case that has failed so. */
  played?: readonly Step[];
  /** A fault of ours. */
  fault?: string;
  /** When shrinking must end, in wall-clock milliseconds. */
  shrinkUntil: number;
}

/** One check of a property under way. */
interface PropertyCheck {
  run: Run;
  property: Property;
  parameters: CheckParameters;
  details: RunDetails;
  coverage: Coverage;
}

/**
 * Draws cases of a property and runs each on a system of its own, until one contradicts the contract, which is then shrunk and confirmed.
 * Goes on from an earlier check that was cut short.
 */
export async function checkProperty(
  run: Run,
  property: Property,
  parameters: CheckParameters,
  earlier?: PropertyResult,
): Promise<PropertyResult> {
  const { seed, sandbox, tracer } = parameters;
  const obstacle = propertySkipReason(property, run, run.suite.defaultRole);
  if (obstacle) {
    const { why, outside } = obstacle;
    return propertyResult(property, seed, { verdict: "not-applicable", why, ...(outside && { outside }) });
  }
  const coverage = openCoverage();
  const details = startDetails(casesOf(property, parameters.runs), coverage, earlier);
  await runBatches({ run, property, parameters, details, coverage });
  const { failure, played = [] } = details;
  if (!failure) return propertyResult(property, seed, { ...verdictOf(details), counts: details, coverage });
  const counterexample = await shrink(property.id, { failure, played }, { run, sandbox: await sandbox?.(), tracer });
  return propertyResult(property, seed, {
    ...verdictOfFailure(failure, counterexample),
    counts: details,
    coverage,
    counterexample,
  });
}

/** Nothing run yet, or what an earlier check had come to when it was cut short. */
function startDetails(wanted: number, coverage: Coverage, earlier: PropertyResult | undefined): RunDetails {
  const { runs = 0, inconclusive = 0, not_run: notRun = wanted, coverage: points = {} } = earlier?.line ?? {};
  for (const [kind, names] of Object.entries(points)) coverage.add(kind, names);
  const subjects = earlier?.scenario.checks[0]?.subjects ?? 0;
  const requests = earlier?.scenario.requests ?? 0;
  const passedClauses = passedClausesIn(earlier?.scenario.checks ?? []);
  return {
    runs,
    subjects,
    inconclusive,
    requests,
    passedClauses,
    notRun: Math.min(notRun, wanted),
    shrinkUntil: Number.POSITIVE_INFINITY,
  };
}

async function runBatches(check: PropertyCheck): Promise<void> {
  const { property, parameters, details } = check;
  const wanted = casesOf(property, parameters.runs);
  let idle = 0;
  while (details.notRun > 0 && mayContinue(check) && !details.failure && idle < MOST_IDLE) {
    const batch = property.coverageGuided ? 1 : BATCH;
    const size = Math.min(batch, details.notRun);
    const before = details.runs;
    await runBatch(check, Math.floor((wanted - details.notRun) / batch), size);
    if (mayContinue(check) && !details.failure) details.notRun -= size;
    idle = details.runs === before ? idle + size : 0;
  }
}

/** Where a case costs nothing fast-check shrinks it by running it; elsewhere the first failing case is taken as it is. */
async function runBatch(check: PropertyCheck, batch: number, size: number): Promise<void> {
  const { run, property, parameters, details, coverage } = check;
  const offers = (need: string) => meetsNeed(need, run.target);
  let number = casesOf(property, parameters.runs) - details.notRun;
  const predicate = async (value: unknown): Promise<boolean> => {
    if (Date.now() > details.shrinkUntil || !mayContinue(check)) return true;
    return runCase(check, value, `${run.id}-${property.id}-${number++}`);
  };
  await fc.check(fc.asyncProperty(property.cases({ coverage, offers }), predicate), {
    seed: (parameters.seed ^ Math.imul(batch, 0x9e3779b1)) | 0,
    numRuns: size,
    endOnFailure: run.target.worlds === undefined,
  });
}

/** Runs one case; false when it contradicts the contract in the way that was first met. */
async function runCase(check: PropertyCheck, value: unknown, unique: string): Promise<boolean> {
  const { run, property, parameters, details, coverage } = check;
  await run.yieldTurn?.(async () => {}); // those who have waited long enough come first
  const opened = await openSystemUnderTest(run, { name: property.id, unique, coverage });
  if (!opened.ok) return count(details, { verdict: "inconclusive", why: opened.why });
  const { sut, requests, lost, hideSecrets, close } = opened;
  try {
    const found = await property.run(sut, value);
    const outcome = found.verdict === "failed" && lost() ? withoutCertainty(found) : found;
    if (outcome.verdict === "failed" || (outcome.verdict === "inconclusive" && details.why === undefined)) hideSecrets();
    return count(details, outcome, sut.steps);
  } catch (error) {
    details.fault ??= error instanceof Error ? error.message : String(error);
    return true;
  } finally {
    await close();
    details.requests += requests();
    parameters.onCase?.(property.id, details.runs + details.inconclusive, casesOf(property, parameters.runs));
  }
}

/** A failure that must happen again to be one: what a request did that got no answer, nobody knows. */
function withoutCertainty({ certain: _, ...failure }: Failure): Failure {
  return failure;
}

function count(details: RunDetails, outcome: CaseOutcome, played: readonly Step[] = []): boolean {
  switch (outcome.verdict) {
    case "inconclusive":
      details.inconclusive += 1;
      details.why ??= outcome.why;
      return true;
    case "failed":
      return keepFailure(details, outcome, played);
    case "passed":
      if (!details.failure) details.runs += 1; // cases of a shrink are cases twice
      details.subjects += outcome.subjects;
      addPassed(details.passedClauses, outcome.judged ?? []);
      return true;
    default:
      return outcome satisfies never;
  }
}

/** Keeps the failure, the smallest so far; another one than the first met is left for another run. */
function keepFailure(details: RunDetails, failure: Failure, played: readonly Step[]): boolean {
  const same = !details.failure || details.failure.clauses.join() === failure.clauses.join();
  if (!same) return true;
  if (!details.failure) details.shrinkUntil = Date.now() + SHRINK_MS;
  details.failure = failure;
  details.played = played;
  return false;
}

function mayContinue({ run, parameters, details }: PropertyCheck): boolean {
  return !run.signal.aborted && Date.now() < parameters.deadline && details.fault === undefined;
}

/** A pass is earned by all the cases that were asked for, as far as they can be judged. */
function verdictOf({ runs, inconclusive, notRun, fault, why = "the run ended" }: RunDetails): { verdict: Verdict; why?: string } {
  if (fault !== undefined) return { verdict: "harness-error", why: fault };
  if (runs > 0 && notRun > 0) return { verdict: "inconclusive", why: `${notRun} cases were not run: ${why}` };
  if (runs > 0) return { verdict: "passed" };
  return inconclusive > 0
    ? { verdict: "inconclusive", why }
    : { verdict: "not-observed", why: "the run ended before a case was played" };
}

/** What was seen once and not again is a finding only where the answers themselves are the proof. */
function verdictOfFailure({ why, certain }: Failure, { confirmed }: Counterexample): { verdict: Verdict; why: string } {
  if (confirmed) return { verdict: "failed", why };
  if (certain) return { verdict: "failed", why: `${why} (seen once; a race need not happen again)` };
  return { verdict: "inconclusive", why: `${why} (seen once, and not again when it was played again)` };
}
