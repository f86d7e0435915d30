import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import type { Report } from "./report/report.js";
import type { Scenario } from "./scenario/format.js";
import type { Ledger } from "./scenario/mistakes.js";
import { claims, readScenarios } from "./scenario/select.js";

/** The clauses as the examiner knows them. */
export const ledger: Ledger = contract.clauses;

/** Where the scenarios that ship lie. */
export const suiteDirectory: string = join(packageRoot, "scenarios");

/** One scenario of the suite that ships, and the clauses it claims. */
export interface SuiteRow {
  name: string;
  title: string;
  file: string;
  claims: string[];
}

/** The scenarios that ship, in the order of their files. Throws one sentence when a file has a mistake. */
export function suite(): SuiteRow[] {
  const { scenarios, mistakes } = readScenarios(suiteDirectory, ledger);
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return scenarios.map((scenario) => ({
    name: scenario.name,
    title: scenario.text.title,
    file: scenario.file,
    claims: claims(scenario),
  }));
}

/** Which suite judged: the version of this package, and digests (sha256) of its clauses and of the scenarios that were read. */
export function identify(scenarios: readonly Scenario[]): Report["suite"] {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return {
    version,
    clauses_digest: sha256(readFileSync(join(packageRoot, "spec/clauses.json"))),
    scenarios_digest: sha256(JSON.stringify(scenarios.map(({ name, text, variables }) => [name, text, variables]))),
  };
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
