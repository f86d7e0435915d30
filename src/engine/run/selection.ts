import { sep } from "node:path";
import { nearestIn } from "../../common/nearest-names.js";
import type { Property } from "../property/property.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Scenario } from "../scenario/scenario.js";
import { globOf, isFile, readScenarioFiles, readScenarios, type Selection, select } from "../scenario/select.js";
import type { Suite } from "../suite.js";
import type { SelectionOptions } from "./options.js";

const PREFIX = "property:";

/** The scenarios that options select, and which suite they are from; or the mistakes in files and options. */
export type SelectionResult = { ok: true; scenarios: Scenario[]; identity: SuiteIdentity } | { ok: false; mistakes: string[] };

/** Reads the suite and selects from it; a selection of nothing is a mistake too. */
export function selectScenarios(suite: Suite, options: Omit<SelectionOptions, "runs">): SelectionResult {
  const { only = [], among, surface, shard } = options;
  const files = only.filter(isFile);
  const patterns = only.filter((pattern) => !files.includes(pattern) && !namesProperties(pattern));
  const all =
    only.length > 0 && patterns.length === 0
      ? { scenarios: [], mistakes: [] }
      : readScenarios(options.scenarios ?? suite.scenarios, suite);
  const single = readScenarioFiles(files, suite);
  const mistakes = [...all.mistakes, ...single.mistakes];
  if (mistakes.length > 0) return { ok: false, mistakes };
  const strays = patterns.filter(
    (pattern) => !suite.clauses[pattern] && select(all.scenarios, { only: [pattern] }, suite.clauses).length === 0,
  );
  if (strays.length > 0) return { ok: false, mistakes: strays.map((pattern) => strayPattern(pattern, suite, all.scenarios)) };
  const selection: Selection = { only: patterns, ...(surface && { surface }) };
  const named = new Set(single.scenarios.map(({ name }) => name));
  const others = select(all.scenarios, selection, suite.clauses).filter(({ name }) => !named.has(name));
  const scenarios = [...single.scenarios, ...others].filter(({ name }) => among?.has(name) ?? true).filter(inShard(shard));
  return scenarios.length > 0 || only.some(namesProperties)
    ? { ok: true, scenarios, identity: suite.identify([...single.scenarios, ...all.scenarios]) }
    : { ok: false, mistakes: ["nothing is selected: no scenario, file or clause fits --only, --surface and --shard"] };
}

/** What is said of a pattern that fits nothing, with the names that it may be a slip of. */
function strayPattern(pattern: string, { clauses }: Suite, scenarios: readonly Scenario[]): string {
  const names = [
    ...Object.keys(clauses),
    ...new Set(scenarios.flatMap(({ commonName, file }) => [commonName, file.split(sep).at(-1) ?? ""])),
  ];
  const near = nearestIn(pattern.replaceAll("*", ""), names);
  return `nothing is selected: no scenario, file or clause fits --only ${pattern}${near}`;
}

/** The properties that options select. What they are made of is loaded only for that. */
export async function selectProperties(suite: Suite, options: SelectionOptions): Promise<Property[]> {
  if (!wantsProperties(options)) return [];
  const { only = [], surface, shard } = options;
  const globs = only.filter(namesProperties).map(globOf);
  const properties = await suite.properties();
  return properties
    .filter(({ id }) => globs.length === 0 || globs.some((fits) => fits(PREFIX + id)))
    .filter(({ proves }) => surface === undefined || proves.some((clause) => suite.clauses[clause]?.surface.includes(surface)))
    .filter(inShard(shard));
}

/** Whether an item of a list, by its place, is in the part that a shard has of it. */
function inShard(shard: SelectionOptions["shard"]): (_: unknown, index: number) => boolean {
  return (_, index) => !shard || index % shard.of === shard.index - 1;
}

/** Whether options ask for properties: all with the whole suite, else those that `only` names. */
export function wantsProperties({ only = [], scenarios, runs }: Pick<SelectionOptions, "only" | "scenarios" | "runs">): boolean {
  return runs !== 0 && (only.some(namesProperties) || (only.length === 0 && scenarios === undefined));
}

function namesProperties(pattern: string): boolean {
  return pattern.startsWith(PREFIX);
}
