import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import { claims, readScenarios } from "./scenario/select.js";

/** One scenario of the suite that ships, and the clauses it claims. */
export interface SuiteRow {
  name: string;
  title: string;
  file: string;
  claims: string[];
}

/** The scenarios that ship, in the order of their files. Throws one sentence when a file has a mistake. */
export function suite(): SuiteRow[] {
  const { scenarios, mistakes } = readScenarios(join(packageRoot, "scenarios"), contract.clauses);
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return scenarios.map((scenario) => ({
    name: scenario.name,
    title: scenario.text.title,
    file: scenario.file,
    claims: claims(scenario),
  }));
}
