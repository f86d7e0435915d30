import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Mutant } from "../mutants/mutant.js";

/** Every mutant. Every file is read, so that a new one is never forgotten. */
export const mutants: readonly Mutant[] = await readMutants();

/** Returns the family of a mutant: the mutants that break one clause for values of the same dimension, or for none. */
export function getFamily({ breaks, value }: Mutant): string {
  return [breaks, value?.surface, value?.dimension].join(" ");
}

/** Reads the names of the sources, because compiled files of deleted sources remain. */
async function readMutants(): Promise<Mutant[]> {
  const sources = readdirSync(join(packageRoot, "test/mutants")).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const modules = await Promise.all(
    sources.sort().map((file) => import(/* @vite-ignore */ `../mutants/${file.replace(/ts$/, "js")}`)),
  );
  return modules.flatMap((module: Record<string, unknown>) => Object.values(module).filter(Array.isArray).flat() as Mutant[]);
}
