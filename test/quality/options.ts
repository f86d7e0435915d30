import { randomInt } from "node:crypto";
import type { OperatorOptions } from "./operators/measure.js";
import type { PlanOptions } from "./plan.js";

/** The options of the command line. */
export interface MeasureOptions extends PlanOptions {
  operators?: Pick<OperatorOptions, "sample" | "files"> | "none";
  operatorsAlone?: true;
  /** Sets of mutants of which only the causes are measured. */
  causes?: number;
}

/** Options that make a measure smaller than a publication, or repeat an earlier draw. */
const NOT_PUBLISHED = [
  "only",
  "legal",
  "constant",
  "sample",
  "seed",
  "seeds",
  "operatorsAlone",
  "tests",
  "causes",
] as const satisfies readonly (keyof MeasureOptions)[];

/** Returns the mistake in the options, in a sentence. */
export function mistakeIn(options: Partial<MeasureOptions>): string | undefined {
  const given = NOT_PUBLISHED.find((name) => options[name] !== undefined);
  if (!options.publish || (!given && options.operators !== "none")) return undefined;
  const name = given === "operatorsAlone" ? "operators-alone" : (given ?? "operators none");
  return `--${name}: a publication draws a new seed and measures every family. Leave --${name} or --publish out.`;
}

/** The number of operator mutants that a publication draws. */
const OPERATORS = 150;

/** Returns the options with a seed: the given one, 1 in CI, else a new one. A publication always draws a new one. */
export function withSeed(options: Omit<MeasureOptions, "seed"> & { seed?: number }, isCi: boolean): MeasureOptions {
  const seed = options.seed ?? (isCi && !options.publish ? 1 : randomInt(1, 2 ** 31));
  return { ...options, seed, ...(options.publish && { operators: options.operators ?? { sample: OPERATORS } }) };
}
