import { basename } from "node:path";
import { compileScenario } from "./compile.js";
import type { Row, ScenarioText } from "./format.js";
import { type LintRules, lint } from "./lint.js";
import type { ReadAhead } from "./read-ahead.js";
import type { CompileRules } from "./requests.js";
import type { Scenario } from "./scenario.js";
import { findSetupFiles, type SetupRules } from "./setup-files.js";
import { addSetups, type WrittenScenario } from "./setups.js";
import { readScenarioDocuments, type StepsFile } from "./steps-file.js";
import type { Mistake, Path } from "./yaml-file.js";

/** The parts of a suite that reading its scenarios needs. */
export type ScenarioRules = SetupRules & LintRules & CompileRules & { ahead?: ReadAhead };

/** The result of reading one file: its scenarios (one for each row), or its mistakes as lines `file:line:column: what`. */
export type ParseResult = { ok: true; scenarios: Scenario[] } | { ok: false; mistakes: string[] };

const NAME_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** One scenario of a file. */
interface Variant extends Pick<Scenario, "name" | "text" | "variables"> {
  /** The path of the object that contains its field `proves`. */
  place: Path;
}

/** A row with a name, which becomes a separate scenario. */
type NamedRow = Row & Pick<ScenarioText, "scenario"> & Partial<Pick<ScenarioText, "title" | "proves">>;

/**
 * Reads the scenarios of a file, one from each YAML document, and the setups that they use. Messages and reports name the file as `file`. A
 * recipe, which shows how to cause an error, need not prove a clause.
 */
export function parseScenario(file: string, yaml: string, rules: ScenarioRules, { recipe = false } = {}): ParseResult {
  const stepsFilesResult = readScenarioDocuments<WrittenScenario>(file, yaml, rules.shortNames);
  if (!stepsFilesResult.ok) return stepsFilesResult;
  const results = stepsFilesResult.read.map((document) =>
    parseDocument(document, rules, { recipe, isAlone: stepsFilesResult.read.length === 1 }),
  );
  const mistakes = results.flatMap((result) => (result.ok ? [] : result.mistakes));
  if (mistakes.length > 0) return { ok: false, mistakes: [...new Set(mistakes)] };
  const scenarios = results.flatMap((result) => (result.ok ? result.scenarios : []));
  const second = scenarios.find(({ name }, index) => scenarios.findIndex((otherScenario) => otherScenario.name === name) < index);
  if (second) return { ok: false, mistakes: [`${file}:${second.line}:1: two scenarios are called "${second.name}"`] };
  return { ok: true, scenarios };
}

function parseDocument(
  document: StepsFile<WrittenScenario>,
  rules: ScenarioRules,
  { recipe, isAlone }: { recipe: boolean; isAlone: boolean },
): ParseResult {
  const { file, lineOf } = document;
  const result = addSetups(document, findSetupFiles(file, rules));
  if (!result.ok) return result;
  const { text, origins, tell } = result.whole;
  const name = text.scenario ?? (isAlone ? createName(file) : undefined);
  if (name === undefined) return { ok: false, mistakes: tell([{ path: ["title"], what: MISSING_NAME_MESSAGE }]) };
  const variants = listVariants({ ...text, scenario: name });
  const isOptionalProof = recipe || document.text.proves !== undefined;
  const mistakes = [...variants.flatMap((variant) => findMistakes(variant, rules, isOptionalProof)), ...findSameNames(variants)];
  if (mistakes.length > 0) return { ok: false, mistakes: [...new Set(tell(mistakes))] };
  const line = lineOf(["scenario"]);
  const scenarios = variants.map(({ name, text, variables }) =>
    compileScenario(text, rules, { name, variables, file, line, origins }),
  );
  return { ok: true, scenarios };
}

const MISSING_NAME_MESSAGE = '"scenario" is missing; each scenario of a file with several needs a name';

/** Returns the default name of the scenario in a file. */
function createName(file: string): string {
  return basename(file)
    .replace(/\.ya?ml$/, "")
    .replaceAll("_", "-");
}

/** Returns one variant for each row, with the needs of the row. A row with a name becomes a separate scenario with its own title and clauses. */
function listVariants(text: ScenarioText): Variant[] {
  if (!text.rows) return [{ name: text.scenario, text, variables: {}, place: [] }];
  return text.rows.map((row, index): Variant => {
    const { needs: rowNeeds = [], ...fields } = row as Row & Pick<ScenarioText, "needs">;
    const needs = [...(text.needs ?? []), ...rowNeeds];
    if (fields.scenario === undefined)
      return { name: `${text.scenario}[${index + 1}]`, text: { ...text, needs }, variables: fields, place: [] };
    const { scenario, title = text.title, proves = text.proves, ...variables } = fields as NamedRow;
    return {
      name: scenario,
      text: { ...text, scenario, title, proves, needs, rows: [variables] },
      variables,
      place: ["rows", index],
    };
  });
}

function findMistakes({ text, place }: Variant, rules: ScenarioRules, isOptionalProof: boolean): Mistake[] {
  const found = lint(text, rules).map(({ path, what }) => ({
    path: path[0] === "proves" ? [...place, ...path] : path,
    what,
  }));
  if (!NAME_PATTERN.test(text.scenario))
    found.push({ path: place, what: `"${text.scenario}" is not a valid name; allowed: lower-case words joined by hyphens` });
  if (found.length === 0 && !isOptionalProof && provesNothing(text)) found.push({ path: place, what: '"proves" is missing' });
  return found;
}

function findSameNames(variants: readonly Variant[]): Mistake[] {
  return variants.flatMap(({ name, place }, index) => {
    const isSecond = variants.findIndex((otherVariant) => otherVariant.name === name) < index;
    return isSecond ? [{ path: [...place, "scenario"], what: `two rows are called "${name}"` }] : [];
  });
}

/** Returns whether a check judges no clause: neither its scenario nor its step names one. */
function provesNothing({ proves, steps }: ScenarioText): boolean {
  const checks = steps.filter((step) => step.expect);
  return proves.length === 0 && (checks.length === 0 || checks.some((step) => !step.proves));
}
