import { escapeCell, formatCode } from "../../common/escape/markdown.js";

/** The parts of a JSON Schema that a reference shows. */
interface Schema {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** Returns Markdown for a JSON Schema: its description, a table of its fields, and a section for each of its definitions. */
export function writeSchemaPage(schema: object): string {
  const { $defs = {}, ...root } = schema as Schema;
  const sections = Object.entries($defs).map(([name, definition]) => `## ${name}\n\n${writeSection(definition)}`);
  return [writeSection(root), ...sections].join("\n\n");
}

/** Returns a Markdown table of the fields of an object schema; an empty text when it has none. */
export function writeFieldTable(schema: object): string {
  const rows = listFields(schema as Schema, "").map(([path, field, isRequired]) => {
    const notes = [isRequired ? "Required." : "", writeNote(field)].filter(Boolean).join(" ");
    return `| ${formatCode(path)} | ${escapeCell(formatType(field))} | ${escapeCell(notes)} |`;
  });
  return rows.length === 0 ? "" : ["| field | value | meaning |", "|---|---|---|", ...rows].join("\n");
}

function writeSection(schema: Schema): string {
  const value = schema.properties ? "" : `Value: ${formatType(schema)}.`;
  return [schema.description ?? "", value, writeFieldTable(schema)].filter(Boolean).join("\n\n");
}

/** Each field below a schema, with dots between levels: `allow.paid`, `steps[]` for items, `keys.*` for any name. */
function listFields(schema: Schema, at: string): [path: string, field: Schema, isRequired: boolean][] {
  const { properties = {}, required = [], additionalProperties, items, oneOf = [], anyOf = [] } = schema;
  const named = Object.entries(properties).flatMap(([name, field]): [string, Schema, boolean][] => {
    const path = at === "" ? name : `${at}.${name}`;
    return [[path, field, required.includes(name)], ...listFields(field, path)];
  });
  const prefix = at === "" ? "" : `${at}.`;
  const any: typeof named =
    typeof additionalProperties === "object"
      ? [[`${prefix}*`, additionalProperties, false], ...listFields(additionalProperties, `${prefix}*`)]
      : [];
  const inItems = items ? listFields(items, `${at}[]`) : [];
  return [...named, ...any, ...inItems, ...[...oneOf, ...anyOf].flatMap((choice) => listFields(choice, at))];
}

function writeNote({ description = "", default: standard, items }: Schema): string {
  const text = description || (items?.description ?? "");
  return standard === undefined ? text : `${text} Default: \`${JSON.stringify(standard)}\`.`.trim();
}

/** Returns the type of a schema in words: `string`, `"a" or "b"`, `list of string`, or a link to a definition. */
function formatType(schema: Schema): string {
  const { $ref, const: constant, enum: values, oneOf, anyOf, type, items } = schema;
  if ($ref !== undefined) return writeLink($ref);
  if (constant !== undefined) return formatCode(JSON.stringify(constant));
  if (values) return values.map((value) => formatCode(JSON.stringify(value))).join(", ");
  const choices = oneOf ?? anyOf;
  if (choices && type === undefined) return [...new Set(choices.map(formatType))].join(" or ");
  if (items && type === "array") return `list of ${formatType(items)}`;
  return type === undefined ? "anything" : [type].flat().join(" or ");
}

function writeLink(reference: string): string {
  const [file = "", pointer = ""] = reference.split("#");
  const name = pointer.split("/").at(-1) ?? "";
  return file === "" ? `[${name}](#${name.toLowerCase()})` : `\`${name || file}\` of \`spec/schema/${file}\``;
}
