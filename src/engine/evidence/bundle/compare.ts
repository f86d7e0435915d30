import type { ShownExchange } from "../../execute/shown-steps.js";
import type { Report } from "../../report/report.js";

const MOST_SHOWN = 20;

/** Where a report and the same judged again differ, a line each: clauses first, then checks and scenarios. Where files lie does not count. */
export function differences(before: Report, after: Report): string[] {
  const found = [
    ...differing(before.clauses, after.clauses, ({ id }) => id),
    ...differing(before.checks, after.checks, ({ id }) => id),
    ...differing(before.scenarios, after.scenarios, ({ scenario }) => scenario),
    ...differing(before.waivers, after.waivers, ({ clause, target }) => `waiver of ${clause} for ${target}`),
    ...differing([{ id: "the run", ...overall(before) }], [{ id: "the run", ...overall(after) }], ({ id }) => id),
  ];
  const more = found.length - MOST_SHOWN;
  return more > 0 ? [...found.slice(0, MOST_SHOWN), `and ${more} more`] : found;
}

function overall({ verdict, counts }: Report): { verdict: string; counts: Record<string, number> } {
  return { verdict, counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function differing<T extends object>(before: readonly T[], after: readonly T[], nameOf: (item: T) => string): string[] {
  const [then, now] = [byName(before, nameOf), byName(after, nameOf)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((name) => {
    const [old, again] = [then.get(name) ?? [], now.get(name) ?? []];
    const [words, wordsAgain] = [old.map(inWords), again.map(inWords)];
    if (words.join() === wordsAgain.join()) return [];
    return [
      `${name}: ${verdicts(old)} in the report, ${verdicts(again)} when judged again${same(old, again) ? `: ${firstField(old, again)}` : ""}`,
    ];
  });
}

function byName<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const named = new Map<string, T[]>();
  for (const item of items) named.set(nameOf(item), [...(named.get(nameOf(item)) ?? []), item]);
  return named;
}

function verdicts(items: readonly object[]): string {
  return items.map((item) => fieldsOf(item).verdict ?? fieldsOf(item).state ?? "there").join(", ") || "absent";
}

function same(old: readonly object[], again: readonly object[]): boolean {
  return verdicts(old) === verdicts(again);
}

/** Which field of two that have the same verdict differs. */
function firstField([old = {}]: readonly object[], [again = {}]: readonly object[]): string {
  const names = [...new Set([...Object.keys(old), ...Object.keys(again)])].filter((name) => name !== "file");
  const name = names.find((one) => JSON.stringify(fieldsOf(old)[one]) !== JSON.stringify(fieldsOf(again)[one]));
  return name === undefined ? "they are not as many" : `another ${name}`;
}

/**
 * An item without the place of its file, which is another where the package lies elsewhere, and its texts up to their first secret: a long
 * text may be cut elsewhere when a placeholder stands for it. The order of fields does not count.
 */
function inWords(item: object): string {
  const { file: _, exchanges, ...fields } = fieldsOf(item);
  const shown = Object.entries({ ...fields, ...outlineOf(exchanges) }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, untilSecret(value)] as const],
  );
  return JSON.stringify(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What was sent, and what came: where a body is cut depends on what stands for a secret in it. */
function outlineOf(exchanges: unknown): Record<string, unknown> {
  if (!Array.isArray(exchanges)) return {};
  const steps = exchanges as readonly Partial<ShownExchange & { event: string }>[];
  return {
    exchanges: steps.map(({ step, event, request, answer, failure }) => [
      step,
      event,
      request?.method,
      request?.url,
      answer?.status,
      failure,
    ]),
  };
}

/** Secrets that have no name are other placeholders when they come from a trace. */
function untilSecret(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(\*\*\*|\$COUNTERPART_).*/s, "");
  if (Array.isArray(value)) return value.map(untilSecret);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, untilSecret(item)]));
}

function fieldsOf(item: object): Record<string, unknown> {
  return item as Record<string, unknown>;
}
