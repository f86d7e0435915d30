import type { Check } from "../../execute/check.js";
import type { Report } from "../../report/report.js";

/** The maximum number of characters of a value in a message. */
const MAX_VALUE_CHARACTERS = 80;

/** Returns the differences between a report and its second judgement, one line each. Paths of files are compared only relative to each other. */
export function listDifferences(reportBefore: Report, reportAfter: Report): string[] {
  return [
    ...listDifferingNames(reportBefore.clauses, reportAfter.clauses, ({ id }) => id),
    ...listDifferingNames(reportBefore.checks, reportAfter.checks, ({ id }) => id),
    ...listDifferingNames(reportBefore.scenarios, reportAfter.scenarios, ({ scenario }) => scenario),
    ...listDifferingNames(reportBefore.waivers, reportAfter.waivers, ({ clause, target }) => `waiver of ${clause} for ${target}`),
    ...listDifferingNames(listOverallResults(reportBefore), listOverallResults(reportAfter), ({ id }) => id),
    ...listAdditionalFiles(reportBefore, reportAfter),
  ];
}

/** Returns the fields of a report that describe the whole run. */
function listOverallResults(report: Report): { id: string; value: unknown }[] {
  const { clauses: _, checks: __, scenarios: ___, waivers: ____, ...rest } = report;
  return Object.entries(rest).flatMap(([name, value]) => listLeaves(`the run's ${name}`, sortFields(value)));
}

/** Returns the fields in a value that are not objects, with their paths. */
function listLeaves(id: string, value: unknown): { id: string; value: unknown }[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value === undefined ? [] : [{ id, value }];
  return Object.entries(value).flatMap(([name, item]) => listLeaves(`${id}.${name}`, item));
}

/** Returns whether two lists of checks are equal. */
export function hasSameChecks(checksBefore: readonly Check[], checksAfter: readonly Check[]): boolean {
  return listDifferingNames(checksBefore, checksAfter, ({ id }) => id).length === 0;
}

function listDifferingNames<T extends object>(before: readonly T[], after: readonly T[], nameOf: (item: T) => string): string[] {
  const [then, now] = [mapByName(before, nameOf), mapByName(after, nameOf)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((name) => {
    const [old, again] = [then.get(name) ?? [], now.get(name) ?? []];
    const [words, wordsAgain] = [old.map(formatComparison), again.map(formatComparison)];
    if (words.join() === wordsAgain.join()) return [];
    return [
      `${name}: ${formatVerdicts(old)} in the report, ${formatVerdicts(again)} when judged again${areEqual(old, again) ? `: ${findFirstField(old, again)}` : ""}`,
    ];
  });
}

function mapByName<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const named = new Map<string, T[]>();
  for (const item of items) named.set(nameOf(item), [...(named.get(nameOf(item)) ?? []), item]);
  return named;
}

function formatVerdicts(items: readonly object[]): string {
  return items.map((item) => readFields(item).verdict ?? readFields(item).state ?? formatValue(item)).join(", ") || "absent";
}

function formatValue(item: object): string {
  const text = JSON.stringify(readFields(item).value) ?? "present";
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

function areEqual(old: readonly object[], again: readonly object[]): boolean {
  return formatVerdicts(old) === formatVerdicts(again);
}

/** Names the first field that differs between items with the same verdict. */
function findFirstField([old = {}]: readonly object[], [again = {}]: readonly object[]): string {
  const names = [...new Set([...Object.keys(old), ...Object.keys(again)])].filter((name) => name !== "file");
  const name = names.find((one) => JSON.stringify(readFields(old)[one]) !== JSON.stringify(readFields(again)[one]));
  return name === undefined ? "the number of entries differs" : `${name} differs`;
}

/**
 * Returns the text of an item for comparison. It omits the path of the file, which depends on the install directory. It cuts each
 * text at the first secret, because placeholders have other lengths. It sorts the fields.
 */
function formatComparison(item: object): string {
  const { file: _, ...fields } = readFields(item);
  return JSON.stringify(sortFields(cutAtSecret(fields)));
}

/** Returns the files whose path differs from the second judgement by more than the root directory. */
function listAdditionalFiles(reportBefore: Report, reportAfter: Report): string[] {
  const places = new Map(reportAfter.checks.map(({ id, file }) => [id, file]));
  const known = new Map(reportAfter.scenarios.map(({ scenario, file }) => [scenario, file]));
  const pairs = [
    ...reportBefore.checks.map(({ id, file }) => [id, file, places.get(id)] as const),
    ...reportBefore.scenarios.map(({ scenario, file }) => [scenario, file, known.get(scenario)] as const),
  ];
  const roots = pairs.map(([, file, again]) => findRoot(file, again ?? file));
  return pairs.flatMap(([name], index) => (roots[index] === roots[0] ? [] : [`${name}: its file has another path`]));
}

/** Returns the part of a path before the segments that both paths share at their end. */
function findRoot(file: string, again: string): string {
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
function cutAtSecret(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/(\*\*\*|\$COUNTERPART_).*/s, "");
  if (Array.isArray(value)) return value.map(cutAtSecret);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAtSecret(item)]));
}

function readFields(item: object): Record<string, unknown> {
  return item as Record<string, unknown>;
}
