import { match } from "../../../engine/execute/expect/match.js";
import type { WireResponse } from "../../../engine/http/exchange.js";
import { readRpc, readToolResultText } from "../../../engine/http/mcp.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import type { ToolData } from "../../statements/tool-data.js";

/** The place of a value: names of fields and numbers of items. */
export type Path = readonly (string | number)[];

/** The content of a tool's result. MCP-TOOL-NAMES: its form is open, so a tool may show text only. */
export interface ToolRows {
  /** The objects of the structured content that have the key field, each with its place in the result. */
  objects: readonly { path: Path; value: Record<string, unknown> }[];
  /** Returns whether the result shows a row with this key. */
  shows(key: string): boolean;
  /** Whether the result says that more rows follow. */
  hasMore: boolean;
}

/** Reads the rows of a tool result. Returns undefined for a refusal. */
export function readToolRows(response: WireResponse, key: string): ToolRows | undefined {
  const rpc = readRpc(response);
  if (!rpc.ok || !isRecord(rpc.result) || rpc.result.isError === true) return undefined;
  const objects = findObjects(key, rpc.result.structuredContent, ["structuredContent"]);
  const text = readToolResultText(rpc.result);
  const keys = new Set(objects.map(({ value }) => String(value[key])));
  const words = new Set(objects.length > 0 ? [] : text.split(/[^A-Za-z0-9_-]+/));
  const isInText = (one: string) => words.has(one) || (/[^A-Za-z0-9_-]/.test(one) && text.includes(one));
  return {
    objects,
    shows: (one) => (objects.length > 0 ? keys.has(one) : isInText(one)),
    hasMore: /"has_more"\s*:\s*true|"next_cursor"\s*:\s*"|has_more: true/.test(text),
  };
}

/** Returns the objects with a field. Objects inside of them may be about other resources. */
function findObjects(field: string, value: unknown, path: Path): { path: Path; value: Record<string, unknown> }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => findObjects(field, item, [...path, index]));
  if (!isRecord(value)) return [];
  if (["string", "number"].includes(typeof value[field])) return [{ path, value }];
  return Object.entries(value).flatMap(([name, item]) => findObjects(field, item, [...path, name]));
}

/** Returns the first field that both surfaces show with different values; undefined if all values are equal. */
export function findDifferingField(
  { fields }: Pick<ToolData, "fields">,
  rest: Record<string, unknown>,
  tool: Record<string, unknown>,
): string | undefined {
  return fields.find(
    (name) => name in tool && name in rest && match(matchSameValue(name, rest[name]), tool[name]).mismatches.length > 0,
  );
}

/**
 * Returns the expectation of a field for which another surface shows this value. The contract shows no number of digits, so
 * either surface may round or truncate a number: durations to whole seconds, other numbers to cents.
 */
export function matchSameValue(field: string, value: unknown): unknown {
  if (typeof value !== "number") return value ?? { absentOrNull: true };
  const min = field.startsWith("duration_") ? 0 : 2;
  const digits = [0, 1, 2, 3, 4, 5].find((n) => n >= min && Number(value.toFixed(n)) === value) ?? 6;
  const [lowest, highest] = [-1, 1].map((sign) => Number((value + sign * 10 ** -digits).toFixed(9)));
  const rounded = [0, 1, 2, 3, 4, 5].filter((n) => n >= min && n < digits).flatMap((n) => listNeighbours(value, n));
  return { in: [{ gte: lowest, lte: highest }, ...new Set(rounded)] };
}

/** Returns the next lower and the next higher number with this number of decimals. */
function listNeighbours(value: number, decimals: number): number[] {
  return [Math.floor, Math.ceil].map((round) => Number((round(value * 10 ** decimals) / 10 ** decimals).toFixed(decimals)));
}

/** Returns the expectation that a value is at a place. An item of a list is found by its value. */
export function nestAt(path: Path, value: unknown): unknown {
  return path.reduceRight((below, part) => (typeof part === "number" ? { contains: below } : { [part]: below }), value);
}
