import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { guidePath } from "../meta/guide.js";
import type { Figure } from "./figures.js";
import { growth } from "./growth.js";
import { inProcess } from "./in-process.js";
import { installs } from "./installs.js";
import { tool } from "./load.js";
import { pages } from "./pages.js";
import { canPin, pinThisProcess, stopAll } from "./processes.js";
import { compareRatios, keepRatios, readRatios } from "./ratios.js";
import { runner } from "./runner.js";
import type { Section } from "./section.js";
import { starts } from "./starts.js";
import { store } from "./store.js";
import { markdownTable, textTable } from "./table.js";
import { throughput } from "./throughput.js";
import { workers } from "./workers.js";

/** Results in the order of the table. */
const sections: Section[] = [throughput, growth, starts, inProcess, pages, store, workers, runner, installs];
const names = sections.map(({ name }) => name);

const help = `npm run bench -- [options]

Measures the package beside raw node and beside what could be taken instead, and says of each figure whether it meets its goal.
Others are installed into ~/.cache/counterpart-bench (or COUNTERPART_BENCH_CACHE); what cannot be had is left out, and a line says so.

  --only NAME   only this section, repeatable: ${names.join(", ")}
  --quick       short runs, to see that all works; the figures are rough
  --each        pages of every filter and order, not of the worst alone
  --json        prints the figures as JSON
  --compare     compares the ratios to raw node with those of the last published run; exits 1 if one is more than 10 % worse
  --publish     writes the tables to src/guide/performance.md and the ratios to test/bench/ratios.json
  --help        prints this`;

interface Options {
  only: string[];
  quick: boolean;
  each: boolean;
  json: boolean;
  compare: boolean;
  publish: boolean;
}

/** The results of the sections of one run, with notes for the reader. */
interface Outcome {
  section: Section;
  figures: Figure[];
  notes: string[];
}

await main();

/** Bad timing does not fail the bench. A wrong response does. */
async function main(): Promise<void> {
  const asked = readOptions();
  if (typeof asked === "string") {
    console.error(asked);
    process.exitCode = asked === help ? 0 : 2;
    return;
  }
  process.on("exit", stopAll);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  pinThisProcess();
  const outcomes: Outcome[] = [];
  for (const section of sections.filter(({ name }) => asked.only.length === 0 || asked.only.includes(name)))
    outcomes.push(await measureOne(section, asked));
  show("");
  if (asked.json) console.log(JSON.stringify(getJson(outcomes, asked.quick), null, 2));
  else console.log(getText(outcomes, asked.quick));
  if (asked.publish) publish(outcomes, asked.quick);
  if (asked.compare) compare(outcomes);
}

/** Prints each ratio beside that of the last published run. Fails if one is worse, or if none can be compared. */
function compare(outcomes: Outcome[]): void {
  const { lines, worse } = compareRatios(readRatios(), outcomes);
  console.log(["", "Compared with the last published run:", ...lines].join("\n"));
  if (lines.length === 0)
    console.log("Nothing: no measured ratio is among the kept ones. Measure another section, or publish this one first.");
  if (worse.length > 0) console.log(["", "More than 10 % worse:", ...worse].join("\n"));
  if (worse.length > 0 || lines.length === 0) process.exitCode = 1;
}

function readOptions(): Options | string {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", multiple: true, default: [] },
        quick: { type: "boolean", default: false },
        each: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        compare: { type: "boolean", default: false },
        publish: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
    });
    const unknown = values.only.find((name) => !names.includes(name));
    if (unknown !== undefined) return `there is no section '${unknown}'; there are ${names.join(", ")}`;
    return values.help ? help : values;
  } catch (error) {
    return `${(error as Error).message}\n\n${help}`;
  }
}

async function measureOne(section: Section, { quick, each, compare }: Options): Promise<Outcome> {
  const begun = performance.now();
  const notes: string[] = [];
  const tell = (line: string) => show(`${section.name}: ${line} (${Math.round((performance.now() - begun) / 1000)} s)`);
  try {
    return {
      section,
      figures: await section.measure({ quick, alone: compare, each, tell, note: (line) => notes.push(line) }),
      notes,
    };
  } catch (error) {
    process.exitCode = 1;
    return { section, figures: [], notes: [...notes, `It could not be measured: ${(error as Error).message}`] };
  }
}

/** Overwrites one line on the terminal; elsewhere prints a line each. */
function show(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== "") console.error(line);
}

function conditions(quick: boolean): string {
  const pinned = canPin ? "server and load on a core each" : "server and load not held to cores";
  return `node ${process.version}, ${cpus().length} cores, ${pinned}, load by ${tool}${quick ? ", quick: rough figures" : ""}`;
}

function getText(outcomes: Outcome[], quick: boolean): string {
  const tables = outcomes.map(({ section, figures, notes }) =>
    [section.title, ...(figures.length > 0 ? [textTable(figures)] : []), ...notes].join("\n\n"),
  );
  return [conditions(quick), ...tables].join("\n\n");
}

function getJson(outcomes: Outcome[], quick: boolean): object {
  const measured = outcomes.map(({ section, ...found }) => ({ name: section.name, title: section.title, ...found }));
  return { node: process.version, cores: cpus().length, pinned: canPin, load: tool, quick, sections: measured };
}

/** Writes the measured tables between their marks in the guide on performance, and keeps the ratios. */
function publish(outcomes: Outcome[], quick: boolean): void {
  const file = guidePath("performance");
  const marks = /(<!-- figures of npm run bench -->\n)[\s\S]*(<!-- end of bench -->)/;
  const tables = outcomes.map(({ section, figures, notes }) =>
    [`**${section.title}**`, markdownTable(figures), ...notes].join("\n\n"),
  );
  const text = [`${conditions(quick)}.`, ...tables].join("\n\n");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(marks, (_, begin: string, end: string) => `${begin}${text}\n\n${end}`),
  );
  keepRatios(execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).trim(), outcomes);
}
