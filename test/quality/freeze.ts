import { readScenarios } from "../../src/engine/scenario/select.js";
import { createEdition, writeEdition } from "../../src/engine/verdict/editions.js";
import { properties } from "../../src/suite/properties.js";
import { suite } from "../../src/suite/suite.js";

// `npm run freeze`, at a release: writes the suite as an edition with the version of package.json. Later runs can claim it.
const { scenarios } = readScenarios(suite.scenarios, suite);
const { version } = suite.identify(scenarios);
const edition = createEdition(
  version,
  suite.clauses,
  scenarios,
  properties.map(({ id }) => id),
);
const frozen = writeEdition(suite.editions, edition);
if (frozen.ok) {
  const clauses = Object.keys(edition.clauses).length;
  console.log(`Edition ${version}: ${clauses} clauses, ${scenarios.length} scenarios, ${properties.length} properties.`);
} else {
  console.error(`${frozen.mistake}, in package.json.`);
  process.exitCode = 2;
}
