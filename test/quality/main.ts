import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { openTicker } from "../../src/cli/ticker.js";
import { packageRoot } from "../../src/contract/load.js";
import { scenarioCatalogue } from "../../src/suite/suite.js";
import type { Outcome } from "./examine.js";
import { publish } from "./figures.js";
import { type Kept, openKept } from "./kept.js";
import { isGood, judgeSuite, type Quality } from "./matrix.js";
import { mutants } from "./mutants.js";
import { makePlan, type Plan, type Wish } from "./plan.js";
import { doAll, type Result, type Task } from "./pool.js";
import type { TestsOutcome } from "./slow-tests.js";
import { inShort, inWords } from "./words.js";

const directory = join(packageRoot, "dist", "quality");

const program = new Command("npm run quality --")
  .description(
    "Measures the suite: which mutants of the mock it kills by which clause, and which legal servers it flags; and tries to the full what npm test tries a sample of. What is done is kept in dist/quality/kept.ndjson: stopped by Ctrl-C and started again it goes on where it was, and it measures again what a change to the contract, the scenarios, the product or the tests may have changed, and what went wrong.",
  )
  .option("--whole", "the whole suite against each mutant, not only the section of its clause")
  .option("--only <glob>", "only mutants whose names fit")
  .option("--sample <n>", "so many mutants, drawn at random", count)
  .option("--fresh", "measure all anew, whatever is kept")
  .option("--publish", "put the figures of all mutants and variants where reports and the README take them from")
  .option("--seed <n>", "what the sample is drawn with (default: another each time)", count)
  .option("--workers <n>", "threads", count, 2)
  .action(async (options) => {
    process.exitCode = await measure({ seed: randomInt(1, 2 ** 31), ...options });
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    console.error("\nStopped. What is done is kept: start again to go on.");
    process.exit(130);
  });

await program.parseAsync();

/** Examines what the plan holds, prints and writes what came of it, and gives the exit code. */
async function measure(wish: Wish & { publish?: true }): Promise<0 | 1 | 2> {
  const plan = makePlan(mutants, scenarioCatalogue(), wish);
  if (plan.mutants.length === 0) {
    console.error("No mutant is chosen: --only takes a pattern of a mutant's whole name, such as '*cursor*'.");
    return 2;
  }
  if (wish.publish && plan.mutants.length < mutants.length) {
    console.error("Only the figures of all mutants can be published: leave --only and --sample out.");
    return 2;
  }
  for (const words of plan.words) console.error(words);
  const quality = await examinePlan(plan, wish);
  const text = inWords(quality);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "quality.json"), `${JSON.stringify(quality, null, 2)}\n`);
  writeFileSync(join(directory, "quality.md"), `${text}\n`);
  if (wish.publish) publish(quality);
  console.log(`${text}\n\n${inShort(quality)}`);
  return isGood(quality) ? 0 : 1;
}

async function examinePlan({ mutants: chosen, tasks, words }: Plan, { workers, fresh = false }: Wish): Promise<Quality> {
  const kept = openKept(join(directory, "kept.ndjson"), { fresh });
  const first = await measureShown(tasks, kept, workers);
  const outcomes = outcomesOf(first);
  const spared = tasks.filter(
    (task) => task.kind === "mutant" && task.only.length > 0 && !outcomes.get(task.name)?.failed.length,
  );
  const second = await measureShown(
    spared.map((task) => ({ ...task, only: [] })),
    kept,
    workers,
  );
  return judgeSuite({
    plan: words,
    seconds: [...first, ...second].reduce((sum, { outcome }) => sum + outcome.seconds, 0),
    outcomes: new Map([...outcomes, ...outcomesOf(second)]),
    chosen,
    all: mutants,
    variants: tasks.filter(({ kind }) => kind === "variant").map(({ name }) => name),
    tests: first.flatMap(({ outcome }) => ("alarms" in outcome ? [] : outcome)) satisfies TestsOutcome[],
  });
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
  const seconds: Record<Task["kind"], number> = { variant: 50, tests: 30, mutant: 2 };
  return tasks.reduce((sum, { kind }) => sum + seconds[kind], 0);
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("A whole number from 1 is needed.");
  return Number(text);
}
