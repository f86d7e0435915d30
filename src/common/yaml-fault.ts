import type { Document } from "yaml";
import { TOO_DEEP } from "./yaml-depth.js";

/** The mistake in a YAML document, and its position in the text. */
export interface YamlFault {
  offset: number;
  message: string;
}

/** The part of a node of the YAML library that the search for duplicate keys reads. */
interface YamlNode {
  range?: readonly number[] | null;
  anchor?: string;
  /** The entries of a list or map. */
  items?: readonly unknown[];
  /** The value of a scalar. */
  value?: unknown;
  /** Of an alias, the name of its anchor; of a scalar, its text. */
  source?: string;
}

/** The library looks for the anchor of each alias among all anchors and aliases. With more aliases this takes seconds. */
const MAX_ALIASES = 1000;

/** Why a tag is a fault. The schema of JSON resolves these tags, and the library drops any other tag with a warning. */
const BAD_TAG =
  "a tag that is unknown or does not match its value. Remove it, put quotes around text that begins with !, or use one of !!str, !!int, !!float, !!bool, !!null, !!map, !!seq";

/**
 * Options of the YAML library. Its check for duplicate keys takes quadratic time, so `findFirstFault` checks instead. Tags such as `!!binary`
 * and `!!set` give values that JSON cannot carry, so they are unknown.
 */
export const yamlOptions = { uniqueKeys: false, resolveKnownTags: false } as const;

/**
 * Returns the first fault of a document that was parsed with `yamlOptions`, or undefined. Two keys that name the same field of an object, as
 * `1` and `"1"` do, are a fault. So are an unknown tag and more than 1,000 aliases. Takes linear time.
 */
export function findFirstFault(document: Document): YamlFault | undefined {
  const [error] = document.errors; // the first error causes the others
  if (error) return { offset: error.pos[0], message: describeFault(error) };
  const tag = document.warnings.find(({ code }) => code === "TAG_RESOLVE_FAILED");
  return tag ? { offset: tag.pos[0], message: BAD_TAG } : findFaultyNode(document.contents);
}

/** Returns the YAML library's message without quotes from the text: the file may not be the intended one, and contain secrets. */
export function describeFault({ message }: Error): string {
  if (/call stack/.test(message)) return TOO_DEEP;
  if (/alias count/.test(message)) return "its aliases expand to too many values";
  if (/^Unresolved alias/.test(message)) return "an alias has no anchor before it";
  const [words = ""] = message.split(/ at line|\n/);
  return words.replace(/"[^"]{3,}("|$)/g, '"…"');
}

/** Returns the first duplicate key or the first alias too many, in the order of the text. */
function findFaultyNode(contents: unknown): YamlFault | undefined {
  const byAnchor = new Map<string, YamlNode>();
  let aliases = 0;
  const visit = (given: unknown): YamlFault | undefined => {
    const node = (given ?? {}) as YamlNode;
    if (isAlias(node) && ++aliases > MAX_ALIASES)
      return createFault(node, `more than ${MAX_ALIASES.toLocaleString("en")} aliases`);
    if (node.anchor !== undefined) byAnchor.set(node.anchor, node);
    const names = new Set<unknown>();
    for (const item of node.items ?? []) {
      if (!isPair(item)) {
        const yamlFault = visit(item);
        if (yamlFault) return yamlFault;
        continue;
      }
      const key = (item.key ?? {}) as YamlNode;
      const name = readKeyName(isAlias(key) ? (byAnchor.get(key.source) ?? key) : key);
      if (names.has(name)) return createFault(key, "Map keys must be unique");
      names.add(name);
      const foundYamlFault = visit(item.key) ?? visit(item.value);
      if (foundYamlFault) return foundYamlFault;
    }
    return undefined;
  };
  return visit(contents);
}

function isAlias(node: YamlNode): node is YamlNode & { source: string } {
  return node.source !== undefined && !("value" in node);
}

function createFault({ range }: YamlNode, message: string): YamlFault {
  return { offset: range?.[0] ?? 0, message };
}

function isPair(item: unknown): item is { key: unknown; value: unknown } {
  return typeof item === "object" && item !== null && "key" in item;
}

/** Returns the name of the field that a key becomes. A key that is not a scalar equals only itself. */
function readKeyName(key: YamlNode): unknown {
  const { value } = key;
  return typeof value === "object" || value === undefined ? (value === null ? "" : key) : String(value);
}
