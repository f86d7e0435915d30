import type { Problem } from "./problems.js";

/**
 * Returns a value of the same program as a request would carry it: a copy without the fields that are undefined. A value that JSON cannot
 * carry, such as a function, a regular expression, a Map or NaN, is a problem with its place.
 */
export function asJson(value: unknown): { value: unknown } | Problem {
  if (value === undefined) return { value };
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    return { problem: "The argument is not plain JSON: it refers to itself or holds a BigInt.", field: "" };
  }
  const place = placeOfStranger(value, []);
  if (place === null) return { value: JSON.parse(text) };
  const where = place.length === 0 ? "The argument" : `'${place.join(".")}'`;
  return {
    problem: `${where} is not plain JSON. Use objects, lists, texts, finite numbers, booleans and null.`,
    field: place.join("."),
  };
}

/** Where the first value stands that JSON would drop or change; null when there is none. */
function placeOfStranger(value: unknown, at: string[]): string[] | null {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : at;
  if (typeof value !== "object" || !isPlain(value)) return at;
  for (const [name, inner] of Object.entries(value)) {
    const found = placeOfStranger(inner, [...at, name]);
    if (found) return found;
  }
  return null;
}

/** Whether an object is a list or a plain object, of this realm or another: test runners have a realm for each file. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
