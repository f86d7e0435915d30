import type { Check } from "../../execute/check.js";
import type { Mismatch } from "../../execute/expect/match.js";
import { describePlace, listCoveredValues, type Symptom, unknownRoute } from "./symptoms.js";

/** A failed check with its symptoms. */
export interface Finding {
  check: Check;
  symptoms: readonly Symptom[];
}

/** A symptom with the check that has it. */
interface CheckSymptom extends Symptom {
  check: Check;
}

/** A rule that this number of operations break has one cause, even if other operations keep it. */
const MIN_GENERAL_OPERATIONS = 3;

/** Returns groups of symptom keys with the same cause. `checks`: all checks of the run. */
export function listLinkedKeys(findings: readonly Finding[], checks: readonly Check[]): string[][] {
  const checkSymptoms = findings.flatMap(({ check, symptoms }) =>
    symptoms.map((symptom): CheckSymptom => ({ ...symptom, check })),
  );
  return [
    ...groupBy(checkSymptoms, ({ rule }) => [rule]).flatMap((same) => listRuleLinks(same, checks)),
    ...groupBy(checkSymptoms, listGroupingKeys).map(listKeys),
    ...groupBy(checkSymptoms, ({ mismatch }) => (isGeneral(mismatch) ? [describePlace(mismatch)] : []))
      .filter((same) => countOperations(same) >= MIN_GENERAL_OPERATIONS)
      .map(listKeys),
    ...listListLinks(checkSymptoms),
  ];
}

/** Returns the circumstances in which findings of one operation have one cause: an unexpected refusal, the same clause, or the same scenario. */
function listGroupingKeys({ operation, place, isField, mismatch, check }: CheckSymptom): string[] {
  const { status, refused, expected } = mismatch;
  if (refused || (status !== undefined && unknownRoute.has(status)))
    return [`${operation} answers ${status}`, createScenarioKey(operation, check)];
  if (status !== undefined) return [`${operation} ${expected}`, createScenarioKey(operation, check)];
  if (isField && !place.includes("/*/")) return [];
  const { list, actual } = mismatch;
  const same = isField || list ? [] : [createScenarioKey(operation, check), [place, expected, actual].join(" ")];
  return [...check.clauses.map((clause) => `${operation} ${clause}`), ...same];
}

/** Names an operation in a scenario, for the values that its check covers. */
function createScenarioKey(operation: string, check: Check): string {
  return [operation, check.scenario, ...listCoveredValues(check, [operation])].join(" in ");
}

/** Returns whether a status is about the caller or the server, not about one operation. */
function isGeneral({ status = 0 }: Mismatch): boolean {
  return status === 401 || status >= 500;
}

/** Links the operations that break one rule: a field of several operations, or one clause for many or all operations. */
function listRuleLinks(same: readonly CheckSymptom[], checks: readonly Check[]): string[][] {
  if (countOperations(same) === 1) return [];
  if (same.every(({ isField, mismatch }) => isField && mismatch.tool === undefined)) return [listKeys(same)];
  return groupBy(same, ({ check }) => check.clauses)
    .filter(
      (ownCheckSymptoms) =>
        countOperations(ownCheckSymptoms) >= MIN_GENERAL_OPERATIONS ||
        countOperations(ownCheckSymptoms) === countJudgedOperations(ownCheckSymptoms, checks),
    )
    .map(listKeys);
}

/** Links an expected row that lacks a field in a list with the symptom that the same field is missing elsewhere. */
function listListLinks(checkSymptoms: readonly CheckSymptom[]): string[][] {
  const missingCheckSymptoms = checkSymptoms.filter(({ mismatch, isField }) => mismatch.absent && isField);
  return checkSymptoms.flatMap(({ key, mismatch: { lacks = [] } }) => {
    const same = missingCheckSymptoms.filter(({ mismatch: { pointer = "" } }) =>
      lacks.some((name) => pointer.endsWith(`/${name}`)),
    );
    return same.length > 0 ? [[key, ...listKeys(same)]] : [];
  });
}

/** Returns the number of operations, such as tools, for which the checks of a clause were judged. */
function countJudgedOperations([first]: readonly CheckSymptom[], checks: readonly Check[]): number {
  const clauses = first?.check.clauses ?? [];
  const judgedChecks = checks.filter((check) => check.verdict === "passed" || check.verdict === "failed");
  const ownChecks = judgedChecks.filter((check) => check.clauses.some((id) => clauses.includes(id)));
  const values = ownChecks.flatMap(({ covers = {} }) => Object.values(covers).flatMap((reached) => Object.values(reached)));
  return Math.max(new Set(ownChecks.map(({ operation }) => operation)).size, ...values.map(({ length }) => length));
}

function countOperations(checkSymptoms: readonly CheckSymptom[]): number {
  return new Set(checkSymptoms.map(({ operation }) => operation)).size;
}

function listKeys(checkSymptoms: readonly CheckSymptom[]): string[] {
  return checkSymptoms.map(({ key }) => key);
}

/** Returns the groups of items that share a name, in the order of the items. */
function groupBy<Item>(items: readonly Item[], namesOf: (item: Item) => readonly string[]): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items)
    for (const name of new Set(namesOf(item))) {
      const own = groups.get(name);
      if (own) own.push(item);
      else groups.set(name, [item]);
    }
  return [...groups.values()];
}
