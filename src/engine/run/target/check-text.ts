import { visibleValue } from "../../../common/escape/visible.js";
import { gapLines } from "../target-gaps.js";
import type { TargetCheck } from "./check-target.js";

const MOST_MISSING = 20;

/** A checked target for people: one table of what works, what does not and what is missing, and what would earn most. */
export function targetCheckText({ earnings, ...found }: TargetCheck): string {
  const { things, notes } = visibleValue({ things: found.things, notes: found.notes });
  const missing = earnings.missing
    .map((thing) => ({ thing, ...earnings.of(thing) }))
    .toSorted((a, b) => b.alone - a.alone || b.before - a.before);
  const rows = [
    ...things.map(({ state, thing, says }) => [state, thing, says]),
    ...missing.slice(0, MOST_MISSING).map(({ thing, alone, before }) => ["missing", thing, worth(alone, before)]),
  ];
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const more = missing.length - MOST_MISSING;
  return [
    ...notes.map((note) => `! ${note}`),
    ...rows.map(
      ([state = "", thing = "", says = ""]) => `${state.padEnd(widths[0] ?? 0)}  ${thing.padEnd(widths[1] ?? 0)}  ${says}`,
    ),
    ...(more > 0 ? [`and ${more} things more are missing that earn less`] : []),
    "",
    ...(gapLines(earnings).length > 0 ? gapLines(earnings) : [`all ${earnings.all} clauses can be judged on this target`]),
    "",
  ].join("\n");
}

function worth(alone: number, before: number): string {
  const clauses = (count: number) => `${count} ${count === 1 ? "clause" : "clauses"}`;
  if (alone === before) return `${clauses(alone)} more`;
  return alone === 0
    ? `stands before ${clauses(before)}, with other things`
    : `${clauses(alone)} more, and stands before ${before} with other things`;
}
