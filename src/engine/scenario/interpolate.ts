/** Finds the value of a variable by its name. */
export type Lookup = (name: string) => unknown;

type Encode = (value: string, name: string) => string;

const PLACEHOLDERS = /\{\{|\{([a-zA-Z][A-Za-z0-9_.:+-]*)\}/g;
const WHOLE_PLACEHOLDER = /^\{([a-zA-Z][A-Za-z0-9_.:+-]*)\}$/;

/**
 * Replaces `{name}` in every string of a value and in the keys of objects. A string that consists of one variable becomes its value and keeps
 * its type. `{{` becomes a brace. Every variable must have a value: `listVariables` lists them.
 */
export function interpolate<T>(value: T, look: Lookup): T {
  return fill(value, look) as T;
}

/**
 * Fills in the variables of an expectation as `interpolate` does, but escapes values inside a `matches`, such as an id with
 * `.` or `(`. A variable whose name starts with `pattern` is inserted as a pattern.
 */
export function interpolateExpected<T>(expected: T, look: Lookup): T {
  return fill(expected, look, quoteValue) as T;
}

function quoteValue(value: string, name: string): string {
  return name.startsWith("pattern") ? value : value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Replaces `{name}` in a text. `encode` converts each value before it is inserted. */
export function interpolateText(text: string, look: Lookup, encode: Encode = (value) => value): string {
  if (!text.includes("{")) return text;
  return text.replace(PLACEHOLDERS, (_, name: string | undefined) =>
    name === undefined ? "{" : encode(formatValue(look(name)), name),
  );
}

/** Returns a value encoded for a URL. A lone surrogate becomes U+FFFD. */
export function percentEncode(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString());
}

/** Decodes a part of a URL. Returns a text without valid percent encoding unchanged. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the names of all variables in a value, in the order of their appearance. */
export function listVariables(value: unknown): string[] {
  if (typeof value === "string")
    return value.includes("{") ? [...value.matchAll(PLACEHOLDERS)].flatMap(([, name]) => (name === undefined ? [] : [name])) : [];
  if (Array.isArray(value)) return value.flatMap(listVariables);
  if (isRecord(value)) return Object.entries(value).flatMap(([key, item]) => [...listVariables(key), ...listVariables(item)]);
  return [];
}

/** Returns whether a variable stands for a time of the target's clock, such as `{now-1h}`. Each step reads the clock again. */
export function isOfTime(name: string): boolean {
  return /^now([+-]|$)/.test(name);
}

/** Returns whether a value is an object and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fill(value: unknown, look: Lookup, inPattern?: Encode): unknown {
  if (typeof value === "string") {
    if (!value.includes("{")) return value;
    const [, whole] = WHOLE_PLACEHOLDER.exec(value) ?? [];
    return whole === undefined ? interpolateText(value, look) : look(whole);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, look, inPattern));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        interpolateText(key, look),
        inPattern && key === "matches" && typeof item === "string"
          ? interpolateText(item, look, inPattern)
          : fill(item, look, inPattern),
      ]),
    );
  return value;
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
