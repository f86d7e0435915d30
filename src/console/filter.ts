import type { Entry } from "../mock/journal/read-entry.js";

/** Kinds of calls that users often search. */
export const callKinds = ["refused", "unread", "overridden"] as const;
/** A kind: refused calls; calls with unknown fields; calls with a fault or a preference. */
export type Kind = (typeof callKinds)[number];

/** A filter: a call must contain every word and be of the kind. */
export interface CallFilter {
  words: string;
  kind: Kind | null;
  /** The numbers of the first and the last call. */
  range: readonly [first: number, last: number] | null;
}

/** The filter that shows every call. */
export const noFilter: CallFilter = { words: "", kind: null, range: null };

/** Returns the calls that a filter shows. */
export function filterCalls(entries: readonly Entry[], { words, kind, range }: CallFilter): readonly Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0 && kind === null && range === null) return entries;
  return entries.filter(
    (entry) =>
      (range === null || (entry.number >= range[0] && entry.number <= range[1])) &&
      (kind === null || isOfKind(entry, kind)) &&
      wanted.every((word) => readSearchText(entry).includes(word)),
  );
}

/** Returns in a few words why the mock answered a call so. */
export function summariseCall({ rule, fault, forced, unread }: Entry): string {
  const notes = [rule.code, fault, forced ? "forced" : null, unread.length > 0 ? `unread ${unread.join(", ")}` : null];
  return notes.filter((note) => note !== null).join(" · ");
}

function isOfKind({ status, unread, fault, forced }: Entry, kind: Kind): boolean {
  switch (kind) {
    case "refused":
      return status === null || status >= 400;
    case "unread":
      return unread.length > 0;
    case "overridden":
      return fault !== null || forced;
    default:
      return kind satisfies never;
  }
}

const texts = new WeakMap<Entry, string>();

function readSearchText(entry: Entry): string {
  const text =
    texts.get(entry) ??
    [
      entry.number,
      entry.request,
      entry.route,
      entry.status ?? "no answer",
      entry.role ?? "nobody",
      entry.rule.clause,
      summariseCall(entry),
    ]
      .join(" ")
      .toLowerCase();
  texts.set(entry, text);
  return text;
}
