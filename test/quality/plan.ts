import fc from "fast-check";
import { type CatalogueRow, suite } from "../../src/suite/suite.js";
import type { Mutant } from "../mutants/mutant.js";
import type { Task } from "./pool.js";
import { slowTests } from "./slow-tests.js";
import { plain, variants } from "./variants.js";

/** What the command line asks for. */
export interface Wish {
  whole?: true;
  only?: string;
  sample?: number;
  seed: number;
  workers: number;
  fresh?: boolean;
}

/** The servers to examine and the tests to run, and in a sentence each what is done with them. */
export interface Plan {
  mutants: Mutant[];
  tasks: Task[];
  words: string[];
}

/** Chooses mutants and scenarios. Some mutants alone need no tests and no variants, only the sound mock that makes a kill worth something. */
export function makePlan(all: readonly Mutant[], rows: readonly CatalogueRow[], wish: Wish): Plan {
  const mutants = chooseMutants(all, wish);
  const narrowed = mutants.length < all.length;
  const legal = narrowed ? [plain] : [...variants.keys()];
  return {
    mutants,
    tasks: [
      ...legal.map((name): Task => ({ kind: "variant", name, only: [] })),
      ...(narrowed ? [] : slowTests()),
      ...mutants.map(({ name, breaks }): Task => ({ kind: "mutant", name, only: wish.whole ? [] : neighbours(rows, breaks) })),
    ],
    words: [
      wish.whole
        ? "Against each mutant: the whole suite."
        : "Against each mutant: the scenarios that claim its clause or another of the same section of the contract; the whole suite only where these find nothing.",
      narrowed
        ? `A part of the mutants${wish.sample === undefined ? "" : `, drawn with seed ${wish.seed}`}, and of the legal variants only ${plain}.`
        : "All mutants, the whole suite against all legal variants, and the tests of which `npm test` tries a sample.",
    ],
  };
}

function chooseMutants(all: readonly Mutant[], { only, sample, seed }: Wish): Mutant[] {
  const named = all.filter(({ name }) => only === undefined || globbed(only, name));
  if (sample === undefined || sample >= named.length) return named;
  const [drawn = []] = fc.sample(fc.shuffledSubarray(named, { minLength: sample, maxLength: sample }), { seed, numRuns: 1 });
  return drawn;
}

/** Files of the scenarios that claim a clause of the section that this one is of. */
function neighbours(rows: readonly CatalogueRow[], clause: string): string[] {
  const isNear = (id: string) => suite.clauses[id]?.section === suite.clauses[clause]?.section;
  return [...new Set(rows.filter(({ claims }) => claims.some(isNear)).map(({ file }) => file))];
}

function globbed(glob: string, name: string): boolean {
  const parts = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
