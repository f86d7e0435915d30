import type { ErrorObject } from "ajv";
import { type Document, isMap, isPair, LineCounter, type Node, parseDocument } from "yaml";
import { compileSchema, readSpec } from "../../contract/load.js";
import type { Scenario, ScenarioText } from "./format.js";
import { type Ledger, mistakesIn, type Path } from "./mistakes.js";

/** What came of reading one file: its scenarios (one a row), or its mistakes, each a line `file:line:column: what`. */
export type Parsed = { ok: true; scenarios: Scenario[] } | { ok: false; mistakes: string[] };

type Place = (path: Path) => { line: number; col: number };

let compiled: ReturnType<typeof compileSchema> | undefined;

/**
 * Reads one scenario file. `file` is how it is named in messages and reports; `ledger` holds the clauses it may prove. A recipe, which
 * shows how an error comes about, need prove none.
 */
export function parseScenario(file: string, yaml: string, ledger: Ledger, { recipe = false } = {}): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, version: "1.2" });
  const at = (offset: number) => `${file}:${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  const [fault] = document.errors; // the others follow from the first
  if (fault)
    return {
      ok: false,
      mistakes: [`${at(fault.pos[0])}: ${fault.message.split(/ at line|\n/)[0]}; in {…}, text that holds a brace needs quotes`],
    };
  const place: Place = (path) => lines.linePos(offsetOf(document, path));
  const value: unknown = document.toJS();
  const text: ScenarioText = { proves: [], ...(value as Omit<ScenarioText, "proves">) };
  const found = [...schemaMistakes(value)];
  if (found.length === 0) found.push(...mistakesIn(text, ledger));
  if (found.length === 0 && !recipe && !("proves" in (value as object))) found.push({ path: [], what: '"proves" is missing' });
  if (found.length > 0) {
    return { ok: false, mistakes: found.map(({ path, what }) => `${file}:${place(path).line}:${place(path).col}: ${what}`) };
  }
  return { ok: true, scenarios: expandRows(file, text, place) };
}

function expandRows(file: string, text: ScenarioText, place: Place): Scenario[] {
  const stepLines = text.steps.map((_, index) => place(["steps", index]).line);
  const common = { text, file, line: place(["scenario"]).line, stepLines };
  if (!text.rows) return [{ ...common, name: text.scenario, variables: {} }];
  return text.rows.map((variables, index) => ({ ...common, name: `${text.scenario}[${index + 1}]`, variables }));
}

/** Where a value stands in the file; for an unknown key, where the key stands. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const parent = length > 0 ? document.getIn(path.slice(0, length - 1), true) : undefined;
    const key = path[length - 1];
    const pair = isMap(parent) ? parent.items.find((item) => isPair(item) && String(item.key) === String(key)) : undefined;
    const node = (pair?.key ?? document.getIn(path.slice(0, length), true)) as Node | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

function schemaMistakes(value: unknown): { path: Path; what: string }[] {
  compiled ??= compileSchema(readSpec("schema/scenario.json") as object, { verbose: true });
  if (compiled(value)) return [];
  const errors = (compiled.errors ?? []).filter((error) => !["if", "anyOf"].includes(error.keyword) && !isBranchOfOneOf(error));
  const byPlace = new Map(
    errors.map((error) => [`${error.instancePath} ${error.keyword} ${JSON.stringify(error.params)}`, error]),
  );
  return [...byPlace.values()].map(explain);
}

function isBranchOfOneOf(error: ErrorObject): boolean {
  return /\/(oneOf|anyOf)\/\d+\//.test(error.schemaPath);
}

function explain(error: ErrorObject): { path: Path; what: string } {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const params = error.params as Record<string, string> & { allowedValues?: unknown[] };
  switch (error.keyword) {
    case "additionalProperties":
      return {
        path: [...path, params.additionalProperty ?? ""],
        what: `unknown key "${params.additionalProperty}"; allowed: ${allowedKeys(error)}`,
      };
    case "required":
      return { path, what: `"${params.missingProperty}" is missing` };
    case "enum":
      return { path, what: `not one of the allowed values; allowed: ${params.allowedValues?.join(", ")}` };
    case "oneOf":
      return { path, what: `exactly one of these is needed here; allowed: ${oneOfKeys(error)}` };
    case "pattern":
      return { path, what: `has not the right form; allowed: ${params.pattern}` };
    default:
      return { path, what: error.message ?? error.keyword };
  }
}

function allowedKeys({ parentSchema }: ErrorObject): string {
  return Object.keys((parentSchema as { properties?: object }).properties ?? {}).join(", ");
}

function oneOfKeys({ schema }: ErrorObject): string {
  return (schema as { required: string[] }[]).map(({ required }) => required.join("+")).join(", ");
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
