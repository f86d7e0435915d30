import type { Property } from "../../src/engine/property/property.js";
import type { CatalogueRow } from "../../src/suite/suite.js";
import { sampleSeed } from "../meta/sample.js";
import type { Mutant } from "../mutants/mutant.js";
import { constantServers } from "./constant-servers.js";
import { draw, drawEvenly } from "./draw.js";
import { CASES, type Examination, PUBLISHED_CASES, SMALL_RUN_CASES } from "./examine.js";
import type { Quality } from "./matrix.js";
import { getFamily } from "./mutants.js";
import type { Task } from "./pool.js";
import { slowTests } from "./slow-tests.js";
import { expectations, legalRows, measured, permissiveServers, plain, variants } from "./variants.js";

/** The options of the command line. */
export interface PlanOptions {
  whole?: true;
  all?: true;
  only?: string;
  sample?: number;
  seed: number;
  workers: number;
  seeds?: number;
  /** Whether the figures are published: every conforming server meets the whole suite, and mutants meet every kind of run. */
  publish?: true;
  /** Only legal servers whose names fit, and no mutant. */
  legal?: string;
  /** The number of slow test files that run completely; all by default. */
  tests?: number;
  /** Only servers without behaviour whose names fit, and no mutant. */
  constant?: string;
}

/** The servers to examine and the tests to run, with a sentence about each. */
export interface Plan {
  mutants: Mutant[];
  tasks: Task[];
  words: string[];
  /** Whether the options select only some mutants and nothing else. */
  narrowed: boolean;
  /** The part of the suite for the conforming servers. */
  conforming: Quality["conforming"];
}

/** The number of examined mutants unless the options select all. */
const DRAWN = 400;

/** Chooses mutants and scenarios. Some mutants alone need no tests and no variants, only the sound mock that makes a kill worth something. */
export function makePlan(all: readonly Mutant[], rows: readonly CatalogueRow[], options: PlanOptions): Plan {
  const mutants = chooseMutants(all, options);
  const namesServers = options.legal !== undefined || options.constant !== undefined;
  const isPart = options.only !== undefined || options.sample !== undefined || namesServers;
  const narrowed = isPart && mutants.length < all.length;
  const drawn = permissiveServers(options.seed, options.publish);
  const legal = namesServers
    ? namesMatching(options.legal, [...variants.keys(), ...drawn])
    : narrowed
      ? [plain]
      : [...measured, ...drawn];
  const constant = narrowed ? namesMatching(options.constant, [...constantServers.keys()]) : drawnConstants(options);
  return {
    mutants,
    narrowed,
    tasks: [
      ...legal.map((name): Task => ({ kind: "variant", name, only: [], ...describeSelection(name, options) })),
      ...constant.map((name): Task => ({ kind: "constant", name, only: [], seeds: [options.seed] })),
      ...(narrowed || options.publish ? [] : slowTests(options.tests)),
      ...mutants.map((mutant): Task => taskFor(mutant, rows, options)),
    ],
    conforming: countMetConforming(options),
    words: [
      options.whole
        ? "Against each mutant: the whole suite."
        : "Against each mutant: the scenarios that claim its clause; where that is not found broken, the properties that may blame it as well.",
      namesServers
        ? `No mutant, ${legal.length} legal servers and ${constant.length} servers without behaviour; seed ${options.seed}.`
        : narrowed
          ? `A part of the mutants${options.sample === undefined ? "" : `, drawn with seed ${options.seed}`}, and of the legal variants only ${plain}.`
          : `${mutants.length < all.length ? `${mutants.length} of ${all.length} mutants, of every family some` : "All mutants"}${options.publish ? ", some of them in every kind of run" : ", the tests of which `npm test` tries a sample"}; seed ${options.seed}.`,
      ...(narrowed
        ? []
        : [describeLegalServers(options), `${constant.length} of ${constantServers.size} servers without behaviour.`]),
    ],
  };
}

/** How many servers without behaviour a measure draws. A publication examines all. */
const CONSTANTS = 12;

function drawnConstants({ seed, publish }: PlanOptions): string[] {
  const all = [...constantServers.keys()];
  return publish ? all : draw(all, CONSTANTS, seed);
}

/** Returns the names that fit a glob; none without a glob. */
function namesMatching(glob: string | undefined, names: readonly string[]): string[] {
  return glob === undefined ? [] : names.filter((name) => matchesGlob(glob, name));
}

/** Returns the examination of a mutant in the full profile with all hooks. */
export function taskFor(
  { name, breaks }: Mutant,
  rows: readonly CatalogueRow[],
  options: Pick<PlanOptions, "whole" | "seed">,
): Examination {
  return { kind: "mutant", name, only: options.whole ? [] : getNames(rows, breaks), seeds: [options.seed], cases: CASES };
}

/** Returns a sentence about the part of the suite for the conforming servers. It is smaller than in a publication. */
function describeLegalServers({ publish, seeds, seed }: PlanOptions): string {
  const drawn = permissiveServers(seed, publish);
  const permissive = `${drawn.length} servers that take every freedom of the contract by chance: ${drawn.join("; ")}.`;
  if (publish)
    return `${measured.length + drawn.length} conforming servers, each with the whole suite and ${PUBLISHED_CASES} cases a property; of these ${permissive}`;
  const [switched, rows] =
    seeds === undefined
      ? [
          `half of the suite, drawn with the seed and COUNTERPART_TEST_SEED ${sampleSeed}`,
          `a quarter of it and ${SMALL_RUN_CASES} cases a property`,
        ]
      : Array<string>(2).fill(`all of it, and its properties with ${seeds} seeds of ${SMALL_RUN_CASES} cases`);
  return `The default mock with the whole suite, ${measured.length - legalRows.size - 1} mocks that differ in one switch with ${switched}, and ${legalRows.size} servers of a covering array with ${rows}; the published figure (--publish) is of the whole suite on each, with ${PUBLISHED_CASES} cases. With the whole suite also ${permissive}`;
}

/** Returns the least that a conforming server meets. */
function countMetConforming({ publish, seeds, seed }: PlanOptions): Quality["conforming"] {
  if (publish) return { part: "whole", cases: PUBLISHED_CASES, seed };
  return { part: seeds === undefined ? "quarter" : "whole", cases: SMALL_RUN_CASES, seed };
}

/** Into how many parts the suite is cut, of which a row meets another each time, and a mock with another switch. */
const PARTS = { row: 4, mock: 2 };

/**
 * Returns the part of the suite for a conforming server: another part for each server and each measurement, or all of it, with further seeds
 * for its properties. The default mock meets all of it. Neighbours in the list meet different halves, so each half meets six mocks or seven.
 */
function describeSelection(name: string, { seed, seeds, publish }: PlanOptions): Pick<Examination, "seeds" | "cases" | "shard"> {
  if (publish) return { seeds: [seed], cases: PUBLISHED_CASES };
  const place = measured.indexOf(name);
  const first = (seed + 7919 * Math.max(place, 0)) % 2 ** 31;
  const isWhole = expectations.get(name)?.like !== undefined || name === plain;
  const usual = {
    seeds: [legalRows.has(name) ? first : seed] as const,
    ...(!isWhole && { cases: SMALL_RUN_CASES }),
  };
  if (seeds !== undefined)
    return { ...usual, seeds: [usual.seeds[0], ...Array.from({ length: seeds - 1 }, (_, at) => first + 1 + at)] };
  if (place === -1 || name === plain) return usual;
  // the measure of a commit has seed 1 in CI, and the other seed of each commit draws other halves
  const [drawn, of] = legalRows.has(name) ? [first, PARTS.row] : [first + sampleSeed, PARTS.mock];
  return { ...usual, shard: { index: 1 + (drawn % of), of } };
}

function chooseMutants(all: readonly Mutant[], { all: isWhole, only, sample, seed, legal, constant }: PlanOptions): Mutant[] {
  if (legal !== undefined || constant !== undefined) return [];
  if (only === undefined && sample === undefined) return isWhole ? [...all] : drawEvenly(all, DRAWN, seed, getFamily);
  const mutants = all.filter(({ name }) => only === undefined || matchesGlob(only, name));
  return sample === undefined || sample >= mutants.length ? mutants : draw(mutants, sample, seed);
}

/** Returns the next checks for a mutant whose clause did not fail: the properties that may find it. Returns none if all were run. */
export function getOtherProperties(
  only: readonly string[],
  clause: string,
  properties: readonly Pick<Property, "id" | "proves">[],
): string[] {
  if (only.length === 0 || only.some((one) => one.startsWith("property:"))) return [];
  return properties.filter(({ proves }) => proves.includes(clause)).map(({ id }) => `property:${id}`);
}

/** Returns the names of the scenarios that claim a clause; the clause itself if there are none. */
function getNames(rows: readonly CatalogueRow[], clause: string): string[] {
  const names = rows.filter(({ claims }) => claims.includes(clause)).map(({ name }) => name);
  return names.length > 0 ? names : [clause];
}

function matchesGlob(glob: string, name: string): boolean {
  const parts = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
