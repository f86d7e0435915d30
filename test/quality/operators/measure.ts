import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openTicker } from "../../../src/cli/ticker.js";
import { packageRoot } from "../../../src/contract/load.js";
import { draw } from "../draw.js";
import { makeBuild } from "./build.js";
import { examineMutants, type OperatorFinding, type Runner } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";
import { openRanking } from "./order.js";
import { measureReach } from "./reach.js";
import { checkNames } from "./run-checks.js";
import {
  isExplainedSurvivor,
  isOutside,
  isWhollyOutside,
  judgeOperators,
  type OperatorQuality,
  parseSurvivors,
  type Survivors,
} from "./survivors.js";
import { openWorkerPool } from "./worker-pool.js";

/** Which operator mutants to examine: this many, drawn with the seed, or those of files with this prefix. Without either, all. */
export interface OperatorOptions {
  sample?: number;
  files?: string;
  seed: number;
  workers: number;
}

/** Far more than any check takes on the sound mock. */
const MAX_LOOK_SECONDS = 120;

/** Examines the operator mutants, with its progress on a terminal. */
export async function measureOperators({ workers, ...options }: OperatorOptions): Promise<OperatorQuality> {
  const begun = performance.now();
  const survivors = readSurvivors();
  const all = await makeBuild((file) => isWhollyOutside(survivors, file));
  const examinedOperatorMutants = all.filter((mutant) => !isOutside(survivors, mutant));
  const operatorMutants = chooseMutants(examinedOperatorMutants, options);
  const plan = planInWords(operatorMutants, examinedOperatorMutants, options);
  console.error(plan);
  const isExplained = (mutant: OperatorMutant) => isExplainedSurvivor(survivors, mutant);
  const findings = await examineChosen(operatorMutants, examinedOperatorMutants, { workers, seed: options.seed, isExplained });
  return judgeOperators(survivors, all, findings, { plan, seed: options.seed, seconds: (performance.now() - begun) / 1000 });
}

async function examineChosen(
  operatorMutants: readonly OperatorMutant[],
  examinedOperatorMutants: readonly OperatorMutant[],
  { workers, seed, isExplained }: Pick<OperatorOptions, "workers" | "seed"> & Pick<Runner, "isExplained">,
): Promise<OperatorFinding[]> {
  if (operatorMutants.length === 0) return [];
  const findings: OperatorFinding[] = [];
  const team = openWorkerPool(workers, seed);
  const looks = openTicker((text: string) => text);
  const checks = [...checkNames.scenarios, ...checkNames.properties];
  try {
    const reach = await measureReach(
      checks,
      workers,
      (order) => team.runChecks(order, MAX_LOOK_SECONDS),
      (done, of) => looks.show(`${done} of ${of} checks: which mutants do they reach?`),
    );
    looks.clear();
    if (reach.unsound.length > 0)
      console.error(`The unchanged mock does not pass these checks, so the measure skips them: ${reach.unsound.join(", ")}.`);
    const ticker = openTicker(getProgress(operatorMutants.length));
    await examineMutants(
      {
        ranking: openRanking(reach, examinedOperatorMutants),
        size: workers,
        runChecks: team.runChecks,
        isExplained,
        onFinding(_, finding) {
          findings.push(finding);
          ticker.show({ finding, done: findings.length });
        },
      },
      draw(operatorMutants, operatorMutants.length, seed),
    );
    ticker.clear();
    return findings;
  } finally {
    await team.close();
  }
}

function getProgress(of: number): (progress: { finding: OperatorFinding; done: number }) => string {
  const begun = Date.now();
  return ({ finding: { file, name, end }, done }) => {
    return `${done} of ${of} operator mutants in ${Math.round((Date.now() - begun) / 60_000)} min: ${end}, ${file}: ${name}`;
  };
}

function chooseMutants(
  examinedOperatorMutants: readonly OperatorMutant[],
  { sample, files, seed }: Omit<OperatorOptions, "workers">,
): OperatorMutant[] {
  const operatorMutants = examinedOperatorMutants.filter(({ file }) => file.startsWith(files ?? ""));
  return sample === undefined ? operatorMutants : drawByName(operatorMutants, sample, seed);
}

/** Draws this many mutants by their names, so that other mutants in the list change little of the draw. */
function drawByName(mutants: readonly OperatorMutant[], count: number, seed: number): OperatorMutant[] {
  const getRank = ({ file, name }: OperatorMutant) => createHash("sha256").update(`${seed} ${file} ${name}`).digest("hex");
  return mutants
    .map((mutant) => ({ mutant, rank: getRank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function planInWords(
  chosen: readonly unknown[],
  examined: readonly unknown[],
  { sample, seed }: Omit<OperatorOptions, "workers">,
): string {
  const drawn = sample === undefined ? "" : `, drawn with seed ${seed}`;
  return `${chosen.length} of ${examined.length} operator mutants${drawn}, each with the scenarios and properties that reach it.`;
}

function readSurvivors(): Survivors {
  return parseSurvivors(readFileSync(join(packageRoot, "test", "quality", "survivors.yaml"), "utf8"));
}
