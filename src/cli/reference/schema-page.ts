import { markdownCell, markdownCode } from "../../common/escape/markdown.js";

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
export function schemaPage(schema: object): string {
  const { $defs = {}, ...root } = schema as Schema;
  const sections = Object.entries($defs).map(([name, definition]) => `## ${name}\n\n${sectionOf(definition)}`);
  return [sectionOf(root), ...sections].join("\n\n");
}

/** Returns a Markdown table of the fields of an object schema; an empty text when it has none. */
export function fieldTable(schema: object): string {
  const rows = fieldsOf(schema as Schema, "").map(([path, field, isRequired]) => {
    const notes = [isRequired ? "Required." : "", noteOf(field)].filter(Boolean).join(" ");
    return `| ${markdownCode(path)} | ${markdownCell(typeOf(field))} | ${markdownCell(notes)} |`;
  });
  return rows.length === 0 ? "" : ["| field | value | meaning |", "|---|---|---|", ...rows].join("\n");
}

function sectionOf(schema: Schema): string {
  const value = schema.properties ? "" : `Value: ${typeOf(schema)}.`;
  return [schema.description ?? "", value, fieldTable(schema)].filter(Boolean).join("\n\n");
}

/** Each field below a schema, with dots between levels: `allow.paid`, `steps[]` for items, `keys.*` for any name. */
function fieldsOf(schema: Schema, at: string): [path: string, field: Schema, isRequired: boolean][] {
  const { properties = {}, required = [], additionalProperties, items, oneOf = [], anyOf = [] } = schema;
  const named = Object.entries(properties).flatMap(([name, field]): [string, Schema, boolean][] => {
    const path = at === "" ? name : `${at}.${name}`;
    return [[path, field, required.includes(name)], ...fieldsOf(field, path)];
  });
  const prefix = at === "" ? "" : `${at}.`;
  const any: typeof named =
    typeof additionalProperties === "object"
      ? [[`${prefix}*`, additionalProperties, false], ...fieldsOf(additionalProperties, `${prefix}*`)]
      : [];
  const inItems = items ? fieldsOf(items, `${at}[]`) : [];
  return [...named, ...any, ...inItems, ...[...oneOf, ...anyOf].flatMap((choice) => fieldsOf(choice, at))];
}

function noteOf({ description = "", default: standard, items }: Schema): string {
  const text = description || (items?.description ?? "");
  return standard === undefined ? text : `${text} Default: \`${JSON.stringify(standard)}\`.`.trim();
}

/** Returns the type of a schema in words: `string`, `"a" or "b"`, `list of string`, or a link to a definition. */
function typeOf(schema: Schema): string {
  const { $ref, const: constant, enum: values, oneOf, anyOf, type, items } = schema;
  if ($ref !== undefined) return linkTo($ref);
  if (constant !== undefined) return markdownCode(JSON.stringify(constant));
  if (values) return values.map((value) => markdownCode(JSON.stringify(value))).join(", ");
  const choices = oneOf ?? anyOf;
  if (choices && type === undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (items && type === "array") return `list of ${typeOf(items)}`;
  return type === undefined ? "anything" : [type].flat().join(" or ");
}

function linkTo(reference: string): string {
  const [file = "", pointer = ""] = reference.split("#");
  const name = pointer.split("/").at(-1) ?? "";
  return file === "" ? `[${name}](#${name.toLowerCase()})` : `\`${name || file}\` of \`spec/schema/${file}\``;
}
