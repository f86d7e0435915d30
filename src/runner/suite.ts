import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, packageRoot, readSpec } from "../contract/load.js";
import type { Report, SuiteQuality } from "./report/report.js";
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

/** Which suite judged: the version of this package, digests (sha256) of its clauses and of the scenarios that were read, how good it is. */
export function identify(scenarios: readonly Scenario[]): Report["suite"] {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const digests = {
    clauses_digest: sha256(readFileSync(join(packageRoot, "spec/clauses.json"))),
    scenarios_digest: sha256(JSON.stringify(scenarios.map(({ name, text, variables }) => [name, text, variables]))),
  };
  const quality = qualityOf(digests.clauses_digest);
  return { version, ...digests, ...(quality && { quality }) };
}

/** The figures that measuring the suite has left, if it has been measured. A run of a few scenarios reads no others, so only clauses are compared. */
function qualityOf(clausesDigest: string): SuiteQuality | undefined {
  if (!existsSync(join(packageRoot, "spec/quality.json"))) return undefined;
  const { measured, figures } = readSpec("quality.json") as {
    measured: { clauses_digest: string };
    figures: Omit<SuiteQuality, "current">;
  };
  return { ...figures, current: measured.clauses_digest === clausesDigest };
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
