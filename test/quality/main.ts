import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { openTicker } from "../../src/cli/ticker.js";
import { packageRoot } from "../../src/contract/load.js";
import type { Property } from "../../src/engine/property/property.js";
import type { KillRate } from "../../src/engine/report/suite-identity.js";
import { readScenarioCatalogue, suite } from "../../src/suite/suite.js";
import type { Mutant } from "../mutants/mutant.js";
import { measureCauses } from "./causes/measure.js";
import { draw } from "./draw.js";
import { CASES, type Examination, type Outcome } from "./examine.js";
import { publish } from "./figures.js";
import { getLines, isExpectedOutcome, judgeSuite, type Quality } from "./matrix.js";
import { mutants } from "./mutants.js";
import { measureOperators } from "./operators/measure.js";
import { isExplained, type OperatorQuality } from "./operators/survivors.js";
import { operatorsLine, operatorsReport } from "./operators/words.js";
import { type MeasureOptions, mistakeIn, withSeed } from "./options.js";
import { getOtherProperties, makePlan, type Plan, type PlanOptions, taskFor } from "./plan.js";
import { type Result, runTasks, type Task } from "./pool.js";
import { currentReviews } from "./reviews.js";
import { isFullest, type RunKind, rateFor, runKinds } from "./run-kinds.js";
import type { TestsOutcome } from "./slow-tests.js";
import { plain } from "./variants.js";
import { qualityReport, summaryLine } from "./words.js";

const directory = join(packageRoot, "dist", "quality");

/** The number of mutants in each kind of run. The full profile with all hooks examines every mutant of the plan. */
const DRAWN_OF_A_KIND = 150;

const program = new Command("npm run quality --")
  .description(
    "Measures the suite: the mutants of the mock that it kills by each clause, and the legal servers that it flags. Runs everything of which npm test runs a sample. It keeps no result: every figure is of this run alone.",
  )
  .option("--whole", "the whole suite against each mutant, not only the section of its clause")
  .option("--all", "all mutants (default: a sample of every family, small enough to check a change)")
  .option("--only <glob>", "only mutants whose names fit")
  .option("--legal <glob>", "only legal servers whose names match, and no mutant, such as '*row 7'")
  .option("--constant <glob>", "only servers without behaviour whose names fit, and no mutant")
  .option("--sample <n>", "so many mutants, drawn at random", count)
  .option(
    "--operators <which>",
    "operator mutants: all, none, a number drawn at random, or those of files whose names begin with this",
    which,
  )
  .option("--tests <n>", "number of files of slow tests to run, drawn with COUNTERPART_TEST_SEED (default: all)", count)
  .option("--operators-alone", "operator mutants only")
  .option("--causes <n>", "only the match of causes and faults: the number of sets of ten mutants", count)
  .option(
    "--publish",
    "measure the figures alone (no slow tests), with a new seed: the whole suite on each conforming server, and mutants in every kind of run; write them to spec/quality.json and src/guide/quality.md",
  )
  .option("--seed <n>", "seed of all draws (default: another each time; in CI 1, except with --publish)", count)
  .option(
    "--seeds <n>",
    "the whole suite against each legal server, its properties with this number of seeds (default: a part of it with one)",
    count,
  )
  .option("--workers <n>", "threads, and as many for servers that make the runner wait", count, 2)
  .action(async (options) => {
    const mistake = mistakeIn(options);
    if (mistake) console.error(mistake);
    process.exitCode = mistake ? 2 : await measure(withSeed(options, process.env.CI !== undefined));
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    console.error("\nStopped. Nothing was written.");
    process.exit(130);
  });

await program.parseAsync();

/** Examines the servers of the plan, prints and writes the results, and returns the exit code. */
async function measure(options: MeasureOptions): Promise<0 | 1 | 2> {
  if (options.operatorsAlone) return measureOperatorsAlone(options);
  if (options.causes !== undefined) return measureCauses(options.causes, options.seed);
  const plan = makePlan(mutants, readScenarioCatalogue(), options);
  if (plan.mutants.length === 0 && plan.tasks.length === 0) {
    console.error("Nothing is chosen: --only, --legal and --constant take a pattern of a whole name, such as '*cursor*'.");
    return 2;
  }
  for (const words of plan.words) console.error(words);
  const operators = await operatorsOfOptions(options, plan);
  const examinedQuality = await examinePlan(plan, options);
  const rates = options.publish && (await measureRates(plan.mutants, examinedQuality.mutants, options));
  const quality = { ...examinedQuality, ...(rates && { rates }), ...(operators && { operators }) };
  const text = qualityReport(quality);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "quality.json"), `${JSON.stringify(quality, null, 2)}\n`);
  writeFileSync(join(directory, "quality.md"), `${text}\n`);
  if (rates) publish(quality, rates);
  console.log(`${text}\n\n${summaryLine(quality)}\n\n${currentReviews()}`);
  return isExpectedOutcome(quality) ? 0 : 1;
}

async function measureOperatorsAlone({ operators = {}, ...options }: MeasureOptions): Promise<0 | 1> {
  if (operators === "none") return 0;
  const quality = await measureOperators({ ...options, ...operators });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "operators.json"), `${JSON.stringify(quality, null, 2)}\n`);
  console.log(`${operatorsReport(quality)}\n\n${operatorsLine(quality)}`);
  return isExplained(quality) ? 0 : 1;
}

/** Examines the operator mutants of the options. A selection of mutants includes no operator mutants unless it names them. */
async function operatorsOfOptions({ operators, ...options }: MeasureOptions, plan: Plan): Promise<OperatorQuality | undefined> {
  if (operators === "none" || (operators === undefined && plan.narrowed)) return undefined;
  const { sample: _, ...rest } = options;
  return measureOperators({ ...rest, ...operators });
}

async function examinePlan({ mutants: chosen, tasks, words, conforming }: Plan, { workers }: PlanOptions): Promise<Quality> {
  const all = await measureWider(tasks, chosen, workers);
  return judgeSuite({
    plan: words,
    seconds: all.reduce((sum, { outcome }) => sum + outcome.seconds, 0),
    outcomes: getOutcomes(all),
    chosen,
    all: mutants,
    conforming,
    variants: getNames(tasks, "variant"),
    constants: getNames(tasks, "constant"),
    tests: all.flatMap(({ outcome }) => ("alarms" in outcome ? [] : outcome)) satisfies TestsOutcome[],
  });
}

function getNames(tasks: readonly Task[], wanted: Task["kind"]): string[] {
  return tasks.filter(({ kind }) => kind === wanted).map(({ name }) => name);
}

/** Examines a sample of the mutants in every kind of run. A rate counts only examined mutants. An unexamined mutant ends the measure. */
async function measureRates(
  chosenMutants: readonly Mutant[],
  fullest: Quality["mutants"],
  options: MeasureOptions,
): Promise<KillRate[]> {
  const drawn = { mutants_in_all: mutants.length, seed: options.seed, cases: CASES };
  const sample = draw(chosenMutants, DRAWN_OF_A_KIND, options.seed);
  const rates: KillRate[] = [];
  for (const run of runKinds) {
    const lines = isFullest(run) ? fullest : await linesIn(run, sample, options);
    const lostMutantLine = lines.find(({ end }) => end === "not examined");
    if (lostMutantLine)
      throw new Error(`"${lostMutantLine.mutant}" was not examined (${lostMutantLine.problem}), so nothing is published.`);
    rates.push(rateFor(run, lines, drawn));
  }
  return rates;
}

async function linesIn(run: RunKind, sample: readonly Mutant[], { seed, workers }: MeasureOptions): Promise<Quality["mutants"]> {
  console.error(`${sample.length} mutants, profile ${run.profile}, ${run.hooks}.`);
  const soundServer: Task = { kind: "variant", name: plain, only: [], seeds: [seed], cases: CASES, run };
  const rows = readScenarioCatalogue();
  const tasks = [soundServer, ...sample.map((mutant): Task => ({ ...taskFor(mutant, rows, { seed }), run }))];
  return getLines(sample, getOutcomes(await measureWider(tasks, sample, workers)));
}

/** Measures tasks; then the mutants whose own clause did not fail, with more of the suite. */
async function measureWider(tasks: readonly Task[], chosenMutants: readonly Mutant[], workers: number): Promise<Result[]> {
  const properties = await suite.properties();
  const breaks = new Map(chosenMutants.map((mutant) => [mutant.name, mutant.breaks]));
  const all: Result[] = [];
  for (let remainingTasks = tasks; remainingTasks.length > 0; ) {
    const results = await measureShown(remainingTasks, workers);
    all.push(...results);
    remainingTasks = results.flatMap(({ task, outcome }) =>
      task.kind === "mutant" && "alarms" in outcome ? widenExamination(task, outcome, breaks, properties) : [],
    );
  }
  return all;
}

/** The same mutant, with more of the suite against it; undefined if its own clause failed, or all was tried. */
function widenExamination(
  task: Examination,
  { failed, problem }: Outcome,
  breaks: ReadonlyMap<string, string>,
  properties: readonly Property[],
): Task[] {
  const clause = breaks.get(task.name);
  const only =
    clause === undefined || problem !== undefined || failed.includes(clause)
      ? []
      : getOtherProperties(task.only, clause, properties);
  return only.length > 0 ? [{ ...task, only }] : [];
}

/** Returns the outcome of each server. A mutant fails if one of its two examinations fails. */
function getOutcomes(results: readonly Result[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { outcome } of results) {
    if (!("alarms" in outcome)) continue;
    const outcomeBefore = outcomes.get(outcome.name);
    outcomes.set(
      outcome.name,
      outcomeBefore ? { ...outcome, failed: [...new Set([...outcomeBefore.failed, ...outcome.failed])] } : outcome,
    );
  }
  return outcomes;
}

/** Measures tasks and shows the progress on a terminal. Returns the result of each. */
async function measureShown(tasks: readonly Task[], workers: number): Promise<Result[]> {
  const results: Result[] = [];
  const begun = Date.now();
  const ticker = openTicker(({ task, outcome }: Result) => {
    const done = getWeight(results.map((result) => result.task));
    const minutes = ((Date.now() - begun) / 60_000 / done) * (getWeight(tasks) - done);
    const time = `${Math.round(outcome.seconds)} s`;
    return `${results.length} of ${tasks.length}, about ${Math.ceil(minutes)} min left: ${task.kind} ${task.name}, ${time}`;
  });
  await runTasks(tasks, workers, (result) => {
    results.push(result);
    ticker.show(result);
  });
  ticker.clear();
  return results;
}

/** Estimates the seconds of tasks, to show the remaining time. */
function getWeight(tasks: readonly Task[]): number {
  const seconds: Record<Task["kind"], number> = { variant: 50, tests: 30, constant: 4, mutant: 0.5 };
  return tasks.reduce((sum, { kind }) => sum + seconds[kind], 0);
}

function which(text: string): NonNullable<MeasureOptions["operators"]> {
  if (text === "none") return text;
  if (text === "all") return {};
  return /^\d+$/.test(text) ? { sample: count(text) } : { files: text };
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("A whole number from 1 is needed.");
  return Number(text);
}
