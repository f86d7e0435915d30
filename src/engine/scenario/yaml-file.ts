import type { ErrorObject, ValidateFunction } from "ajv";
import type { Document, LineCounter, Node } from "yaml";
import { abbreviateList, MAX_LISTED_NAMES } from "../../common/abbreviate-list.js";
import { findClosestName } from "../../common/nearest-names.js";
import { findTooDeepLine, MAX_YAML_LEVELS, TOO_DEEP } from "../../common/yaml-depth.js";
import { describeFault, findFirstFault, yamlOptions } from "../../common/yaml-fault.js";
import { library } from "../library.js";

/** Keys and indexes that lead to a value of a document. */
export type Path = readonly (string | number)[];

/** A mistake and its path in the document. */
export interface Mistake {
  path: Path;
  what: string;
}

/** The data of a YAML file. It can find the place of each value in the file. */
export interface YamlFile {
  value: unknown;
  /** Returns the line of a value, counted from 1. */
  lineOf(path: Path): number;
  /** Returns the first mistakes as lines `file:line:column: what`, and the number of the others. */
  tell(mistakes: readonly Mistake[]): string[];
}

/** Reads a YAML 1.2 text. Messages name it as `file`. Text that is not YAML gives one line `file:line:column: what`. */
export function readYamlFile(file: string, text: string): { ok: true; read: YamlFile } | { ok: false; mistakes: string[] } {
  const { Lexer, LineCounter, parseDocument } = library.yaml();
  const deep = findTooDeepLine(new Lexer().lex(text));
  if (deep !== null) return { ok: false, mistakes: [`${file}:${deep}:1: ${TOO_DEEP}`] };
  const lines = new LineCounter();
  return readDocument(file, text, parseDocument(text, { lineCounter: lines, version: "1.2", ...yamlOptions }), lines);
}

/** Reads all documents of a YAML 1.2 text, separated by `---`. Returns only the mistakes of the first document that has any. */
export function readYamlDocuments(
  file: string,
  text: string,
): { ok: true; read: YamlFile[] } | { ok: false; mistakes: string[] } {
  const { Lexer, LineCounter, parseAllDocuments } = library.yaml();
  const deep = findTooDeepLine(new Lexer().lex(text));
  if (deep !== null) return { ok: false, mistakes: [`${file}:${deep}:1: ${TOO_DEEP}`] };
  const lines = new LineCounter();
  const documents = [...parseAllDocuments(text, { lineCounter: lines, version: "1.2", ...yamlOptions })];
  if (documents.length < 2) {
    const only = readYamlFile(file, text);
    return only.ok ? { ok: true, read: [only.read] } : only;
  }
  const yamlFiles: YamlFile[] = [];
  for (const document of documents) {
    const one = readDocument(file, text, document, lines);
    if (!one.ok) return one;
    yamlFiles.push(one.read);
  }
  return { ok: true, read: yamlFiles };
}

function readDocument(
  file: string,
  text: string,
  document: Document,
  lines: LineCounter,
): { ok: true; read: YamlFile } | { ok: false; mistakes: string[] } {
  const getTextAt = (offset: number) => `${file}:${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  const fault = findFirstFault(document);
  if (fault) {
    const { offset, message } = fault;
    const what = findBareVariable(text, offset) ?? `${message}; inside {…}, put quotes around text that contains a brace`;
    return { ok: false, mistakes: [`${getTextAt(offset)}: ${what}`] };
  }
  const data = readData(document);
  if (!data.ok) return { ok: false, mistakes: [`${file}:1:1: ${data.why}`] };
  const getLine = (path: Path) => lines.linePos(findOffset(document, path)).line;
  const tell = (mistakes: readonly Mistake[]) =>
    abbreviateList(mistakes, ({ path, what }) => `${getTextAt(findOffset(document, path))}: ${what}`);
  return { ok: true, read: { value: data.value, lineOf: getLine, tell } };
}

/** Returns the data of a document. Rejects a document whose aliases multiply its size or are circular. */
function readData(document: Document): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    const value = document.toJS() as unknown;
    return isDeeper(value, MAX_YAML_LEVELS) ? { ok: false, why: TOO_DEEP } : { ok: true, value };
  } catch (error) {
    return { ok: false, why: describeFault(error as Error) };
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** Returns the message for a shell variable that stands inside braces without quotes. */
function findBareVariable(text: string, place: number): string | undefined {
  const from = text.lastIndexOf("\n", place - 1) + 1;
  const [line = ""] = text.slice(from).split("\n");
  const [variable, name] = /(?<!["'\w])\$\{(\w+)\}/.exec(line) ?? [];
  return variable && line.indexOf("{") < line.indexOf(variable)
    ? `${variable} stands in {…} without quotes: for an environment variable write { env: ${name} }`
    : undefined;
}

/** Returns the mistakes that a schema (compiled with `verbose`) finds in a value, each once, with the allowed values. */
export function listSchemaMistakes(valid: ValidateFunction, value: unknown): Mistake[] {
  if (valid(value)) return [];
  const errors = (valid.errors ?? []).filter((error) => !["if", "anyOf"].includes(error.keyword) && !isOneOfBranch(error));
  const byPlace = new Map(
    errors.map((error) => [`${error.instancePath} ${error.keyword} ${JSON.stringify(error.params)}`, error]),
  );
  return [...byPlace.values()].map((error, textAt) => explain(error, textAt < MAX_LISTED_NAMES));
}

/** Returns the position of a value in the file; for an unknown key, the position of the key. */
function findOffset(document: Document, path: Path): number {
  const { isMap, isPair } = library.yaml();
  for (let length = path.length; length >= 0; length--) {
    const parent = length > 0 ? document.getIn(path.slice(0, length - 1), true) : undefined;
    const key = path[length - 1];
    const pair = isMap(parent) ? parent.items.find((item) => isPair(item) && String(item.key) === String(key)) : undefined;
    const node = (pair?.key ?? document.getIn(path.slice(0, length), true)) as Node | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

function isOneOfBranch(error: ErrorObject): boolean {
  return /\/(oneOf|anyOf)\/\d+\//.test(error.schemaPath);
}

/** Describes an error. `isListed`: whether a message can show it, so that it is worth looking for the nearest allowed names. */
function explain(error: ErrorObject, isListed: boolean): Mistake {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const params = error.params as Record<string, string> & { allowedValues?: unknown[] };
  switch (error.keyword) {
    case "additionalProperties": {
      const { additionalProperty: key = "" } = params;
      return { path: [...path, key], what: `unknown key "${key}"${isListed ? suggestCorrection(key, error) : ""}` };
    }
    case "required":
      return { path, what: `"${params.missingProperty}" is missing` };
    case "enum": {
      const allowed = (params.allowedValues ?? []).map(String);
      const near = isListed ? findClosestName(String(error.data), allowed) : "";
      return { path, what: `not one of the allowed values; allowed: ${allowed.join(", ")}${near}` };
    }
    case "oneOf":
      return { path, what: `exactly one of these keys is required: ${formatOneOfKeys(error)}` };
    case "false schema":
      return { path, what: `"${path.at(-1)}" is not allowed here` };
    case "pattern":
      return { path, what: `${JSON.stringify(error.data)} is not valid; allowed: ${describeForm(error)}` };
    default:
      return { path, what: `${path.at(-1) ?? "the file"} ${error.message ?? error.keyword}` };
  }
}

/** Returns a description of valid text: that of the schema if it has one, else the pattern. */
function describeForm({ parentSchema, params }: ErrorObject): string {
  const { description } = parentSchema as { description?: string };
  return description ?? `text that matches ${(params as { pattern: string }).pattern}`;
}

/** Returns the present name of a renamed key, or else the allowed keys. `x-renamed` in the schema maps former names to present ones. */
function suggestCorrection(key: string, error: ErrorObject): string {
  const renamed = (error.parentSchema as { "x-renamed"?: Record<string, string> })["x-renamed"];
  if (renamed && Object.hasOwn(renamed, key)) return `: it is called ${renamed[key]} now`;
  const allowed = listAllowedKeys(error);
  return `; allowed: ${allowed.join(", ")}${findClosestName(key, allowed)}`;
}

function listAllowedKeys({ parentSchema }: ErrorObject): string[] {
  return Object.keys((parentSchema as { properties?: object }).properties ?? {});
}

function formatOneOfKeys({ schema }: ErrorObject): string {
  return (schema as { required: string[] }[]).map(({ required }) => required.join("+")).join(", ");
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
