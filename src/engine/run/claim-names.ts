import { findClosestName } from "../../common/nearest-names.js";
import type { Ledger } from "../scenario/lint.js";
import { parseGlob } from "../scenario/select.js";
import type { ClaimText } from "../target/claim-text.js";
import { listTestableClauses } from "../verdict/clauses.js";

/** The parts of a contract that a claim can name. */
interface Contract {
  clauses: Ledger;
  sections: readonly string[];
}

/** Returns the ids of the clauses that the sections and clauses of a claim name, or the mistakes in them. Without any: all testable clauses. */
export function listNamedClauses(
  { sections = [], clauses = [] }: ClaimText,
  contract: Contract,
): { ok: true; ids: string[]; names: string[] } | { ok: false; mistakes: string[] } {
  const testableIds = listTestableClauses(contract.clauses);
  if (sections.length + clauses.length === 0) return { ok: true, ids: testableIds, names: [] };
  const mistakes: string[] = [];
  const ids = new Set<string>();
  const names: string[] = [];
  for (const section of sections) {
    const number = findSectionNumber(section, contract.sections);
    const ownTestableIds = testableIds.filter((id) => contract.clauses[id]?.section === number);
    if (number === undefined || ownTestableIds.length === 0)
      mistakes.push(describeUnknownSection(String(section), contract.sections));
    else names.push(`§${number} ${contract.sections[number - 1]}`);
    for (const id of ownTestableIds) ids.add(id);
  }
  for (const pattern of clauses) {
    const ownTestableIds = testableIds.filter((id) => id === pattern || parseGlob(pattern)(id));
    if (ownTestableIds.length === 0) mistakes.push(describeUnknownClause(pattern, contract.clauses, testableIds));
    names.push(pattern);
    for (const id of ownTestableIds) ids.add(id);
  }
  return mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, ids: testableIds.filter((id) => ids.has(id)), names };
}

function findSectionNumber(given: number | string, titles: readonly string[]): number | undefined {
  const number = Number(String(given).replace(/^§/, ""));
  const index = Number.isInteger(number)
    ? number - 1
    : titles.findIndex((title) => title.toLowerCase() === String(given).toLowerCase());
  return titles[index] === undefined ? undefined : index + 1;
}

function describeUnknownSection(given: string, titles: readonly string[]): string {
  return `the contract has no section "${given}" with clauses for servers. Use 1 to ${titles.length}${findClosestName(given, titles)}.`;
}

function describeUnknownClause(given: string, ledger: Ledger, testableIds: readonly string[]): string {
  const isKnown = Object.hasOwn(ledger, given);
  return isKnown
    ? `the clause "${given}" cannot be claimed: no run against a server can test it.`
    : `the suite has no edition and no clause "${given}"${findClosestName(given, testableIds)}.`;
}
