import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Mutant } from "../mutants/mutant.js";

/** Every mutant that a file of `test/mutants` exports, so that a new file is never forgotten. */
export const mutants: readonly Mutant[] = await readMutants();

/** The names are those of the sources, as compiled files outlive sources that are gone. */
async function readMutants(): Promise<Mutant[]> {
  const sources = readdirSync(join(packageRoot, "test/mutants")).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const modules = await Promise.all(
    sources.sort().map((file) => import(/* @vite-ignore */ `../mutants/${file.replace(/ts$/, "js")}`)),
  );
  return modules.flatMap((module: Record<string, unknown>) => Object.values(module).filter(Array.isArray).flat() as Mutant[]);
}
