import { compileSchema, readSpec } from "../../contract/load.js";
import { readYamlFile, schemaMistakes, type YamlFile } from "../yaml-file.js";
import type { Scenario, ScenarioText } from "./format.js";
import { type Ledger, mistakesIn } from "./mistakes.js";

/** What came of reading one file: its scenarios (one a row), or its mistakes, each a line `file:line:column: what`. */
export type Parsed = { ok: true; scenarios: Scenario[] } | { ok: false; mistakes: string[] };

let compiled: ReturnType<typeof compileSchema> | undefined;

/**
 * Reads one scenario file. `file` is how it is named in messages and reports; `ledger` holds the clauses it may prove. A recipe, which
 * shows how an error comes about, need prove none.
 */
export function parseScenario(file: string, yaml: string, ledger: Ledger, { recipe = false } = {}): Parsed {
  const parsed = readYamlFile(file, yaml);
  if (!parsed.ok) return parsed;
  const { value, tell } = parsed.read;
  compiled ??= compileSchema(readSpec("schema/scenario.json") as object, { verbose: true });
  const text: ScenarioText = { proves: [], ...(value as Omit<ScenarioText, "proves">) };
  const found = schemaMistakes(compiled, value);
  if (found.length === 0) found.push(...mistakesIn(text, ledger));
  if (found.length === 0 && !recipe && !("proves" in (value as object))) found.push({ path: [], what: '"proves" is missing' });
  return found.length > 0 ? { ok: false, mistakes: tell(found) } : { ok: true, scenarios: expandRows(file, text, parsed.read) };
}

function expandRows(file: string, text: ScenarioText, { lineOf }: YamlFile): Scenario[] {
  const stepLines = text.steps.map((_, index) => lineOf(["steps", index]));
  const common = { text, file, line: lineOf(["scenario"]), stepLines };
  if (!text.rows) return [{ ...common, name: text.scenario, variables: {} }];
  return text.rows.map((variables, index) => ({ ...common, name: `${text.scenario}[${index + 1}]`, variables }));
}
