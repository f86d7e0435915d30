import { isRecord } from "./interpolate.js";

/** The values of short names in scenarios: text, or a value such as a request body. */
export type ShortNames = Readonly<Record<string, unknown>>;

const MERGE_KEY = "<<";
const PLACEHOLDERS = /\{\{|\{([a-zA-Z][A-Za-z0-9_.]*)\}/g;
const WHOLE_PLACEHOLDER = /^\{([a-zA-Z][A-Za-z0-9_.]*)\}$/;

/**
 * Replaces short names such as `{name}` in every string and key of a value. A name for an object or a list is replaced only if it is the
 * whole string. Unknown names and `{{` stay. The key `<<` merges the fields of the value that it names into its object; existing fields win.
 */
export function expandShortNames(value: unknown, names: ShortNames): unknown {
  if (typeof value === "string") return spellOutText(value, names);
  if (Array.isArray(value)) return value.map((item) => expandShortNames(item, names));
  if (!isRecord(value)) return value;
  const spelled = Object.entries(value).map(([key, item]) => [replaceInText(key, names), expandShortNames(item, names)] as const);
  const { [MERGE_KEY]: merged, ...own } = Object.fromEntries(spelled);
  return isRecord(merged) ? { ...merged, ...own } : Object.fromEntries(spelled);
}

function spellOutText(text: string, names: ShortNames): unknown {
  const [, whole] = WHOLE_PLACEHOLDER.exec(text) ?? [];
  return whole !== undefined && Object.hasOwn(names, whole) ? structuredClone(names[whole]) : replaceInText(text, names);
}

function replaceInText(text: string, names: ShortNames): string {
  return text.replace(PLACEHOLDERS, (place, name: string | undefined) => {
    const meaning = name !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
    return meaning === undefined || typeof meaning === "object" ? place : String(meaning);
  });
}
