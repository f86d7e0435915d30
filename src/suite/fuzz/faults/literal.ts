import { isRecord } from "../../../engine/scenario/interpolate.js";

/** Escapes braces in plain data, so that a step reads it literally. */
export function escapeLiteral<T>(value: T): T {
  return escapeBraces(value) as T;
}

function escapeBraces(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("{", "{{");
  if (Array.isArray(value)) return value.map(escapeBraces);
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [escapeBraces(key), escapeBraces(item)]));
  return value;
}
