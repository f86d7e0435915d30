import { isRecord } from "../../engine/scenario/interpolate.js";

/** The same plain data written so that a scenario's step reads it as it stands: a brace begins no variable. */
export function literal<T>(value: T): T {
  return doubled(value) as T;
}

function doubled(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("{", "{{");
  if (Array.isArray(value)) return value.map(doubled);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [doubled(key), doubled(item)]));
  return value;
}
