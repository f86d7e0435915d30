import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../contract/load.js";
import type { Check } from "./play/check.js";
import type { ScenarioLine } from "./report/report.js";
import type { Scenario } from "./scenario/format.js";
import type { Ledger } from "./scenario/mistakes.js";

/** The suite as it was released: each clause and scenario with a digest of what it says, and the names of the properties. Never changed afterwards. */
export interface Edition {
  version: string;
  /** Digest of all the rest, by which a slip of the pen is found. */
  digest: string;
  clauses: Readonly<Record<string, string>>;
  scenarios: Readonly<Record<string, string>>;
  properties: readonly string[];
}

const directory = join(packageRoot, "spec", "editions");

/** The suite as it is now, as an edition. */
export function freeze(version: string, ledger: Ledger, scenarios: readonly Scenario[], properties: readonly string[]): Edition {
  const edition = {
    version,
    clauses: Object.fromEntries(Object.entries(ledger).map(([id, row]) => [id, digestOf([row.says, row.level])])),
    scenarios: Object.fromEntries(scenarios.map((scenario) => [scenario.name, digestOfScenario(scenario)])),
    properties,
  };
  return { ...edition, digest: digestOfEdition(edition) };
}

/** The digest that an edition must have. */
export function digestOfEdition({ version, clauses, scenarios, properties }: Omit<Edition, "digest">): string {
  return digestOf([version, clauses, scenarios, properties]);
}

/** Reads a released edition, or says which there are. */
export function readEdition(version: string): { ok: true; edition: Edition } | { ok: false; mistake: string } {
  const path = join(directory, `${version}.json`);
  if (/^[0-9.]+$/.test(version) && existsSync(path))
    return { ok: true, edition: JSON.parse(readFileSync(path, "utf8")) as Edition };
  const known = existsSync(directory) ? readdirSync(directory).map((file) => file.replace(/\.json$/, "")) : [];
  return {
    ok: false,
    mistake: `--claim: no edition of the suite is called "${version}"; there are: ${known.join(", ") || "none yet"}`,
  };
}

/** Clauses that an edition does not have, or has with another meaning; nobody who claims the edition answers for them. */
export function laterClauses({ clauses }: Edition, ledger: Ledger): string[] {
  return Object.entries(ledger).flatMap(([id, { says, level }]) => (clauses[id] === digestOf([says, level]) ? [] : [id]));
}

/** Whether a scenario or property came after an edition, or has been changed since. */
export function isLater({ scenarios, properties }: Edition, scenario: Scenario): boolean {
  const [, property] = /^property:(.+)$/.exec(scenario.name) ?? [];
  if (property !== undefined) return !properties.includes(property);
  return scenarios[scenario.name] !== digestOfScenario(scenario);
}

/** What was seen, as far as an edition speaks of it. */
interface Seen {
  scenarios: readonly ScenarioLine[];
  checks: readonly Check[];
  claim?: { later_clauses: readonly string[] };
}

/** What was seen, with checks and clauses that came after the claimed edition reported and not scored: a failure there is a warning. */
export function unscored<Some extends Seen>(seen: Some): Some {
  const laterLines = new Set(seen.scenarios.flatMap((line) => (line.later ? [line.scenario] : [])));
  const laterClauses = new Set(seen.claim?.later_clauses);
  const isUnscored = ({ scenario, clauses }: Check) =>
    laterLines.has(scenario) || (clauses.length > 0 && clauses.every((id) => laterClauses.has(id)));
  const soft = new Set(seen.checks.filter(isUnscored));
  if (soft.size === 0 && laterLines.size === 0) return seen;
  return {
    ...seen,
    checks: seen.checks.map((check) => (soft.has(check) ? softened(check) : check)),
    scenarios: seen.scenarios.map((line) => {
      const own = seen.checks.filter((check) => check.scenario === line.scenario && check.verdict === line.verdict);
      return line.later || (own.length > 0 && own.every((check) => soft.has(check))) ? softened(line) : line;
    }),
  };
}

function softened<One extends { verdict: Check["verdict"] }>(one: One): One {
  if (["passed", "not-applicable", "warned"].includes(one.verdict)) return one;
  return { ...one, verdict: one.verdict === "failed" ? "warned" : "informational" };
}

function digestOfScenario({ text, variables }: Scenario): string {
  return digestOf([text, variables]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
