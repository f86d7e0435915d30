import type * as Yaml from "yaml";
import { escapeCodeUnits, escapeLine, escapeText } from "./visible.js";

/** The parts of the library `yaml` that this file uses. The caller passes them, so that the library is loaded only when needed. */
export type YamlLibrary = Pick<typeof Yaml, "Document" | "YAMLMap" | "Scalar" | "Pair" | "isScalar" | "visit">;

/** A row of a YAML mapping: a comment line, an empty line, or a name with its value. */
export type YamlRow = { comment: string } | { gap: true } | YamlEntry;

interface YamlEntry {
  name: string;
  /** Plain data on one line, the rows of a mapping, or the items of a list, one in each line. */
  value: { inline: unknown } | { rows: readonly YamlRow[] } | { items: readonly unknown[] };
  /** A comment at the end of the line; below it for rows and items. */
  note?: string;
}

/** Returns a YAML document of these rows, written by the library `yaml`. Every comment stays on one line. */
export function printYaml(yaml: YamlLibrary, rows: readonly YamlRow[]): string {
  const document = new yaml.Document();
  document.contents = createMapping(yaml, document, rows) as never;
  return printDocument(yaml, document, 0);
}

/** Returns YAML of plain data, made by the library `yaml`. */
export function printYamlValue(yaml: YamlLibrary, value: object): string {
  return printDocument(yaml, new yaml.Document(value, { aliasDuplicateObjects: false }), 120);
}

function createMapping(yaml: YamlLibrary, document: Yaml.Document, rows: readonly YamlRow[]): Yaml.YAMLMap {
  const map = new yaml.YAMLMap();
  let above: string[] = [];
  for (const row of rows) {
    if ("gap" in row) above.push("");
    else if ("comment" in row) above.push(formatComment(row.comment));
    else {
      const key = new yaml.Scalar(row.name);
      const value = createYamlNode(yaml, document, row.value);
      if (row.note !== undefined) value["inline" in row.value ? "comment" : "commentBefore"] = formatComment(row.note);
      if (above[0] === "") key.spaceBefore = true;
      const lines = above[0] === "" ? above.slice(1) : above;
      if (lines.length > 0) key.commentBefore = lines.join("\n");
      map.items.push(new yaml.Pair(key, value));
      above = [];
    }
  }
  if (above.length > 0) map.comment = above.join("\n");
  return map;
}

function createYamlNode(
  yaml: YamlLibrary,
  document: Yaml.Document,
  value: YamlEntry["value"],
): Yaml.Scalar | Yaml.YAMLMap | Yaml.YAMLSeq {
  if ("rows" in value) return createMapping(yaml, document, value.rows);
  const node = document.createNode("items" in value ? value.items : value.inline) as Yaml.Scalar | Yaml.YAMLMap | Yaml.YAMLSeq;
  if ("inline" in value && !yaml.isScalar(node)) node.flow = true;
  return node;
}

function formatComment(text: string): string {
  return ` ${escapeLine(text)}`;
}

/** Puts texts with control characters in double quotes, the only form of YAML with escapes. */
function printDocument(yaml: YamlLibrary, document: Yaml.Document, lineWidth: number): string {
  yaml.visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && escapeText(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeCodeUnits(document.toString({ lineWidth }));
}
