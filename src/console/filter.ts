import type { Entry } from "../mock/journal/entry.js";

/** Kinds of calls that are looked for often. */
export const kinds = ["refused", "unread", "struck"] as const;
/** One of them: was not served; carried something that nobody read; was struck by a fault or forced. */
export type Kind = (typeof kinds)[number];

/** Which calls are shown: those that have every word somewhere, and are of the kind. */
export interface Wish {
  words: string;
  kind: Kind | null;
}

/** The calls that are shown. */
export function choose(entries: readonly Entry[], { words, kind }: Wish): readonly Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0 && kind === null) return entries;
  return entries.filter((entry) => (kind === null || isOf(entry, kind)) && wanted.every((word) => textOf(entry).includes(word)));
}

/** Why a call was answered so, in two or three words. */
export function briefly({ rule, fault, forced, unread }: Entry): string {
  const notes = [rule.code, fault, forced ? "forced" : null, unread.length > 0 ? `unread ${unread.join(", ")}` : null];
  return notes.filter((note) => note !== null).join(" · ");
}

function isOf({ status, unread, fault, forced }: Entry, kind: Kind): boolean {
  switch (kind) {
    case "refused":
      return status === null || status >= 400;
    case "unread":
      return unread.length > 0;
    case "struck":
      return fault !== null || forced;
    default:
      return kind satisfies never;
  }
}

const texts = new WeakMap<Entry, string>();

function textOf(entry: Entry): string {
  const text =
    texts.get(entry) ??
    [
      entry.number,
      entry.request,
      entry.route,
      entry.status ?? "no answer",
      entry.role ?? "nobody",
      entry.rule.clause,
      briefly(entry),
    ]
      .join(" ")
      .toLowerCase();
  texts.set(entry, text);
  return text;
}
