import { readScenarios } from "../../src/engine/scenario/select.js";
import { editionOf, freeze } from "../../src/engine/verdict/editions.js";
import { properties } from "../../src/suite/properties.js";
import { suite } from "../../src/suite/suite.js";

// `npm run freeze`, at a release: keeps the suite as it is under the version of package.json, for those who claim that edition later.
const { scenarios } = readScenarios(suite.scenarios, suite);
const { version } = suite.identify(scenarios);
const edition = editionOf(
  version,
  suite.clauses,
  scenarios,
  properties.map(({ id }) => id),
);
const frozen = freeze(suite.editions, edition);
if (frozen.ok) {
  const clauses = Object.keys(edition.clauses).length;
  console.log(`Edition ${version}: ${clauses} clauses, ${scenarios.length} scenarios, ${properties.length} properties.`);
} else {
  console.error(`${frozen.mistake}, in package.json.`);
  process.exitCode = 2;
}
