import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import { findGaps, findQuantifierMistakes, formatGaps, type LedgerMistake } from "../engine/scenario/gaps.js";
import { readScenarios } from "../engine/scenario/select.js";
import { listTestableClauses } from "../engine/verdict/clauses.js";
import { coverage } from "./coverage.js";
import { suite } from "./suite.js";

/** A value that a clause requires and no check covers, or a mistake in a quantifier of a clause, with its file and line. */
export interface PlacedGap extends LedgerMistake {
  file: string;
  line: number;
}

/** Returns every value that a clause requires and that no scenario and no property covers. Throws when a scenario has a mistake. */
export async function listCoverageGaps(): Promise<PlacedGap[]> {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  const judges = { scenarios, properties: await suite.properties() };
  const wrongLedgerMistakes = findQuantifierMistakes(contract.clauses, coverage.dimensions);
  const gaps = listTestableClauses(contract.clauses).flatMap((where) => {
    const missingCells = findGaps(where, contract.clauses, judges, coverage);
    return missingCells.length > 0 ? [{ where, what: `no check covers ${formatGaps(missingCells)}` }] : [];
  });
  return [...wrongLedgerMistakes, ...gaps].map((ledgerMistake) => ({ ...locate(ledgerMistake.where), ...ledgerMistake }));
}

function locate(where: string): { file: string; line: number } {
  const file = where in contract.clauses ? "spec/clauses.json" : "spec/dimensions.json";
  const lines = readFileSync(join(packageRoot, file), "utf8").split("\n");
  return { file, line: lines.findIndex((line) => line.startsWith(`  "${where}":`)) + 1 };
}
