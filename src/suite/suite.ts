import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import { createStrictOpenApi } from "../contract/publish.js";
import type { SuiteIdentity, SuiteQuality } from "../engine/report/suite-identity.js";
import { writeAhead } from "../engine/scenario/read-ahead.js";
import type { Scenario } from "../engine/scenario/scenario.js";
import { readScenarios } from "../engine/scenario/select.js";
import type { ApiDocument } from "../engine/second-opinion/api-document.js";
import type { Suite } from "../engine/suite.js";
import { cleanup } from "./cleanup/cleanup-rules.js";
import { coverage } from "./coverage.js";
import { computeSuiteDigest } from "./digest.js";
import { rates } from "./rate-rules.js";
import { requests } from "./request-rules.js";
import { responses } from "./response-rules.js";
import { findOperation } from "./statements/operations.js";
import { DEFAULT_ROLE } from "./statements/roles.js";
import { shortNames } from "./statements/short-names.js";
import { preflight } from "./target/preflight.js";
import { target } from "./target/target-rules.js";

/** The published OpenAPI document of the REST API, with every rule of the contract. */
const document: ApiDocument = {
  content: createStrictOpenApi,
  covers: (path) => path.startsWith("/api/"),
  operationOf: (method, path) => findOperation(`${method} ${path}`),
};

/** Titles of the nine sections of the contract, in its order. */
const sections: readonly string[] = [
  "What it does",
  "Resources",
  "States",
  "Endpoints",
  "Authentication",
  "Events",
  "Errors",
  "Limits",
  "Versioning",
];

/** Surfaces on which a clause can be checked. `client`: the clause binds callers. */
const surfaces: readonly string[] = ["rest", "mcp", "docs", "client"];

const SCENARIOS = join(packageRoot, "scenarios");

/** Everything that this contract requires of a server, as one value for the engine. */
export const suite: Suite = {
  clauses: contract.clauses,
  scenarios: SCENARIOS,
  ahead: {
    file: join(import.meta.dirname, "scenarios.bin"),
    directory: SCENARIOS,
    rules: () => suite,
    state: computeSuiteDigest,
  },
  shortNames,
  editions: join(packageRoot, "spec", "editions"),
  files: { clauses: join(packageRoot, "spec/clauses.json"), quality: join(packageRoot, "spec/quality.json") },
  sections,
  surfaces,
  document,
  coverage,
  identify,
  requests,
  answers: responses,
  defaultRole: DEFAULT_ROLE,
  target,
  rates,
  cleanup,
  preflight,
  properties: async () => (await import("./properties.js")).properties,
};

/** A scenario of the suite, and the clauses it covers. */
export interface CatalogueRow {
  name: string;
  title: string;
  file: string;
  claims: string[];
}

/** Reads the scenarios that ship and stores the result for later processes. Stores nothing when a file has a mistake. */
export function readScenariosAhead(): void {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (suite.ahead && mistakes.length === 0) writeAhead(suite.ahead, scenarios);
}

/** Returns the scenarios that ship, in the order of their files. Throws when a file has a mistake. */
export function readScenarioCatalogue(): CatalogueRow[] {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return scenarios.map((scenario) => ({
    name: scenario.name,
    title: scenario.text.title,
    file: scenario.file,
    claims: [...scenario.claims],
  }));
}

/** Identifies the suite: the package version, the digests (sha256) of its clauses and scenarios, and its measured quality. */
function identify(scenarios: readonly Scenario[]): SuiteIdentity {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const digests = {
    clauses_digest: hashContent(readFileSync(suite.files.clauses)),
    scenarios_digest: hashContent(scenarios.map(({ digest }) => digest).join("\n")),
  };
  const quality = readQuality();
  return { version, ...digests, ...(quality && { quality }) };
}

/** Returns the figures measured on this state of the suite; undefined where it was not measured. */
function readQuality(): SuiteQuality | undefined {
  if (!existsSync(suite.files.quality)) return undefined;
  const { measured, figures } = JSON.parse(readFileSync(suite.files.quality, "utf8")) as {
    measured: { state_digest: string };
    figures: SuiteQuality;
  };
  return measured.state_digest === computeSuiteDigest() ? figures : undefined;
}

function hashContent(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
