import { expect, test } from "vitest";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import { suite } from "../../../src/suite/suite.js";

/** The needs of a check, and the clauses that it judges. */
interface Check {
  needs: readonly string[];
  judges: readonly string[];
}

const { scenarios } = readScenarios(suite.scenarios, suite);
const checks: Check[] = [
  ...scenarios.map(({ needs, claims }) => ({ needs: needs.map(({ need }) => need), judges: claims })),
  ...(await suite.properties()).map(({ needs, proves }) => ({ needs, judges: proves })),
];
const judged = [...new Set(checks.flatMap(({ judges }) => judges))].sort();
const needs = [...new Set(checks.flatMap((check) => check.needs))].filter((need) => !/^(no )?binding\./.test(need)).sort();

/** Clauses that nothing judges on a target that lacks one thing, and offers all else. */
function lostWithout(lacking: string): string[] {
  const left = new Set(checks.filter((check) => !check.needs.includes(lacking)).flatMap(({ judges }) => judges));
  return judged.filter((clause) => !left.has(clause));
}

/** A step that needs more than the clauses of its scenario belongs in a separate scenario. `-u` accepts the current needs. */
test("no clause needs more of a target than before", async () => {
  const lines = needs.map((need) => [`without ${need}:`, ...lostWithout(need)].join("\n  "));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("needs.txt");
});
