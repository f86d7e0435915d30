import { isPlainObject } from "../../common/plain-object.js";
import type { Problem } from "../../common/problem.js";

/**
 * Returns a value of the same program as a JSON request would carry it: a copy without undefined fields. Returns a problem with its place
 * for a value that JSON cannot carry, such as a function, a Map or NaN.
 */
export function toJson(value: unknown): { value: unknown } | Problem {
  if (value === undefined) return { value };
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    return { problem: "The argument is not plain JSON: it contains a circular reference or a BigInt.", field: "" };
  }
  const place = findUnsupported(value, []);
  if (place === null) return { value: JSON.parse(text) };
  const where = place.length === 0 ? "The argument" : `'${place.join(".")}'`;
  return {
    problem: `${where} is not plain JSON. Use objects, lists, texts, finite numbers, booleans and null.`,
    field: place.join("."),
  };
}

/** Returns the place of the first value that JSON would drop or change; null if there is none. */
function findUnsupported(value: unknown, at: string[]): string[] | null {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : at;
  if (!Array.isArray(value) && !isPlainObject(value)) return at;
  for (const [name, inner] of Object.entries(value)) {
    const found = findUnsupported(inner, [...at, name]);
    if (found) return found;
  }
  return null;
}
