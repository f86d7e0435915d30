import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { openTicker } from "../../src/cli/ticker.js";
import { packageRoot } from "../../src/contract/load.js";
import { suite } from "../../src/runner/suite.js";
import type { Outcome, Task } from "./examine.js";
import { publish } from "./figures.js";
import { isGood, judgeSuite, type Quality } from "./matrix.js";
import { mutants } from "./mutants.js";
import { makePlan, type Plan, type Wish } from "./plan.js";
import { examineAll } from "./pool.js";
import { inShort, inWords } from "./words.js";

const directory = join(packageRoot, "dist", "quality");

const program = new Command("npm run quality --")
  .description("Measures the suite: which mutants of the mock it kills by which clause, and which legal servers it flags.")
  .option("--whole", "the whole suite against each mutant, not only the section of its clause")
  .option("--only <glob>", "only mutants whose names fit")
  .option("--sample <n>", "so many mutants, drawn at random", count)
  .option("--publish", "put the figures of all mutants and variants where reports and the README take them from")
  .option("--seed <n>", "what the sample is drawn with (default: another each time)", count)
  .option("--workers <n>", "threads", count, 2)
  .action(async (options) => {
    process.exitCode = await measure({ seed: randomInt(1, 2 ** 31), ...options });
  });

await program.parseAsync();

/** Examines what the plan holds, prints and writes what came of it, and gives the exit code. */
async function measure(wish: Wish & { publish?: true }): Promise<0 | 1 | 2> {
  const plan = makePlan(mutants, suite(), wish);
  if (plan.mutants.length === 0) {
    console.error("No mutant is chosen: --only takes a pattern of a mutant's whole name, such as '*cursor*'.");
    return 2;
  }
  if (wish.publish && plan.mutants.length < mutants.length) {
    console.error("Only the figures of all mutants can be published: leave --only and --sample out.");
    return 2;
  }
  for (const words of plan.words) console.error(words);
  const quality = await examinePlan(plan, wish.workers);
  const text = inWords(quality);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "quality.json"), `${JSON.stringify(quality, null, 2)}\n`);
  writeFileSync(join(directory, "quality.md"), `${text}\n`);
  if (wish.publish) publish(quality);
  console.log(`${text}\n\n${inShort(quality)}`);
  return isGood(quality) ? 0 : 1;
}

async function examinePlan({ mutants: chosen, tasks, words }: Plan, workers: number): Promise<Quality> {
  const begun = performance.now();
  const first = await examineShown(tasks, workers);
  const spared = tasks.filter(({ kind, name, only }) => kind === "mutant" && only.length > 0 && !first.get(name)?.failed.length);
  const second = await examineShown(
    spared.map((task) => ({ ...task, only: [] })),
    workers,
  );
  return judgeSuite({
    plan: words,
    seconds: (performance.now() - begun) / 1000,
    outcomes: new Map([...first, ...second]),
    chosen,
    all: mutants,
    variants: tasks.filter(({ kind }) => kind === "variant").map(({ name }) => name),
  });
}

/** Examines servers with their progress on a terminal; the outcomes by name. */
async function examineShown(tasks: readonly Task[], workers: number): Promise<Map<string, Outcome>> {
  const ticker = openTicker(({ name, done }: { name: string; done: number }) => `${done} of ${tasks.length}: ${name}`);
  const outcomes = await examineAll(tasks, Math.min(workers, tasks.length), ({ name }, done) => ticker.show({ name, done }));
  ticker.clear();
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("A whole number from 1 is needed.");
  return Number(text);
}
