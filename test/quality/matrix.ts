import { contract } from "../../src/contract/load.js";
import type { ConformingServers, KillRate } from "../../src/engine/report/suite-identity.js";
import { listTestableClauses } from "../../src/engine/verdict/clauses.js";
import type { Mutant } from "../mutants/mutant.js";
import type { Outcome } from "./examine.js";
import { knownHoles } from "./holes.js";
import { isExplainedEnd } from "./legal-ends.js";
import type { OperatorQuality } from "./operators/survivors.js";
import type { TestsOutcome } from "./slow-tests.js";
import { expectations, plain } from "./variants.js";

/**
 * The result of a mutant. `right`: its own clause failed; `other`: only other clauses failed; `timeout`, `crash`: the examination gave no
 * verdict; `inconclusive`: no clause failed and its own could not be judged; `not examined`: there was no report.
 */
export type MutantResult = (typeof MUTANT_OUTCOMES)[number];
const MUTANT_OUTCOMES = ["right", "other", "timeout", "crash", "inconclusive", "survived", "not examined"] as const;

/** One cell row of the matrix: a mutant, the clause it breaks, and the clauses that failed on it. */
export interface MutantLine extends Pick<Outcome, "seconds" | "scenarios" | "requests" | "failed" | "problem"> {
  mutant: string;
  breaks: string;
  end: MutantResult;
}

/** The quality of the suite, as plain data. */
export interface Quality {
  plan: string[];
  seconds: number;
  /** Seconds of the whole suite against the mock with default options, on a busy machine. */
  whole_suite_s: number;
  counts: Record<MutantResult, number> & {
    mutants: number;
    /** Known mutants that the clause they break does not kill, from `holes.json`. */
    holes: number;
    variants: number;
    flagged: number;
    /** Variants that failed, or that have an unjudged clause without a choice that explains it. */
    unexplained: number;
    /** Servers without behaviour, and the clauses that pass on them without reason, counted for each server. */
    constants: number;
    hollow: number;
    clauses: number;
    /** Clauses that no mutant breaks, and of these, which fail on no mutant of another clause either; the ledger's excuses are counted apart. */
    unbroken: number;
    unseen: number;
    excused: number;
  };
  mutants: MutantLine[];
  variants: Outcome[];
  constants: Outcome[];
  /** The part of the suite that the conforming servers met, and the least number of cases of each property. */
  conforming: Omit<ConformingServers, "servers" | "flagged">;
  /** The kill rates of each measured kind of run. */
  rates?: KillRate[];
  /** The results of the operator mutants, if they were examined. */
  operators?: OperatorQuality;
  /** The tests that are too slow for every change, file by file. */
  tests: readonly TestsOutcome[];
  /** Clauses of a server that no mutant breaks, and the mutants of other clauses that they failed on. */
  unbroken: { clause: string; failed_on: string[] }[];
}

/** The examined servers, with their outcomes. */
export interface Evidence extends Pick<Quality, "plan" | "seconds" | "tests" | "operators" | "conforming"> {
  outcomes: ReadonlyMap<string, Outcome>;
  chosen: readonly Mutant[];
  all: readonly Mutant[];
  variants: readonly string[];
  constants: readonly string[];
}

/** Judges the suite by its findings and by the findings that it should have. */
export function judgeSuite({ outcomes, chosen, all, variants, constants, ...rest }: Evidence): Quality {
  const mutants = getLines(chosen, outcomes);
  const legal = variants.flatMap((name) => withLikeness(name, outcomes));
  const constant = constants.flatMap((name) => outcomes.get(name) ?? []);
  const server = listTestableClauses(contract.clauses);
  const broken = new Set<string>(all.map(({ breaks }) => breaks));
  const left = server.filter((clause) => !broken.has(clause));
  const unbroken = left
    .filter((clause) => getExcuse(clause) === undefined)
    .map((clause) => ({
      clause,
      failed_on: mutants.filter(({ failed }) => failed.includes(clause)).map(({ mutant }) => mutant),
    }));
  const ended = (end: MutantResult) => mutants.filter((line) => line.end === end).length;
  const counts = {
    mutants: mutants.length,
    holes: mutants.filter(({ mutant, end }) => end !== "right" && knownHoles.has(mutant)).length,
    ...(Object.fromEntries(MUTANT_OUTCOMES.map((end) => [end, ended(end)])) as Record<MutantResult, number>),
    variants: legal.length,
    flagged: legal.filter(isFlagged).length,
    unexplained: legal.filter(({ end }) => end && !isExplainedEnd(end)).length,
    constants: constant.length,
    hollow: constant.reduce((sum, { alarms, problem }) => sum + alarms.length + (problem === undefined ? 0 : 1), 0),
    clauses: server.length,
    unbroken: unbroken.length,
    unseen: unbroken.filter(({ failed_on }) => failed_on.length === 0).length,
    excused: left.length - unbroken.length,
  };
  const whole_suite_s = outcomes.get(plain)?.seconds ?? 0;
  return { ...rest, whole_suite_s, counts, mutants, variants: legal, constants: constant, unbroken };
}

/**
 * Returns whether the suite is as good as it must be. The clause that a mutant breaks kills it, except for known holes. Every clause has a
 * mutant or an excuse. No conforming server is flagged. No clause passes without reason on a server without behaviour, and no slow test failed.
 * Every operator mutant is killed or explained. Unjudged clauses whose reason names no choice of the server are a figure.
 */
export function isExpectedOutcome({ counts, tests, operators }: Quality): boolean {
  const { mutants, right, flagged, hollow, unbroken, holes: known } = counts;
  const bad = mutants - right + flagged + hollow + unbroken - known;
  return bad === 0 && (operators?.stale ?? []).length === 0 && tests.every(({ failed }) => failed.length === 0);
}

/** Why no mutant can break a clause, as the ledger says. */
export function getExcuse(clause: string): string | undefined {
  return (contract.clauses as Record<string, { no_mutant?: string }>)[clause]?.no_mutant;
}

/** Whether the suite holds something against a server, or could not examine it. */
export function isFlagged({ alarms, problem }: Outcome): boolean {
  return alarms.length > 0 || problem !== undefined;
}

/** A legal server that differs from another in form alone must have the same verdicts, on the part of the suite that it met. */
function withLikeness(name: string, outcomes: ReadonlyMap<string, Outcome>): Outcome[] {
  const outcome = outcomes.get(name);
  const other = outcomes.get(expectations.get(name)?.like ?? name);
  if (!outcome || !other) return outcome ? [outcome] : [];
  const differences = outcome.unpassed.filter((line) => !other.unpassed.includes(line));
  const isLess = outcome.scenarios === other.scenarios && outcome.passed < other.passed;
  if (differences.length === 0 && !isLess) return [outcome];
  const names = differences.join(", ") || `${outcome.passed} clauses passed, and ${other.passed} there`;
  return [{ ...outcome, alarms: [...outcome.alarms, `its verdicts are not those on ${other.name}: ${names}`] }];
}

/** Returns how each mutant ended. A clause that fails on the mock without a fault too does not prove that the fault was found. */
export function getLines(mutants: readonly Mutant[], outcomes: ReadonlyMap<string, Outcome>): MutantLine[] {
  const unsound = new Set(outcomes.get(plain)?.failed);
  return mutants.flatMap((mutant) => getLine(mutant, outcomes.get(mutant.name), unsound));
}

function getLine({ name, breaks }: Mutant, outcome: Outcome | undefined, unsound: ReadonlySet<string>): MutantLine[] {
  if (!outcome) return [];
  const { seconds, scenarios, requests, problem } = outcome;
  const failed = outcome.failed.filter((clause) => !unsound.has(clause));
  const end = getEnd({ ...outcome, failed }, breaks);
  return [{ mutant: name, breaks, end, failed, seconds, scenarios, requests, ...(problem !== undefined && { problem }) }];
}

function getEnd({ problem, broken, failed, inconclusive }: Outcome, breaks: string): MutantResult {
  if (failed.includes(breaks)) return "right";
  if (failed.length > 0) return "other";
  if (broken) return broken;
  if (problem !== undefined) return "not examined";
  return inconclusive.includes(breaks) ? "inconclusive" : "survived";
}
