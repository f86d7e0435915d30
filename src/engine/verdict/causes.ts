import type { Check } from "../execute/check.js";
import type { Mismatch } from "../execute/expect/match.js";

/** A probable common cause of several findings. */
export interface Cause {
  id: string;
  /** One sentence. */
  title: string;
  /** Ids of the checks that failed because of it, the clearest first. */
  checks: string[];
  /** Clauses that these checks break, the most frequent first. */
  clauses: string[];
  /** Ids of the checks that could not be judged because of it. */
  unjudged: string[];
}

/** A rule that groups similar findings. */
interface Similarity {
  /** Returns the keys of a finding. Findings with the same key are similar. */
  keysOf(check: Check): readonly string[];
  /** The smallest group that is not chance: its number of checks, broken clauses and different operations. */
  fewest: { checks: number; clauses?: number; operations?: number };
  title(key: string, checks: readonly Check[]): string;
  /** Returns whether a finding without the key is a consequence of the group. */
  follows?(check: Check, key: string, checks: readonly Check[]): boolean;
}

const SEPARATOR = "\n";
const MOST_NAMES = 2;
const LONGEST = 80;
/** Statuses of a server that does not know a route. */
const UNKNOWN_ROUTE: ReadonlySet<number> = new Set([404, 405, 501]);

/** The rules, from the most specific to the least specific. The first rule that groups a finding with others applies. */
const SIMILARITIES: readonly Similarity[] = [
  {
    keysOf: (check) => refusals(check).map((status) => [check.operation, status].join(SEPARATOR)),
    fewest: { checks: 2 },
    title(_, checks) {
      const status = checks.flatMap(refusals)[0];
      const isUnknown = status !== undefined && UNKNOWN_ROUTE.has(status);
      return `${checks[0]?.operation} answers ${status}${isUnknown ? ", as if it did not exist" : `, not ${expectations(checks)}`}`;
    },
    follows: (check, _, checks) => comesAfter(check, checks),
  },
  {
    keysOf: (check) =>
      isOfStatus(check)
        ? []
        : relevantMismatches(check)
            .filter(({ absent }) => absent)
            .map(nameOfPlace),
    fewest: { checks: 2 },
    title: (key, checks) => `${key} is missing from responses of ${shortList(operationsOf(checks))}`,
    follows: (check, key) =>
      relevantMismatches(check).some(({ lacks = [] }) => lacks.some((name) => JSON.stringify(name) === key)),
  },
  {
    keysOf: (check) => relevantMismatches(check).map((one) => [check.operation, placeOf(one)].join(SEPARATOR)),
    fewest: { checks: 2, clauses: 2 },
    title: (_, checks) => groupTitle(checks),
  },
  {
    keysOf: (check) => (isOfStatus(check) ? [] : relevantMismatches(check).map(placeOf)),
    fewest: { checks: 3, operations: 2 },
    title: (_, checks) => groupTitle(checks),
  },
  { keysOf: ({ clauses }) => clauses, fewest: { checks: 1 }, title: (_, checks) => groupTitle(checks) },
  { keysOf: ({ id }) => [id], fewest: { checks: 1 }, title: (_, checks) => groupTitle(checks) },
];

/** Similar findings. */
interface Group {
  similarity: Similarity;
  key: string;
  checks: readonly Check[];
}

/** Groups the failed checks by their probable cause, with the largest group first. */
export function causesOf(checks: readonly Check[]): Cause[] {
  const groups: Group[] = [];
  let left = checks.filter(({ verdict }) => verdict === "failed");
  for (const similarity of SIMILARITIES) {
    for (let group = largestGroup(left, similarity); group; group = largestGroup(left, similarity)) {
      const { key, checks: alike } = group;
      const own = new Set([...alike, ...left.filter((check) => similarity.follows?.(check, key, alike))]);
      groups.push({ similarity, key, checks: [...own] });
      left = left.filter((check) => !own.has(check));
    }
  }
  const blocked = blockedChecksOf(checks, groups);
  return groups
    .map(({ similarity, key, checks: own }, index) => ({
      title: similarity.title(key, own),
      checks: clearestFirst(own).map(({ id }) => id),
      clauses: byFrequency(own.flatMap(({ clauses }) => clauses)),
      unjudged: blocked[index] ?? [],
    }))
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .map((cause, index) => ({ id: `cause-${index + 1}`, ...cause }));
}

/** Returns the size of a cause: its failed checks and the checks that it blocks. */
function sizeOf({ checks, unjudged }: Pick<Cause, "checks" | "unjudged">): number {
  return checks.length + unjudged.length;
}

function largestGroup(checks: readonly Check[], similarity: Similarity): Group | undefined {
  const { keysOf, fewest } = similarity;
  const groups = new Map<string, Check[]>();
  for (const check of checks)
    for (const key of new Set(keysOf(check))) {
      const own = groups.get(key);
      if (own) own.push(check);
      else groups.set(key, [check]);
    }
  const enough = [...groups].filter(
    ([, own]) =>
      own.length >= fewest.checks &&
      new Set(own.flatMap(({ clauses }) => clauses)).size >= (fewest.clauses ?? 0) &&
      operationsOf(own).length >= (fewest.operations ?? 0),
  );
  const [first] = enough.sort(([, a], [, b]) => b.length - a.length);
  return first && { similarity, key: first[0], checks: first[1] };
}

/** Returns the unexpected 4xx and 5xx statuses of a check. */
function refusals({ operation, mismatches = [] }: Check): number[] {
  if (operation === undefined) return [];
  return mismatches.flatMap(({ status }) => (status !== undefined && status >= 400 && status <= 599 ? [status] : []));
}

function isOfStatus({ mismatches = [] }: Check): boolean {
  return mismatches.some(isStatus);
}

function isStatus({ status }: Mismatch): boolean {
  return status !== undefined;
}

/** Returns the mismatches of a check. If the status mismatches, returns only the status: the other mismatches follow from it. */
function relevantMismatches({ mismatches = [] }: Check): readonly Mismatch[] {
  return mismatches.some(isStatus) ? mismatches.filter(isStatus) : mismatches;
}

/** Returns the place of a mismatch with `*` for the numbers of list items. The place of a status includes its value. */
function placeOf({ status, at }: Mismatch): string {
  return status === undefined ? at.replace(/\/\d+(?=\/|$)/g, "/*") : `status ${status}`;
}

/** Returns the name of the field at a place in quotation marks. A place outside the body keeps its name. */
function nameOfPlace({ pointer, at }: Mismatch): string {
  return pointer === undefined || pointer === "" ? at : JSON.stringify(pointer.slice(pointer.lastIndexOf("/") + 1));
}

/** Returns whether an earlier step of the same scenario is in the group and was a refused write, so that the finding reads missing data. */
function comesAfter({ scenario, exchanges = [] }: Check, refused: readonly Check[]): boolean {
  const steps = new Set(refused.filter((one) => one.scenario === scenario).map(({ step }) => step));
  return exchanges.some((one) => "request" in one && one.request.method !== "GET" && steps.has(one.step));
}

/** Describes a group in one sentence: operations, most frequent place, actual value and expected value. */
function groupTitle(checks: readonly Check[]): string {
  const operations = shortList(operationsOf(checks));
  const all = checks.flatMap(relevantMismatches);
  const [place] = byFrequency(all.map(placeOf));
  const first = all.find((one) => placeOf(one) === place);
  if (!first || place === undefined) return `${operations}: ${shortText(checks[0]?.actual ?? "not as expected")}`;
  const actual = byFrequency(all.filter((one) => placeOf(one) === place).map((one) => one.actual));
  const difference =
    actual.length > 1 ? `not ${expectations(checks)}` : `${shortText(first.actual)}, not ${expectations(checks)}`;
  return isStatus(first) ? `${operations} answers ${difference}` : `${operations}: ${place} is ${difference}`;
}

/** Describes the expected values of the most frequent place. */
function expectations(checks: readonly Check[]): string {
  const all = checks.flatMap(relevantMismatches);
  const [place] = byFrequency(all.map(placeOf));
  const expected = byFrequency(all.filter((one) => placeOf(one) === place).map((one) => one.expected));
  return expected.length > 2 ? "as expected" : expected.map(shortText).join(" or ");
}

function shortText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function operationsOf(checks: readonly Check[]): string[] {
  return byFrequency(checks.flatMap(({ operation }) => operation ?? []));
}

function shortList(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  if (names.length === 0) return "the server";
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}

function byFrequency(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Sorts checks: first those that break only the most frequent clauses, with few mismatches and few steps. */
function clearestFirst(checks: readonly Check[]): Check[] {
  const clauses = byFrequency(checks.flatMap((check) => check.clauses));
  const cost = ({ clauses: own, mismatches = [], exchanges = [], replay }: Check) =>
    (replay === undefined ? 0 : 5) +
    10 * Math.min(...own.map((id) => clauses.indexOf(id)), clauses.length) +
    3 * mismatches.length +
    exchanges.length;
  return checks
    .map((check) => ({ check, cost: cost(check) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ check }) => check);
}

/** Returns for each group the checks that it blocks: their setup had the same mismatch, or they come after such a step. */
function blockedChecksOf(all: readonly Check[], groups: readonly Group[]): string[][] {
  const groupOf = new Map(groups.flatMap(({ checks }, index) => checks.map(({ id }) => [id, index] as const)));
  const blocked: string[][] = groups.map(() => []);
  for (const check of all) {
    const { id, scenario, verdict, blocked_by: step } = check;
    const index =
      verdict === "inconclusive"
        ? groups.findIndex(({ similarity, key }) => isBlockedBy(check, similarity, key))
        : verdict === "not-observed" && step !== undefined
          ? (groupOf.get(`${scenario}/${step}`) ?? -1)
          : -1;
    if (index < 0) continue;
    groupOf.set(id, index);
    blocked[index]?.push(id);
  }
  return blocked;
}

/** Returns whether the mismatch that blocked a check belongs to a group. */
function isBlockedBy(check: Check, { keysOf, follows }: Similarity, key: string): boolean {
  const { mismatches = [] } = check;
  return mismatches.length > 0 && (keysOf(check).includes(key) || (follows?.(check, key, []) ?? false));
}
