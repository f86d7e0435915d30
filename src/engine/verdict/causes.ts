import type { Check } from "../execute/check.js";
import type { Mismatch } from "../execute/expect/match.js";

/** What several findings have in common, and so probably one thing to mend. */
export interface Cause {
  id: string;
  /** In a sentence. */
  title: string;
  /** Ids of the checks that failed because of it, the clearest first. */
  checks: string[];
  /** Clauses that they break, those first that most of them break. */
  clauses: string[];
  /** Checks that could not be judged for it. */
  unjudged: string[];
}

/** One way in which findings can be alike. */
interface Similarity {
  /** What a finding has in common with others, by key; several where it is like some in this and like others in that. */
  keysOf(check: Check): readonly string[];
  /** How many must be alike, and break how many clauses or ask for how many things between them, to be more than chance. */
  fewest: { checks: number; clauses?: number; asks?: number };
  title(key: string, checks: readonly Check[]): string;
  /** Whether a finding that is not alike comes of the same all the same. */
  follows?(check: Check, key: string, checks: readonly Check[]): boolean;
}

const SEPARATOR = "\n";
const MOST_NAMES = 2;
const LONGEST = 80;

/** From what says most of where the fault is to what says least. Each finding belongs to the first similarity that it shares with others. */
const SIMILARITIES: readonly Similarity[] = [
  {
    keysOf: (check) => refusals(check).map((status) => [check.asks, status].join(SEPARATOR)),
    fewest: { checks: 2 },
    title(key, checks) {
      const [asks, status = ""] = key.split(SEPARATOR);
      return `${asks} answers ${status}${isMissingRoute(status) ? ", as if it were not there" : `, not ${expectations(checks)}`}`;
    },
    follows: (check, _, checks) => comesAfter(check, checks),
  },
  {
    keysOf: (check) => (isOfStatus(check) ? [] : places(check, ({ actual }) => actual === "absent").map(lastName)),
    fewest: { checks: 2 },
    title: (key, checks) => `${key} is missing from answers of ${listed(requestsOf(checks))}`,
    follows: (check, key) => lacks(check, key),
  },
  {
    keysOf: (check) => places(check, () => true).map((place) => [check.asks, place].join(SEPARATOR)),
    fewest: { checks: 2, clauses: 2 },
    title: (_, checks) => inWords(checks),
  },
  {
    keysOf: (check) => (isOfStatus(check) ? [] : places(check, () => true)),
    fewest: { checks: 3, asks: 2 },
    title: (_, checks) => inWords(checks),
  },
  { keysOf: ({ clauses }) => clauses, fewest: { checks: 1 }, title: (_, checks) => inWords(checks) },
  { keysOf: ({ id }) => [id], fewest: { checks: 1 }, title: (_, checks) => inWords(checks) },
];

/** Findings that are alike. */
interface Group {
  similarity: Similarity;
  key: string;
  checks: readonly Check[];
}

/** Groups findings by what they have in common, those first that most hangs on. */
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
  const behind = unjudgedBy(checks, groups);
  return groups
    .map(({ similarity, key, checks: own }, index) => ({
      title: similarity.title(key, own),
      checks: clearestFirst(own).map(({ id }) => id),
      clauses: byFrequency(own.flatMap(({ clauses }) => clauses)),
      unjudged: behind[index] ?? [],
    }))
    .sort((a, b) => weightOf(b) - weightOf(a))
    .map((cause, index) => ({ id: `cause-${index + 1}`, ...cause }));
}

/** How much hangs on a cause: findings, and checks that could not be judged. */
function weightOf({ checks, unjudged }: Pick<Cause, "checks" | "unjudged">): number {
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
      requestsOf(own).length >= (fewest.asks ?? 0),
  );
  const [first] = enough.sort(([, a], [, b]) => b.length - a.length);
  return first && { similarity, key: first[0], checks: first[1] };
}

/** Statuses of refusals that came where none was expected. */
function refusals({ asks, mismatches = [] }: Check): string[] {
  if (asks === undefined) return [];
  return mismatches.filter((one) => isStatus(one) && /^[45]/.test(one.actual)).map(({ actual }) => actual);
}

function isOfStatus({ mismatches = [] }: Check): boolean {
  return mismatches.some(isStatus);
}

function isStatus({ at }: Mismatch): boolean {
  return at === "status" || at.endsWith(": status");
}

/** The places that are not as expected, as findings have them in common. */
function places(check: Check, which: (mismatch: Mismatch) => boolean): string[] {
  return relevantMismatches(check).filter(which).map(placeOf);
}

/** What is not as expected; where the status is not, only that: the rest follows from it. */
function relevantMismatches({ mismatches = [] }: Check): readonly Mismatch[] {
  return mismatches.some(isStatus) ? mismatches.filter(isStatus) : mismatches;
}

/** A place without numbers of rows and answers, and without which tool it is of; of a status with what came. */
function placeOf(mismatch: Mismatch): string {
  const at = mismatch.at
    .replace(/^[^/:]+: (?=status|header|body|result|answer|tool error|\/)/, "")
    .replace(/\/\d+(?=\/|$)/g, "/*");
  return isStatus(mismatch) ? `status ${mismatch.actual}` : at;
}

function lastName(place: string): string {
  return place.includes("/") ? JSON.stringify(place.slice(place.lastIndexOf("/") + 1)) : place;
}

/** Whether a finding was met after one of these had refused to change something, so that what it reads was never made. */
function comesAfter({ scenario, exchanges = [] }: Check, refused: readonly Check[]): boolean {
  const steps = new Set(refused.filter((one) => one.scenario === scenario).map(({ step }) => step));
  return exchanges.some((one) => "request" in one && one.request.method !== "GET" && steps.has(one.step));
}

/** Whether what was expected has a field of this name, and what came instead has not. */
function lacks(check: Check, name: string): boolean {
  return relevantMismatches(check).some(({ expected, actual }) => expected.includes(`${name}:`) && !actual.includes(`${name}:`));
}

/** What is wrong, in a sentence: by what was asked, the place that most have in common, what came and what should have. */
function inWords(checks: readonly Check[]): string {
  const asks = listed(requestsOf(checks));
  const all = checks.flatMap(relevantMismatches);
  const [place] = byFrequency(all.map(placeOf));
  const first = all.find((one) => placeOf(one) === place);
  if (!first || place === undefined) return `${asks}: ${cut(checks[0]?.actual ?? "not as it should be")}`;
  const actual = byFrequency(all.filter((one) => placeOf(one) === place).map((one) => one.actual));
  const came = actual.length > 1 ? `not ${expectations(checks)}` : `${cut(first.actual)}, not ${expectations(checks)}`;
  return isStatus(first) ? `${asks} answers ${came}` : `${asks}: ${place} is ${came}`;
}

/** What should have come in the place that most have in common. */
function expectations(checks: readonly Check[]): string {
  const all = checks.flatMap(relevantMismatches);
  const [place] = byFrequency(all.map(placeOf));
  const expected = byFrequency(all.filter((one) => placeOf(one) === place).map((one) => one.expected));
  return expected.length > 2 ? "as expected" : expected.map(cut).join(" or ");
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Not found, no such method, not implemented. */
function isMissingRoute(status: string): boolean {
  return ["404", "405", "501"].includes(status);
}

function requestsOf(checks: readonly Check[]): string[] {
  return byFrequency(checks.flatMap(({ asks }) => asks ?? []));
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  if (names.length === 0) return "the server";
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}

function byFrequency(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Those first that show only what most of them break, after the fewest steps. */
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

/** For each group the checks that were not judged because of it: they met the same where they only prepared, or came after one that did. */
function unjudgedBy(all: readonly Check[], groups: readonly Group[]): string[][] {
  const groupOf = new Map(groups.flatMap(({ checks }, index) => checks.map(({ id }) => [id, index] as const)));
  const behind: string[][] = groups.map(() => []);
  for (const check of all) {
    const { id, scenario, verdict, reason = "" } = check;
    const [, step] = /^not played, because (.+) (?:failed|was inconclusive)$/.exec(reason) ?? [];
    const index =
      verdict === "inconclusive"
        ? groups.findIndex(({ similarity, key }) => isSame(check, similarity, key))
        : verdict === "not-observed" && step !== undefined
          ? (groupOf.get(`${scenario}/${step}`) ?? -1)
          : -1;
    if (index < 0) continue;
    groupOf.set(id, index);
    behind[index]?.push(id);
  }
  return behind;
}

/** Whether what stood in the way of a check is what others failed for. */
function isSame(check: Check, { keysOf, follows }: Similarity, key: string): boolean {
  const { mismatches = [] } = check;
  return mismatches.length > 0 && (keysOf(check).includes(key) || (follows?.(check, key, []) ?? false));
}
