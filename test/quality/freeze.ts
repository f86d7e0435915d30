import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { freeze } from "../../src/runner/edition.js";
import { properties } from "../../src/runner/properties.js";
import { readScenarios } from "../../src/runner/scenario/select.js";
import { ledger, suiteDirectory } from "../../src/runner/suite.js";

// `npm run freeze`: keeps the suite as it is under the version of package.json, for those who claim that edition later.
const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
const path = join(packageRoot, "spec", "editions", `${version}.json`);
if (existsSync(path)) {
  console.error(`Edition ${version} is frozen already: raise the version in package.json first.`);
  process.exitCode = 2;
} else {
  const { scenarios } = readScenarios(suiteDirectory, ledger);
  const edition = freeze(
    version,
    ledger,
    scenarios,
    properties.map(({ id }) => id),
  );
  mkdirSync(join(packageRoot, "spec", "editions"), { recursive: true });
  writeFileSync(path, `${JSON.stringify(edition, null, 2)}\n`);
  console.log(
    `Edition ${version}: ${Object.keys(edition.clauses).length} clauses, ${scenarios.length} scenarios, ${properties.length} properties.`,
  );
}
