import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { openTicker } from "../../src/cli/ticker.js";
import { packageRoot } from "../../src/contract/load.js";
import type { Property } from "../../src/engine/property/property.js";
import { scenarioCatalogue, suite } from "../../src/suite/suite.js";
import type { Examination, Outcome } from "./examine.js";
import { publish } from "./figures.js";
import { type Kept, openKept } from "./kept.js";
import { isGood, judgeSuite, type Quality } from "./matrix.js";
import { mutants } from "./mutants.js";
import { measureOperators, type OperatorWish } from "./operators/measure.js";
import { isExplained, type OperatorQuality } from "./operators/survivors.js";
import { operatorsInShort, operatorsInWords } from "./operators/words.js";
import { makePlan, type Plan, type Wish, wider } from "./plan.js";
import { doAll, type Result, type Task } from "./pool.js";
import type { TestsOutcome } from "./slow-tests.js";
import { inShort, inWords } from "./words.js";

/** What the command line asks for. */
interface MeasureWish extends Wish {
  publish?: true;
  operators?: Pick<OperatorWish, "sample" | "files"> | "none";
  operatorsAlone?: true;
}

const directory = join(packageRoot, "dist", "quality");

const program = new Command("npm run quality --")
  .description(
    "Measures the suite: which mutants of the mock it kills by which clause, and which legal servers it flags; and tries to the full what npm test tries a sample of. What is done is kept in dist/quality/kept.ndjson: stopped by Ctrl-C and started again it goes on where it was, and it measures again what a change to the contract, the scenarios, the product or the tests may have changed, and what went wrong.",
  )
  .option("--whole", "the whole suite against each mutant, not only the section of its clause")
  .option("--all", "all mutants (default: so many of every family as a proof of a change has time for)")
  .option("--only <glob>", "only mutants whose names fit")
  .option("--legal <glob>", "only legal servers whose names fit, and no mutant, such as '*row 7'")
  .option("--sample <n>", "so many mutants, drawn at random", count)
  .option(
    "--operators <which>",
    "operator mutants: all, none, so many drawn at random, or those of files whose names begin so",
    which,
  )
  .option("--operators-alone", "nothing but operator mutants")
  .option("--fresh", "measure all anew, whatever is kept")
  .option("--publish", "put the figures where reports and the README take them from, and how many mutants were drawn of how many")
  .option("--seed <n>", "what is drawn is drawn with (default: another each time, in CI 1)", count)
  .option(
    "--seeds <n>",
    "the whole suite against each legal server, its properties with so many seeds (default: a part of it with one)",
    count,
  )
  .option("--workers <n>", "threads", count, 2)
  .action(async (options) => {
    process.exitCode = await measure({ seed: process.env.CI ? 1 : randomInt(1, 2 ** 31), ...options });
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    console.error("\nStopped. What is done is kept: start again to go on.");
    process.exit(130);
  });

await program.parseAsync();

/** Examines what the plan holds, prints and writes what came of it, and gives the exit code. */
async function measure(wish: MeasureWish): Promise<0 | 1 | 2> {
  if (wish.operatorsAlone) return measureOperatorsAlone(wish);
  const plan = makePlan(mutants, scenarioCatalogue(), wish);
  if (plan.mutants.length === 0 && (wish.legal === undefined || plan.tasks.length === 0)) {
    console.error("Nothing is chosen: --only and --legal take a pattern of a whole name, such as '*cursor*'.");
    return 2;
  }
  if (wish.publish && plan.narrowed) {
    console.error("Only figures of every family can be published: leave --only, --sample and --legal out.");
    return 2;
  }
  for (const words of plan.words) console.error(words);
  const operators = await operatorsWished(wish, plan);
  const quality = { ...(await examinePlan(plan, wish)), ...(operators && { operators }) };
  const text = inWords(quality);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "quality.json"), `${JSON.stringify(quality, null, 2)}\n`);
  writeFileSync(join(directory, "quality.md"), `${text}\n`);
  if (wish.publish) publish(quality, mutants.length);
  console.log(`${text}\n\n${inShort(quality)}`);
  return isGood(quality) ? 0 : 1;
}

async function measureOperatorsAlone({ operators = {}, ...wish }: MeasureWish): Promise<0 | 1> {
  if (operators === "none") return 0;
  const quality = await measureOperators({ ...wish, ...operators });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "operators.json"), `${JSON.stringify(quality, null, 2)}\n`);
  console.log(`${operatorsInWords(quality)}\n\n${operatorsInShort(quality)}`);
  return isExplained(quality) ? 0 : 1;
}

/** Who asks for some mutants alone asks for no operator mutants, unless by their name. */
async function operatorsWished({ operators, ...wish }: MeasureWish, plan: Plan): Promise<OperatorQuality | undefined> {
  if (operators === "none" || (operators === undefined && plan.narrowed)) return undefined;
  const { sample: _, ...rest } = wish;
  return measureOperators({ ...rest, ...operators });
}

async function examinePlan({ mutants: chosen, tasks, words }: Plan, { workers, fresh = false }: Wish): Promise<Quality> {
  const kept = openKept(join(directory, "kept.ndjson"), { fresh });
  const properties = await suite.properties();
  const breaks = new Map(chosen.map((mutant) => [mutant.name, mutant.breaks]));
  const all: Result[] = [];
  for (let left = tasks; left.length > 0; ) {
    const results = await measureShown(left, kept, workers);
    all.push(...results);
    left = results.flatMap(({ task, outcome }) =>
      task.kind === "mutant" && "alarms" in outcome ? widened(task, outcome, breaks, properties) : [],
    );
  }
  const outcomes = outcomesOf(all);
  return judgeSuite({
    plan: words,
    seconds: all.reduce((sum, { outcome }) => sum + outcome.seconds, 0),
    outcomes,
    chosen,
    all: mutants,
    variants: tasks.filter(({ kind }) => kind === "variant").map(({ name }) => name),
    tests: all.flatMap(({ outcome }) => ("alarms" in outcome ? [] : outcome)) satisfies TestsOutcome[],
  });
}

/** The same mutant, with more of the suite against it; nothing where its own clause was found broken, or all was tried. */
function widened(
  task: Examination,
  { failed }: Outcome,
  breaks: ReadonlyMap<string, string>,
  properties: readonly Property[],
): Task[] {
  const clause = breaks.get(task.name);
  const only = clause === undefined || failed.includes(clause) ? [] : wider(task.only, clause, properties);
  return only.length > 0 ? [{ ...task, only }] : [];
}

function outcomesOf(results: readonly Result[]): Map<string, Outcome> {
  return new Map(results.flatMap(({ outcome }) => ("alarms" in outcome ? [[outcome.name, outcome] as const] : [])));
}

/** Does what is not kept yet, with its progress on a terminal; gives what came of each. */
async function measureShown(tasks: readonly Task[], kept: Kept, workers: number): Promise<Result[]> {
  const results = tasks.flatMap((task) => kept.of(task) ?? []);
  const left = tasks.filter((task) => !kept.of(task));
  if (results.length > 0) console.error(`${results.length} of ${tasks.length} are kept from before; ${left.length} are left.`);
  const begun = Date.now();
  const ticker = openTicker(({ task, outcome }: Result) => {
    const done = weightOf(results.map((result) => result.task)) - weightOf(tasks) + weightOf(left);
    const minutes = ((Date.now() - begun) / 60_000 / done) * (weightOf(left) - done);
    const time = `${Math.round(outcome.seconds)} s`;
    return `${results.length} of ${tasks.length}, about ${Math.ceil(minutes)} min left: ${task.kind} ${task.name}, ${time}`;
  });
  await doAll(left, workers, (result) => {
    kept.add(result);
    results.push(result);
    ticker.show(result);
  });
  ticker.clear();
  return results;
}

/** About how many seconds tasks take, to say how much is left. */
function weightOf(tasks: readonly Task[]): number {
  const seconds: Record<Task["kind"], number> = { variant: 50, tests: 30, mutant: 0.5 };
  return tasks.reduce((sum, { kind }) => sum + seconds[kind], 0);
}

function which(text: string): NonNullable<MeasureWish["operators"]> {
  if (text === "none") return text;
  if (text === "all") return {};
  return /^\d+$/.test(text) ? { sample: count(text) } : { files: text };
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("A whole number from 1 is needed.");
  return Number(text);
}
