import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Figure } from "./figures.js";

/** The figures of one section of the bench. */
interface Measured {
  section: { name: string };
  figures: readonly Figure[];
}

/** The ratios of ours to other programs, with the commit that they were measured at. */
export interface KeptRatios {
  commit: string;
  ratios: Record<string, { value: number; better: "higher" | "lower" }>;
}

/** A ratio that is worse than this share of its kept value is reported. */
const tolerance = 0.1;

/** The ratios of the last published run. `npm run bench -- --publish` writes them. */
const file = join(packageRoot, "test/bench/ratios.json");

/** Returns the ratios of the last published run. */
export function readRatios(): KeptRatios {
  return JSON.parse(readFileSync(file, "utf8")) as KeptRatios;
}

/** Writes the ratios of the measured sections. Keeps those of other sections. */
export function keepRatios(commit: string, measured: readonly Measured[]): void {
  const others = Object.entries(readRatios().ratios).filter(
    ([name]) => !measured.some(({ section }) => belongsTo(section, name)),
  );
  const ratios = Object.fromEntries([...others, ...Object.entries(getRatios(measured))]);
  writeFileSync(file, `${JSON.stringify({ commit, ratios }, null, 2)}\n`);
}

/** The ratios of one run and the recorded ratios. */
export interface Comparison {
  /** One line for each ratio that both runs have, in the order of the kept ones. */
  lines: string[];
  /** The lines of the ratios that are more than 10 % worse. */
  worse: string[];
}

/** Compares the ratios of one run with the kept ones. */
export function compareRatios({ commit, ratios }: KeptRatios, measured: readonly Measured[]): Comparison {
  const now = getRatios(measured);
  const lines: string[] = [];
  const worse: string[] = [];
  for (const [name, { value: before, better }] of Object.entries(ratios)) {
    const after = now[name]?.value;
    if (after === undefined) continue;
    const change = (better === "higher" ? before - after : after - before) / before;
    const percent = Math.round(Math.abs(change) * 100);
    const line = `${name}: ${before.toFixed(2)} at ${commit}, now ${after.toFixed(2)}, ${percent} % ${change > 0 ? "worse" : "better"}`;
    lines.push(line);
    if (change > tolerance) worse.push(line);
  }
  return { lines, worse };
}

function getRatios(measured: readonly Measured[]): KeptRatios["ratios"] {
  return Object.fromEntries(
    measured.flatMap(({ section, figures }) =>
      figures.flatMap(({ what, unit, goals }) =>
        goals.flatMap(({ ratio, reached: value }) =>
          ratio ? [[`${section.name}: ${what}, ${unit} / ${ratio.other}`, { value, better: ratio.better }]] : [],
        ),
      ),
    ),
  );
}

function belongsTo({ name }: Measured["section"], ratio: string): boolean {
  return ratio.startsWith(`${name}: `);
}
