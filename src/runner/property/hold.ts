import fc from "fast-check";
import type { Verdict } from "../play/check.js";
import { unmetNeed } from "../play/needs.js";
import type { Player } from "../play/play-all.js";
import type { Run } from "../play/run.js";
import { type Counterexample, minimise } from "./counterexample.js";
import { type Coverage, openCoverage } from "./coverage.js";
import { type Counts, type Held, heldOf } from "./held.js";
import { obstacleTo } from "./obstacle.js";
import type { Failure, Property } from "./property.js";
import { openScene } from "./scene.js";

/** How a property is put to the test. */
export interface Trial {
  /** How many cases; default: what the property asks for. */
  runs?: number | undefined;
  seed: number;
  /** When to stop, in wall-clock milliseconds. */
  deadline: number;
  /** A run against a server that keeps the contract and costs nothing, for shrinking; opened when it is needed. */
  rehearsal?: (() => Promise<Run>) | undefined;
  /** Keeps the play that shows a counterexample to fail. */
  witness?: Player | undefined;
  /** Told after every case. */
  onCase?: (id: string, done: number, of: number) => void;
}

/** Cases between two looks at the coverage, which later cases are drawn by. */
const BATCH = 20;
/** Time a shrink may take. */
const SHRINK_MS = 20_000;

/** What the cases of one property came to so far. */
interface Tally extends Counts {
  /** Why a case said nothing, of the first that did. */
  why?: string;
  failure?: Failure;
  fault?: string;
  shrinkUntil: number;
}

/**
 * Draws cases of a property and plays each on a scene of its own, until one contradicts the contract, which is then made small and confirmed.
 * Goes on from an earlier trial that was cut short.
 */
export async function hold(run: Run, property: Property, trial: Trial, earlier?: Held): Promise<Held> {
  const stops = obstacleTo(property, run);
  if (stops) {
    const { why, outside } = stops;
    return heldOf(property, trial.seed, { verdict: "not-applicable", why, ...(outside && { outside }) });
  }
  const coverage = openCoverage();
  const wanted = trial.runs ?? property.runs;
  const tally = startTally(wanted, coverage, earlier);
  while (tally.left > 0 && goesOn(run, trial, tally)) {
    const size = Math.min(BATCH, tally.left);
    const before = tally.judged;
    await playBatch(run, property, { trial, tally, coverage, batch: Math.floor((wanted - tally.left) / BATCH), size });
    if (goesOn(run, trial, tally)) tally.left -= size;
    if (tally.judged === before) break; // what a whole batch cannot tell, as with a budget used up, more will not
  }
  const { failure } = tally;
  if (!failure) return heldOf(property, trial.seed, { ...verdictOf(tally), tally, coverage });
  const found = await minimise(property.id, failure, { run, rehearsal: await trial.rehearsal?.(), witness: trial.witness });
  return heldOf(property, trial.seed, { ...verdictOn(failure, found), tally, coverage, found });
}

/** Nothing played yet, or what an earlier trial had come to when it was cut short. */
function startTally(wanted: number, coverage: Coverage, earlier: Held | undefined): Tally {
  const { runs = 0, inconclusive = 0, left = wanted, coverage: points = {} } = earlier?.line ?? {};
  for (const [kind, names] of Object.entries(points)) coverage.add(kind, names);
  const subjects = earlier?.played.checks[0]?.subjects ?? 0;
  const requests = earlier?.played.requests ?? 0;
  return { judged: runs, subjects, inconclusive, requests, left: Math.min(left, wanted), shrinkUntil: Number.POSITIVE_INFINITY };
}

interface Batch {
  trial: Trial;
  tally: Tally;
  coverage: Coverage;
  batch: number;
  size: number;
}

/** Where a case costs nothing the library shrinks it by playing; elsewhere the first failing case is taken as it is. */
async function playBatch(run: Run, property: Property, { trial, tally, coverage, batch, size }: Batch): Promise<void> {
  const draw = { coverage, offers: (need: string) => unmetNeed([need], run.target) === undefined };
  let number = batch * BATCH;
  const holds = async (drawn: unknown): Promise<boolean> => {
    if (tally.fault !== undefined || Date.now() > tally.shrinkUntil || !goesOn(run, trial, tally, true)) return true;
    return playCase(run, property, { drawn, unique: `${run.id}-${property.id}-${number++}`, tally, coverage, trial });
  };
  await fc.check(fc.asyncProperty(property.cases(draw), holds), {
    seed: (trial.seed ^ Math.imul(batch, 0x9e3779b1)) | 0,
    numRuns: size,
    endOnFailure: run.target.worlds === undefined,
  });
}

interface Case {
  drawn: unknown;
  unique: string;
  tally: Tally;
  coverage: Coverage;
  trial: Trial;
}

/** Plays one case; false when it contradicts the contract in the way that was first met. */
async function playCase(run: Run, property: Property, { drawn, unique, tally, coverage, trial }: Case): Promise<boolean> {
  const opened = await openScene(run, { name: property.id, unique, coverage });
  if (!opened.ok) return nothing(tally, opened.why);
  const { scene, requests, conceal, close } = opened;
  try {
    const found = await property.play(scene, drawn);
    if (found.verdict === "failed" || (found.verdict === "inconclusive" && tally.why === undefined)) conceal();
    if (found.verdict === "inconclusive") return nothing(tally, found.why);
    if (found.verdict === "failed") return keepFailure(tally, found);
    if (!tally.failure) tally.judged += 1; // cases of a shrink are cases twice
    tally.subjects += found.subjects;
    return true;
  } catch (error) {
    tally.fault ??= error instanceof Error ? error.message : String(error);
    return true;
  } finally {
    await close();
    tally.requests += requests();
    trial.onCase?.(property.id, tally.judged + tally.inconclusive, trial.runs ?? property.runs);
  }
}

function nothing(tally: Tally, why: string): true {
  tally.inconclusive += 1;
  tally.why ??= why;
  return true;
}

/** Keeps the failure, the smallest so far; another one than the first met is left for another run. */
function keepFailure(tally: Tally, found: Failure): boolean {
  const same = !tally.failure || tally.failure.clauses.join() === found.clauses.join();
  if (!same) return true;
  if (!tally.failure) tally.shrinkUntil = Date.now() + SHRINK_MS;
  tally.failure = found;
  return false;
}

function goesOn({ signal }: Run, { deadline }: Trial, { failure, fault }: Tally, shrinking = false): boolean {
  return !signal.aborted && Date.now() < deadline && fault === undefined && (shrinking || !failure);
}

/** A pass is earned by all the cases that were asked for, as far as they can be told. */
function verdictOf({ judged, inconclusive, left, fault, why = "the run ended" }: Tally): { verdict: Verdict; why?: string } {
  if (fault !== undefined) return { verdict: "harness-error", why: fault };
  if (judged > 0 && left > 0) return { verdict: "inconclusive", why: `${left} cases were not drawn: ${why}` };
  if (judged > 0) return { verdict: "passed" };
  return inconclusive > 0
    ? { verdict: "inconclusive", why }
    : { verdict: "not-observed", why: "the run ended before a case was played" };
}

/** What was seen once and not again is a finding only where the answers themselves are the proof. */
function verdictOn({ why, certain }: Failure, { confirmed }: Counterexample): { verdict: Verdict; why: string } {
  if (confirmed) return { verdict: "failed", why };
  if (certain) return { verdict: "failed", why: `${why} (seen once; a race need not happen again)` };
  return { verdict: "inconclusive", why: `${why} (seen once, and not again when it was played again)` };
}
