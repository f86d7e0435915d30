import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Mutant } from "../mutants/mutant.js";

/** Mutants by the file of `test/mutants` that exports them. Every file is read, so that a new one is never forgotten. */
const families: ReadonlyMap<string, readonly Mutant[]> = await readFamilies();

/** Every mutant. */
export const mutants: readonly Mutant[] = [...families.values()].flat();

/** The name of the file that a mutant is from. */
export function familyOf(mutant: Mutant): string | undefined {
  return [...families].find(([, members]) => members.includes(mutant))?.[0];
}

/** The names are those of the sources, as compiled files outlive sources that are gone. */
async function readFamilies(): Promise<Map<string, Mutant[]>> {
  const sources = readdirSync(join(packageRoot, "test/mutants")).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const modules = await Promise.all(
    sources.sort().map((file) => import(/* @vite-ignore */ `../mutants/${file.replace(/ts$/, "js")}`)),
  );
  return new Map(modules.map((module: Record<string, unknown>, at) => [sources[at] as string, mutantsIn(module)]));
}

function mutantsIn(module: Record<string, unknown>): Mutant[] {
  return Object.values(module).filter(Array.isArray).flat() as Mutant[];
}
