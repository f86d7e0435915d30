import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findEndlessWaits, findImpurities } from "./house/bans.js";
import type { Case, HouseCase } from "./house/case.js";
import * as cases from "./house/cases/index.js";
import { findUnknownClauses } from "./house/clause-ids.js";
import { findContractWords } from "./house/contract-words.js";
import { findCycles } from "./house/cycles.js";
import { findUndocumentedExports } from "./house/documents.js";
import { findUnusedExports } from "./house/exports.js";
import { findUnclearComments, findUnclearSentences } from "./house/language.js";
import { findCircles, findOrphans } from "./house/links.js";
import { findUnmirroredTests } from "./house/mirror.js";
import { findSlowExpressions, judgedWithoutSearch, proved, searchSlowness } from "./house/regular-expressions.js";
import { findForbiddenImports } from "./house/rooms.js";
import { findReadSentences } from "./house/sentences.js";
import { findUnescapedText } from "./house/sinks.js";
import { findLongFiles, findLongFunctions } from "./house/sizes.js";
import { type HouseRule, parseSource, type Rule, readSources, type Source } from "./house/source.js";
import { findNounFunctions, findParticipleTypes, findUnusualLimits } from "./house/type-names.js";
import { findWideLines } from "./house/widths.js";
import { exhaustive } from "./sample.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = [...readSources(root, "src", ".ts"), ...readSources(root, "src", ".tsx")];
const tests = readSources(root, "test", ".ts");
const scenarios = readSources(root, "scenarios", ".yaml");
const spec = readSources(root, "spec", ".json");
const documents = [
  ...["README.md", "test/README.md"].map((path) => parseSource(path, readFileSync(`${root}/${path}`, "utf8"))),
  ...readSources(root, "src", ".md"),
];

const rules: [name: string, over: Source[], rule: Rule, cases: Case[]][] = [
  ["imports only what its room may import", src, findForbiddenImports, cases.rooms],
  ["has no word of the contract in the engine", [...src, ...documents], findContractWords, cases.contractWords],
  ["has no clock, chance, promise or process in the service", src, findImpurities, cases.bans],
  ["waits for nothing that may never come", src, findEndlessWaits, cases.waits],
  ["is at most 300 lines long", [...src, ...tests], findLongFiles, cases.fileSizes],
  ["has functions of at most 60 lines", src, findLongFunctions, cases.functionSizes],
  ["writes text through the escaping functions", src, findUnescapedText, cases.sinks],
  ["reads no sentence that it wrote for readers", src, findReadSentences, cases.readSentences],
  ["documents what it exports", src, findUndocumentedExports, cases.documents],
  ["is written plainly", [...src, ...tests], findUnclearComments, cases.language],
  ["has plain titles and sentences", [...tests, ...spec, ...documents, ...scenarios], findUnclearSentences, cases.sentences],
  ["names limits max and min", [...src, ...tests], findUnusualLimits, cases.limitNames],
  ["names types by nouns", src, findParticipleTypes, cases.typeNames],
  ["names functions by verbs", [...src, ...tests], findNounFunctions, cases.functionNames],
  ["cites clauses that exist", [...src, ...scenarios, ...documents], findUnknownClauses, cases.clauseIds],
  ["has regular expressions of linear time", [...src, ...scenarios], findSlowExpressions, cases.regularExpressions],
  ["has lines of at most 120 columns in scenarios", scenarios, findWideLines, cases.widths],
];

describe.each(rules)("every file %s", (_, over, rule, table) => {
  test("in the project", () => expect(over.flatMap(rule)).toEqual([]));
  test.each(table)("judging %s", (_what, path, text, ...findings) => expect(rule(parseSource(path, text))).toEqual(findings));
});

describe("each regular expression that is judged without a search", () => {
  test.runIf(exhaustive)("is linear by recheck", () => {
    expect(judgedWithoutSearch.size).toBeGreaterThan(50);
    expect([...judgedWithoutSearch].filter(([, expression]) => searchSlowness(...expression)).map(([key]) => key)).toEqual([]);
  });

  test("is still used if it is in test/meta/house/proved-expressions.json", () => {
    expect([...proved].filter((key) => !judgedWithoutSearch.has(key))).toEqual([]);
  });
});

const houseRules: [name: string, over: Source[], rule: HouseRule, cases: HouseCase[]][] = [
  ["no file that nobody imports", src, findOrphans, cases.orphans],
  ["no export that nobody imports", [...src, ...tests], findUnusedExports, cases.exportUse],
  ["no circle of folders", src, findCircles, cases.circles],
  ["no circle of files", src, findCycles, cases.cycles],
  ["no test that mirrors no source", [...src, ...tests], findUnmirroredTests, cases.mirror],
];

describe.each(houseRules)("src has %s", (_, over, rule, table) => {
  test("in the project", () => expect(rule(over)).toEqual([]));
  test.each(table)("judging %s", (_what, files, ...findings) =>
    expect(rule(Object.entries(files).map(([path, text]) => parseSource(path, text)))).toEqual(findings),
  );
});

/** Paths of the tree in a text: `src/mock`, `test/meta/house.test.ts`. `dist/test/…` is built, so the path of its source counts. */
const pathsIn = (text: string) =>
  [...text.matchAll(/(?<![\w/.-])(?:dist\/)?((?:src|test|spec|scenarios|fixtures)\/[\w./-]*\w)/g)].map(([, path = ""]) => path);

/** Only there once figures have been published. */
const publication = "spec/quality.json";

test.each([".ci/run", ...documents.map(({ path }) => path)])("every path that %s names exists", (name) => {
  const paths = pathsIn(readFileSync(`${root}/${name}`, "utf8")).filter((path) => path !== publication);
  const getSource = (path: string) => path.replace(/\.js$/, ".ts");
  expect(paths.filter((path) => !existsSync(`${root}/${path}`) && !existsSync(`${root}/${getSource(path)}`))).toEqual([]);
});
