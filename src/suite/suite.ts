import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import type { SuiteIdentity, SuiteQuality } from "../engine/report/suite-identity.js";
import { writeAhead } from "../engine/scenario/read-ahead.js";
import type { Scenario } from "../engine/scenario/scenario.js";
import { readScenarios } from "../engine/scenario/select.js";
import type { Suite } from "../engine/suite.js";
import { answers } from "./answers.js";
import { cleanup } from "./cleanup.js";
import { coverage } from "./coverage.js";
import { document } from "./document.js";
import { preflight } from "./preflight.js";
import { rates } from "./rates.js";
import { requests } from "./requests.js";
import { sections, surfaces } from "./sections.js";
import { stateOfSuite } from "./state.js";
import { DEFAULT_ROLE } from "./statements/roles.js";
import { shortNames } from "./statements/short-names.js";
import { target } from "./target.js";

const SCENARIOS = join(packageRoot, "scenarios");

/** What this contract asks of a server, handed to the engine as one value. */
export const suite: Suite = {
  clauses: contract.clauses,
  scenarios: SCENARIOS,
  ahead: {
    file: join(import.meta.dirname, "scenarios.bin"),
    directory: SCENARIOS,
    rules: () => suite,
    state: stateOfSuite,
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
  answers,
  defaultRole: DEFAULT_ROLE,
  target,
  rates,
  cleanup,
  preflight,
  properties: async () => (await import("./properties.js")).properties,
};

/** One scenario of the suite that ships, and the clauses it claims. */
export interface CatalogueRow {
  name: string;
  title: string;
  file: string;
  claims: string[];
}

/** Reads the scenarios that ship, and leaves what it read to all who run this build; nothing where a file has a mistake, which reading them will tell. */
export function readScenariosAhead(): void {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (suite.ahead && mistakes.length === 0) writeAhead(suite.ahead, scenarios);
}

/** The scenarios that ship, in the order of their files. Throws one sentence when a file has a mistake. */
export function scenarioCatalogue(): CatalogueRow[] {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return scenarios.map((scenario) => ({
    name: scenario.name,
    title: scenario.text.title,
    file: scenario.file,
    claims: [...scenario.claims],
  }));
}

/** Which suite judges: the version of this package, digests (sha256) of its clauses and of the scenarios that were read, how good it is. */
function identify(scenarios: readonly Scenario[]): SuiteIdentity {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const digests = {
    clauses_digest: sha256(readFileSync(suite.files.clauses)),
    scenarios_digest: sha256(scenarios.map(({ digest }) => digest).join("\n")),
  };
  const quality = qualityOf();
  return { version, ...digests, ...(quality && { quality }) };
}

/** Returns the figures that were measured on this state of the suite; undefined where it was not measured. */
function qualityOf(): SuiteQuality | undefined {
  if (!existsSync(suite.files.quality)) return undefined;
  const { measured, figures } = JSON.parse(readFileSync(suite.files.quality, "utf8")) as {
    measured: { state_digest: string };
    figures: SuiteQuality;
  };
  return measured.state_digest === stateOfSuite() ? figures : undefined;
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
