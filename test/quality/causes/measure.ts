import { verify } from "../../../src/engine/run/verify.js";
import { findCauses } from "../../../src/engine/verdict/causes.js";
import { readScenarioCatalogue, suite } from "../../../src/suite/suite.js";
import type { Mutant } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";
import { draw } from "../draw.js";
import { mutants } from "../mutants.js";
import { allFaults } from "./all-faults.js";
import { type CauseMatch, type FaultSet, kinds, matchCauses } from "./cause-sets.js";

/** The number of faults in a mock. */
const FAULTS = 10;

/** The share of faults that must have one cause each. */
const MIN_SHARE = 0.95;

/** Draws sets of mutants and runs the scenarios of their clauses against each set. Prints after each set how its causes match its faults, and returns the exit code. */
export async function measureCauses(sets: number, seed: number): Promise<0 | 1> {
  const drawnMutants = draw(mutants, sets * FAULTS, seed);
  const all: CauseMatch = { right: [], split: [], merged: [], unnamed: [], hidden: [] };
  for (let at = 0; at < drawnMutants.length; at += FAULTS) {
    const set = await runFaults(drawnMutants.slice(at, at + FAULTS), seed);
    const causeMatch = matchCauses(set, findCauses(set.checks));
    for (const kind of kinds) all[kind].push(...causeMatch[kind]);
    console.log(`set ${at / FAULTS + 1} of ${sets}: ${kinds.map((kind) => `${causeMatch[kind].length} ${kind}`).join(", ")}`);
    for (const kind of kinds.slice(1)) for (const name of causeMatch[kind]) console.log(`  ${kind}: ${name}`);
  }
  const judgedCount = all.right.length + all.split.length + all.merged.length + all.unnamed.length;
  console.log(
    `${all.right.length} of ${judgedCount} faults have one cause each; ${all.split.length} are split, ${all.merged.length} merged, ${all.unnamed.length} without a complete title. ${all.hidden.length} are left out, because no check fails for them alone. Seed ${seed}, ${sets} sets of ${FAULTS} mutants.`,
  );
  return all.right.length >= MIN_SHARE * judgedCount ? 0 : 1;
}

async function runFaults(chosenMutants: readonly Mutant[], seed: number): Promise<FaultSet> {
  const only = readScenarioCatalogue()
    .filter(({ claims }) => chosenMutants.some(({ breaks }) => claims.includes(breaks)))
    .map(({ name }) => name);
  const alone: Record<string, string[]> = {};
  for (const mutant of chosenMutants) {
    const checks = (await getChecks([mutant], only, seed)).filter(({ verdict }) => verdict === "failed");
    alone[mutant.name] = checks.map(({ id }) => id);
  }
  return { checks: await getChecks(chosenMutants, only, seed), alone };
}

async function getChecks(faults: readonly Mutant[], only: readonly string[], seed: number): Promise<FaultSet["checks"]> {
  const { url, close } = await openMutant(allFaults(faults));
  const { report, messages } = await verify(suite, { url, only, seed, runs: 0 }).finally(close);
  if (!report) throw new Error(messages.join("\n"));
  return report.checks;
}
