import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../common/directory.js";
import type { Ledger } from "../scenario/lint.js";
import type { Scenario, ScenarioHead } from "../scenario/scenario.js";

/** A released version of the suite: a digest of each clause and scenario, and the ids of the properties. It never changes. */
export interface Edition {
  version: string;
  /** Digest of the other fields. It detects accidental changes. */
  digest: string;
  clauses: Readonly<Record<string, string>>;
  scenarios: Readonly<Record<string, string>>;
  properties: readonly string[];
}

/** Matches a release version. It has no suffix such as `-dev`, and is safe in a file name. */
const RELEASE_VERSION = /^\d+(\.\d+)*$/;

/** Creates an edition of the current suite. */
export function createEdition(
  version: string,
  ledger: Ledger,
  scenarios: readonly Scenario[],
  properties: readonly string[],
): Edition {
  const edition = {
    version,
    clauses: Object.fromEntries(Object.entries(ledger).map(([id, row]) => [id, computeDigest([row.description, row.level])])),
    scenarios: Object.fromEntries(scenarios.map((scenario) => [scenario.name, digestScenario(scenario)])),
    properties,
  };
  return { ...edition, digest: digestEdition(edition) };
}

/** Computes the digest of an edition. */
export function digestEdition({ version, clauses, scenarios, properties }: Omit<Edition, "digest">): string {
  return computeDigest([version, clauses, scenarios, properties]);
}

/** Writes an edition to a new file. Refuses a version that is not a release, and an edition that exists. */
export function writeEdition(directory: string, edition: Edition): { ok: true; path: string } | { ok: false; mistake: string } {
  const { version } = edition;
  const path = join(directory, `${version}.json`);
  if (!RELEASE_VERSION.test(version))
    return { ok: false, mistake: `${version} is not a release version: set a version such as 1.2.3` };
  if (existsSync(path)) return { ok: false, mistake: `edition ${version} already exists: raise the version` };
  makeDirectory(directory);
  writeFileSync(path, `${JSON.stringify(edition, null, 2)}\n`, { flag: "wx" });
  return { ok: true, path };
}

/** Reads a released edition. The mistake for an unknown version lists the known versions. */
export function readEdition(directory: string, version: string): { ok: true; edition: Edition } | { ok: false; mistake: string } {
  const path = join(directory, `${version}.json`);
  if (RELEASE_VERSION.test(version) && existsSync(path))
    return { ok: true, edition: JSON.parse(readFileSync(path, "utf8")) as Edition };
  const known = listEditions(directory);
  return {
    ok: false,
    mistake: `the suite has no edition "${version}". Known editions: ${known.join(", ") || "none"}`,
  };
}

/** Returns the versions of the editions in a directory. */
export function listEditions(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((file) => file.replace(/\.json$/, "")) : [];
}

/** Returns the ids of clauses that are not in an edition or were changed after it. A claim of the edition does not include them. */
export function listNewerClauses({ clauses }: Edition, ledger: Ledger): string[] {
  return Object.entries(ledger).flatMap(([id, { description, level }]) =>
    clauses[id] === computeDigest([description, level]) ? [] : [id],
  );
}

/** Returns whether a scenario or property is not in an edition, or was changed after it. */
export function isNewer({ scenarios, properties }: Edition, scenario: ScenarioHead): boolean {
  const [, property] = /^property:(.+)$/.exec(scenario.name) ?? [];
  if (property !== undefined) return !properties.includes(property);
  return scenarios[scenario.name] !== digestScenario(scenario);
}

function digestScenario({ text, variables }: ScenarioHead): string {
  return computeDigest([text, variables]);
}

function computeDigest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
