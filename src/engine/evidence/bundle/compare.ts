import type { Check } from "../../execute/check.js";
import type { Report } from "../../report/report.js";

/** Longer values are cut to this number of characters. */
const LONGEST_VALUE = 80;

/** Returns the differences between a report and its second judgement, one line each. Paths of files are compared only relative to each other. */
export function differences(reportBefore: Report, reportAfter: Report): string[] {
  return [
    ...differingNames(reportBefore.clauses, reportAfter.clauses, ({ id }) => id),
    ...differingNames(reportBefore.checks, reportAfter.checks, ({ id }) => id),
    ...differingNames(reportBefore.scenarios, reportAfter.scenarios, ({ scenario }) => scenario),
    ...differingNames(reportBefore.waivers, reportAfter.waivers, ({ clause, target }) => `waiver of ${clause} for ${target}`),
    ...differingNames(overall(reportBefore), overall(reportAfter), ({ id }) => id),
    ...additionalFiles(reportBefore, reportAfter),
  ];
}

/** Returns the fields of a report that describe the whole run. */
function overall(report: Report): { id: string; value: unknown }[] {
  const { clauses: _, checks: __, scenarios: ___, waivers: ____, ...rest } = report;
  return Object.entries(rest).flatMap(([name, value]) => leavesOf(`the run's ${name}`, sortFields(value)));
}

/** Returns the fields in a value that are not objects, with their paths. */
function leavesOf(id: string, value: unknown): { id: string; value: unknown }[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value === undefined ? [] : [{ id, value }];
  return Object.entries(value).flatMap(([name, item]) => leavesOf(`${id}.${name}`, item));
}

/** Returns whether two lists of checks are equal. */
export function hasSameChecks(checksBefore: readonly Check[], checksAfter: readonly Check[]): boolean {
  return differingNames(checksBefore, checksAfter, ({ id }) => id).length === 0;
}

function differingNames<T extends object>(before: readonly T[], after: readonly T[], nameOf: (item: T) => string): string[] {
  const [then, now] = [byName(before, nameOf), byName(after, nameOf)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((name) => {
    const [old, again] = [then.get(name) ?? [], now.get(name) ?? []];
    const [words, wordsAgain] = [old.map(comparisonText), again.map(comparisonText)];
    if (words.join() === wordsAgain.join()) return [];
    return [
      `${name}: ${verdicts(old)} in the report, ${verdicts(again)} when judged again${areEqual(old, again) ? `: ${firstField(old, again)}` : ""}`,
    ];
  });
}

function byName<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const named = new Map<string, T[]>();
  for (const item of items) named.set(nameOf(item), [...(named.get(nameOf(item)) ?? []), item]);
  return named;
}

function verdicts(items: readonly object[]): string {
  return items.map((item) => fieldsOf(item).verdict ?? fieldsOf(item).state ?? shownValue(item)).join(", ") || "absent";
}

function shownValue(item: object): string {
  const text = JSON.stringify(fieldsOf(item).value) ?? "present";
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function areEqual(old: readonly object[], again: readonly object[]): boolean {
  return verdicts(old) === verdicts(again);
}

/** Names the first field that differs between items with the same verdict. */
function firstField([old = {}]: readonly object[], [again = {}]: readonly object[]): string {
  const names = [...new Set([...Object.keys(old), ...Object.keys(again)])].filter((name) => name !== "file");
  const name = names.find((one) => JSON.stringify(fieldsOf(old)[one]) !== JSON.stringify(fieldsOf(again)[one]));
  return name === undefined ? "the number of entries differs" : `${name} differs`;
}

/**
 * Returns the text of an item for comparison. It omits the path of the file, which depends on the install directory. It cuts each
 * text at the first secret, because placeholders have other lengths. It sorts the fields.
 */
function comparisonText(item: object): string {
  const { file: _, ...fields } = fieldsOf(item);
  return JSON.stringify(sortFields(untilSecret(fields)));
}

/** Returns the files whose path differs from the second judgement by more than the root directory. */
function additionalFiles(reportBefore: Report, reportAfter: Report): string[] {
  const places = new Map(reportAfter.checks.map(({ id, file }) => [id, file]));
  const known = new Map(reportAfter.scenarios.map(({ scenario, file }) => [scenario, file]));
  const pairs = [
    ...reportBefore.checks.map(({ id, file }) => [id, file, places.get(id)] as const),
    ...reportBefore.scenarios.map(({ scenario, file }) => [scenario, file, known.get(scenario)] as const),
  ];
  const roots = pairs.map(([, file, again]) => rootOf(file, again ?? file));
  return pairs.flatMap(([name], index) => (roots[index] === roots[0] ? [] : [`${name}: its file has another path`]));
}

/** Returns the part of a path before the segments that both paths share at their end. */
function rootOf(file: string, again: string): string {
  const [mine, other] = [file.split("/"), again.split("/")];
  let common = 0;
  while (common < mine.length && mine.at(-1 - common) === other.at(-1 - common)) common++;
  return JSON.stringify([mine.slice(0, mine.length - common), common === 0]);
}

/** Sorts the fields of all objects in a value. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sortFields(item)]));
}

/** Cuts each text in a value at its first secret. A secret without a name has another placeholder in a trace. */
function untilSecret(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(\*\*\*|\$COUNTERPART_).*/s, "");
  if (Array.isArray(value)) return value.map(untilSecret);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, untilSecret(item)]));
}

function fieldsOf(item: object): Record<string, unknown> {
  return item as Record<string, unknown>;
}
