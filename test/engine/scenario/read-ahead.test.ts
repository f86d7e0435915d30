import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScenarioRules } from "../../../src/engine/scenario/parse.js";
import { writeAhead } from "../../../src/engine/scenario/read-ahead.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import { suite } from "../../../src/suite/suite.js";

let place: string;
let directory: string;
let state = "before";
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "ahead-"));
  directory = join(place, "scenarios");
  for (const part of ["5-authentication", "setups"])
    cpSync(join(suite.scenarios, part), join(directory, part), { recursive: true });
  writeAhead(getRules().ahead as NonNullable<ScenarioRules["ahead"]>, readNow().scenarios);
});
afterAll(() => rmSync(place, { recursive: true }));

/** Rules of a process that has read nothing yet. */
function getRules(): ScenarioRules {
  const rules: ScenarioRules = { ...suite, scenarios: directory };
  rules.ahead = { file: join(place, "ahead.bin"), directory, rules: () => rules, state: () => state };
  return rules;
}

/** Reads the files themselves. */
const readNow = () => {
  const { ahead: _, ...rules } = getRules();
  return readScenarios(directory, rules);
};

/** A scenario that is in no file, which shows that the result comes from the read-ahead. */
const planted = (title: string) => {
  const [first, ...rest] = readNow().scenarios;
  if (!first) throw new Error("nothing was read");
  writeAhead(getRules().ahead as NonNullable<ScenarioRules["ahead"]>, [{ ...first, text: { ...first.text, title } }, ...rest]);
};
const firstTitle = (rules = getRules()) => readScenarios(directory, rules).scenarios[0]?.text.title;

test("saved scenarios equal those of the files, in every working directory", () => {
  expect(readScenarios(directory, getRules())).toEqual(readNow());
});

test("saved scenarios are used only with the same rules and the same sources", () => {
  const own = readNow().scenarios[0]?.text.title;
  planted("read ahead");
  expect(firstTitle()).toBe("read ahead");
  expect(firstTitle({ ...getRules() })).toBe(own);
  state = "after";
  expect(firstTitle()).toBe(own);
  state = "before";
});

test("a file that changed after the first read is read again", () => {
  planted("read ahead");
  const rules = getRules();
  const [first] = readScenarios(directory, rules).scenarios;
  const file = join(directory, "5-authentication", first?.file.split("/").at(-1) ?? "");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace(/^title: .*$/m, "title: Changed by hand"));
  expect(firstTitle(rules)).toBe("Changed by hand");
  writeFileSync(file, before);
});

test("an unreadable saved file is ignored", () => {
  writeFileSync(join(place, "ahead.bin"), "no such thing");
  expect(readScenarios(directory, getRules())).toEqual(readNow());
});
