import { sep } from "node:path";
import { findClosestName } from "../../common/nearest-names.js";
import type { Property } from "../property/property.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Scenario } from "../scenario/scenario.js";
import {
  createMatcher,
  isFile,
  parseGlob,
  readScenarioFiles,
  readScenarios,
  type Selection,
  select,
} from "../scenario/select.js";
import type { Suite } from "../suite.js";
import type { SelectionOptions } from "./options.js";

const PROPERTY_PREFIX = "property:";
/** Maximum number of patterns. A report may come from another user, and each pattern is compared with every scenario. */
const MAX_PATTERNS = 1000;

/** The selected scenarios and the identity of their suite, or the mistakes in files and options. */
export type SelectionResult = { ok: true; scenarios: Scenario[]; identity: SuiteIdentity } | { ok: false; mistakes: string[] };

/** Reads the suite and selects its scenarios. An empty selection is a mistake. */
export function selectScenarios(suite: Suite, options: Omit<SelectionOptions, "runs">): SelectionResult {
  const { only = [], among, surface, shard } = options;
  if (only.length > MAX_PATTERNS)
    return { ok: false, mistakes: [`--only has ${only.length} values. Give ${MAX_PATTERNS} at most.`] };
  const files = only.filter(isFile);
  const patterns = only.filter((pattern) => !files.includes(pattern) && !namesProperties(pattern));
  const all =
    only.length > 0 && patterns.length === 0
      ? { scenarios: [], mistakes: [] }
      : readScenarios(options.scenarios ?? suite.scenarios, suite);
  const single = readScenarioFiles(files, suite);
  const mistakes = [...all.mistakes, ...single.mistakes];
  if (mistakes.length > 0) return { ok: false, mistakes };
  const unmatched = patterns.filter((pattern) => !suite.clauses[pattern] && !all.scenarios.some(createMatcher(pattern)));
  if (unmatched.length > 0)
    return { ok: false, mistakes: unmatched.map((pattern) => describeUnmatched(pattern, suite, all.scenarios)) };
  const selection: Selection = { only: patterns, ...(surface && { surface }) };
  const named = new Set(single.scenarios.map(({ name }) => name));
  const otherScenarios = select(all.scenarios, selection, suite.clauses).filter(({ name }) => !named.has(name));
  const scenarios = [...single.scenarios, ...otherScenarios]
    .filter(({ name }) => among?.has(name) ?? true)
    .filter(selectShard(shard));
  return scenarios.length > 0 || only.some(namesProperties)
    ? { ok: true, scenarios, identity: suite.identify([...single.scenarios, ...all.scenarios]) }
    : { ok: false, mistakes: ["nothing is selected: no scenario, file or clause matches --only, --surface and --shard"] };
}

/** Returns the message for a pattern without a match. It suggests the closest names. */
function describeUnmatched(pattern: string, { clauses }: Suite, scenarios: readonly Scenario[]): string {
  const names = [
    ...Object.keys(clauses),
    ...new Set(scenarios.flatMap(({ commonName, file }) => [commonName, file.split(sep).at(-1) ?? ""])),
  ];
  const near = findClosestName(pattern.replaceAll("*", ""), names);
  return `nothing is selected: no scenario, file or clause matches --only ${pattern}${near}`;
}

/** Returns the selected properties. Loads their code only if any can be selected. */
export async function selectProperties(suite: Suite, options: SelectionOptions): Promise<Property[]> {
  if (!wantsProperties(options)) return [];
  const { only = [], surface, shard } = options;
  const globs = only.filter(namesProperties).map(parseGlob);
  const properties = await suite.properties();
  return properties
    .filter(({ id }) => globs.length === 0 || globs.some((matches) => matches(PROPERTY_PREFIX + id)))
    .filter(({ proves }) => surface === undefined || proves.some((clause) => suite.clauses[clause]?.surface.includes(surface)))
    .filter(selectShard(shard));
}

/** Returns a filter for the items of a list that belong to a shard. */
function selectShard(shard: SelectionOptions["shard"]): (_: unknown, index: number) => boolean {
  return (_, index) => !shard || index % shard.of === shard.index - 1;
}

/** Tells whether the options select properties: all of them with the whole suite, else those in `only`. */
export function wantsProperties({ only = [], scenarios, runs }: Pick<SelectionOptions, "only" | "scenarios" | "runs">): boolean {
  return runs !== 0 && (only.some(namesProperties) || (only.length === 0 && scenarios === undefined));
}

function namesProperties(pattern: string): boolean {
  return pattern.startsWith(PROPERTY_PREFIX);
}
