import type { Check } from "../execute/check.js";
import type { ShownExchange } from "../execute/shown-steps.js";
import { type Finding, listLinkedKeys } from "./causes/links.js";
import { listSymptoms } from "./causes/symptoms.js";
import { createTitle, sortByFrequency } from "./causes/title.js";

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

/** Findings with the same cause, and the keys of their symptoms. */
interface Group {
  keys: ReadonlySet<string>;
  findings: Finding[];
}

/** Groups the failed checks by their probable cause, with the largest group first. */
export function findCauses(checks: readonly Check[]): Cause[] {
  const findings = checks
    .filter(({ verdict }) => verdict === "failed")
    .map((check): Finding => ({ check, symptoms: listSymptoms(check) }));
  const groups = addConsequences(groupFindings(findings, listLinkedKeys(findings, checks)));
  const blocked = listBlockedChecks(checks, groups);
  return groups
    .map(({ keys, findings: own }, index) => {
      const failedChecks = own.map(({ check }) => check);
      const symptoms = own.flatMap((finding) => finding.symptoms.filter(({ key }) => keys.has(key)));
      return {
        title: createTitle(failedChecks, symptoms),
        checks: sortByClarity(failedChecks).map(({ id }) => id),
        clauses: sortByFrequency(failedChecks.flatMap(({ clauses }) => clauses)),
        unjudged: blocked[index] ?? [],
      };
    })
    .sort((a, b) => measureSize(b) - measureSize(a))
    .map((cause, index) => ({ id: `cause-${index + 1}`, ...cause }));
}

/** Returns the size of a cause: its failed checks and the checks that it blocks. */
function measureSize({ checks, unjudged }: Pick<Cause, "checks" | "unjudged">): number {
  return checks.length + unjudged.length;
}

/** Puts each finding into the largest group with one of its symptoms. */
function groupFindings(findings: readonly Finding[], links: readonly string[][]): Group[] {
  const keySets = joinKeys([...findings.flatMap((finding) => listKeys(finding).map((key) => [key])), ...links]);
  const groups: Group[] = [];
  let remainingFindings = findings;
  let sets = keySets;
  while (remainingFindings.length > 0) {
    const [largest] = sets.map((keys) => ({ keys, findings: remainingFindings.filter(has(keys)) })).sort(compareFindings);
    if (!largest || largest.findings.length === 0) break;
    groups.push(largest);
    sets = sets.filter((keys) => keys !== largest.keys);
    remainingFindings = remainingFindings.filter((finding) => !largest.findings.includes(finding));
  }
  return [...groups, ...sets.map((keys) => ({ keys, findings: findings.filter(hasTool(keys)) })).filter(isNotEmpty)];
}

/** Returns the keys of the symptoms of a finding. A finding without mismatches has its clauses as the key. */
function listKeys({ check, symptoms }: Finding): string[] {
  return symptoms.length > 0 ? symptoms.map(({ key }) => key) : [check.clauses.join() || check.id];
}

function has(keys: ReadonlySet<string>): (finding: Finding) => boolean {
  return (finding) => listKeys(finding).some((key) => keys.has(key));
}

/** Tests whether a step for each tool found one of the symptoms. */
function hasTool(keys: ReadonlySet<string>): (finding: Finding) => boolean {
  return ({ symptoms }) => symptoms.some(({ key, mismatch }) => mismatch.tool !== undefined && keys.has(key));
}

function isNotEmpty({ findings }: Group): boolean {
  return findings.length > 0;
}

function compareFindings(a: Group, b: Group): number {
  return b.findings.length - a.findings.length;
}

/** Joins groups of keys that share a key. */
function joinKeys(links: readonly (readonly string[])[]): ReadonlySet<string>[] {
  const setOf = new Map<string, Set<string>>();
  for (const link of links) {
    const all = new Set(link.flatMap((key) => [key, ...(setOf.get(key) ?? [])]));
    for (const key of all) setOf.set(key, all);
  }
  return [...new Set(setOf.values())];
}

/** Moves findings to the group of which they are consequences. */
function addConsequences(groups: readonly Group[]): Group[] {
  const movedFindings = new Set<Finding>();
  const all = groups.map(({ keys, findings }) => {
    const following = groups
      .flatMap((otherGroup) => otherGroup.findings)
      .filter(
        (finding) => !movedFindings.has(finding) && !findings.includes(finding) && findings.some((one) => follows(finding, one)),
      );
    for (const finding of following) movedFindings.add(finding);
    return { keys, findings: [...findings, ...following], following };
  });
  return all
    .map(({ keys, findings, following }) => ({
      keys,
      findings: findings.filter((finding) => following.includes(finding) || !movedFindings.has(finding)),
    }))
    .filter(isNotEmpty);
}

/** Returns whether a finding is in a response whose status is wrong, or a read after a wrong write in the same scenario. */
function follows(finding: Finding, wrongFinding: Finding): boolean {
  if (finding.check.scenario !== wrongFinding.check.scenario || wrongFinding.symptoms.every(({ isField }) => isField))
    return false;
  const [last, ...before] = listExchanges(finding).toReversed();
  const [judged] = listExchanges(wrongFinding).toReversed();
  if (!last) return false;
  const isSame = last.after_ms === judged?.after_ms && last.request.url === judged.request.url;
  if (isSame) return isOfStatus(wrongFinding) && !isOfStatus(finding);
  return (
    last.request.method === "GET" &&
    before.some(({ step, request }) => step === wrongFinding.check.step && request.method !== "GET")
  );
}

function isOfStatus({ symptoms }: Finding): boolean {
  return symptoms.some(({ mismatch }) => mismatch.status !== undefined);
}

function listExchanges({ check: { exchanges = [] } }: Finding): ShownExchange[] {
  return exchanges.filter((exchange) => "request" in exchange);
}

/** Sorts checks: first those that break only the most frequent clauses, with few mismatches and few steps. */
function sortByClarity(checks: readonly Check[]): Check[] {
  const clauses = sortByFrequency(checks.flatMap((check) => check.clauses));
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

/** Returns for each group the checks that it blocks: their setup had the same symptom, or they come after such a step. */
function listBlockedChecks(all: readonly Check[], groups: readonly Group[]): string[][] {
  const groupOf = new Map(groups.flatMap(({ findings }, index) => findings.map(({ check }) => [check.id, index] as const)));
  const blocked: string[][] = groups.map(() => []);
  for (const check of all) {
    const { id, scenario, verdict, blocked_by: step } = check;
    const index =
      verdict === "inconclusive"
        ? groups.findIndex((group) => isBlockedBy(check, group))
        : verdict === "not-observed" && step !== undefined
          ? (groupOf.get(`${scenario}/${step}`) ?? -1)
          : -1;
    if (index < 0) continue;
    groupOf.set(id, index);
    blocked[index]?.push(id);
  }
  return blocked;
}

/** Returns whether the setup of a check had a mismatch of a group. */
function isBlockedBy(check: Check, { keys, findings }: Group): boolean {
  const places = new Set(
    findings.flatMap(({ symptoms }) => symptoms.filter(({ key }) => keys.has(key)).map(({ place }) => place)),
  );
  return listSymptoms(check).some(({ place }) => places.has(place));
}
