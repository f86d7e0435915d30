import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "../scenario/lint.js";
import type { Scenario, ScenarioHead } from "../scenario/scenario.js";

/** The suite as it was released: each clause and scenario with a digest of what it says, and the names of the properties. Never changed afterwards. */
export interface Edition {
  version: string;
  /** Digest of all the rest, by which a slip of the pen is found. */
  digest: string;
  clauses: Readonly<Record<string, string>>;
  scenarios: Readonly<Record<string, string>>;
  properties: readonly string[];
}

/** A version that can be released, and safely names a file: without a suffix such as `-dev`. */
const RELEASED = /^\d+(\.\d+)*$/;

/** The suite as it is now, as an edition. */
export function editionOf(
  version: string,
  ledger: Ledger,
  scenarios: readonly Scenario[],
  properties: readonly string[],
): Edition {
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

/** Keeps an edition for those who will claim it. Only a release has one, and what was kept is never written again. */
export function writeEdition(directory: string, edition: Edition): { ok: true; path: string } | { ok: false; mistake: string } {
  const { version } = edition;
  const path = join(directory, `${version}.json`);
  if (!RELEASED.test(version))
    return { ok: false, mistake: `${version} is no release, so it has no edition: set a version such as 1.2.3` };
  if (existsSync(path)) return { ok: false, mistake: `edition ${version} is frozen already: raise the version` };
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, `${JSON.stringify(edition, null, 2)}\n`, { flag: "wx" });
  return { ok: true, path };
}

/** Reads a released edition, or says which there are. */
export function readEdition(directory: string, version: string): { ok: true; edition: Edition } | { ok: false; mistake: string } {
  const path = join(directory, `${version}.json`);
  if (RELEASED.test(version) && existsSync(path)) return { ok: true, edition: JSON.parse(readFileSync(path, "utf8")) as Edition };
  const known = editionsIn(directory);
  return {
    ok: false,
    mistake: `--claim: no edition of the suite is called "${version}"; there are: ${known.join(", ") || "none yet"}`,
  };
}

/** The versions of the editions in a directory. */
export function editionsIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((file) => file.replace(/\.json$/, "")) : [];
}

/** Clauses that an edition does not have, or has with another meaning; nobody who claims the edition answers for them. */
export function newerClauses({ clauses }: Edition, ledger: Ledger): string[] {
  return Object.entries(ledger).flatMap(([id, { says, level }]) => (clauses[id] === digestOf([says, level]) ? [] : [id]));
}

/** Whether a scenario or property came after an edition, or has been changed since. */
export function isNewer({ scenarios, properties }: Edition, scenario: ScenarioHead): boolean {
  const [, property] = /^property:(.+)$/.exec(scenario.name) ?? [];
  if (property !== undefined) return !properties.includes(property);
  return scenarios[scenario.name] !== digestOfScenario(scenario);
}

function digestOfScenario({ text, variables }: ScenarioHead): string {
  return digestOf([text, variables]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
