import { escapeValue } from "../../../common/escape/visible.js";
import { formatGaps } from "../target-gaps.js";
import type { TargetCheck } from "./check-target.js";

const MAX_MISSING = 20;

/** Returns a checked target as text: a table of its entries and missing items, and what to add to judge more. */
export function formatTargetCheck({ gaps, ...found }: TargetCheck): string {
  const { entries, notes } = escapeValue({ entries: found.entries, notes: found.notes });
  const missing = gaps.items
    .map((item) => ({ item, ...gaps.valueOf(item) }))
    .toSorted((a, b) => b.alone - a.alone || b.with_others - a.with_others);
  const rows = [
    ...entries.map(({ state, entry, message }) => [state, entry, message]),
    ...missing
      .slice(0, MAX_MISSING)
      .map(({ item, alone, with_others }) => ["missing", item, formatValueCount(alone, with_others)]),
  ];
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const more = missing.length - MAX_MISSING;
  const lines = formatGaps(gaps);
  return [
    ...notes.map((note) => `! ${note}`),
    ...rows.map(
      ([state = "", name = "", text = ""]) => `${state.padEnd(widths[0] ?? 0)}  ${name.padEnd(widths[1] ?? 0)}  ${text}`,
    ),
    ...(more > 0 ? [`and ${more} more missing items, which add fewer clauses`] : []),
    "",
    ...(lines.length > 0 ? lines : [`all ${gaps.total} clauses can be judged on this target`]),
    "",
  ].join("\n");
}

function formatValueCount(alone: number, withOthers: number): string {
  const clauses = (count: number) => `${count} ${count === 1 ? "clause" : "clauses"}`;
  if (withOthers === 0) return `adds ${clauses(alone)}`;
  return alone === 0
    ? `adds ${clauses(withOthers)} together with other items`
    : `adds ${clauses(alone)} now; ${withOthers} more also need other items`;
}
