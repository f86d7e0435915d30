import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Instrumented, instrument } from "./instrument.js";

const directory = mkdtempSync(join(tmpdir(), "instrument-"));
afterAll(() => rmSync(directory, { recursive: true }));

const content = `export function mayVote(age) {
    return age >= 18 || age === "grown";
}
export function mayDrive(age) {
    return age >= 18 || age === "grown";
}
`;

/** Stands for `switch.ts`, which this test cannot share with a module that it has not compiled. */
const panel = `export const state = { on: "", reached: [] };
export const isActive = (mutant) => state.on === mutant;
export const cover = (...mutants) => state.reached.push(...mutants);
`;

interface Panel {
  state: { on: string; reached: string[] };
}

let instrumented: Instrumented;
let code: { mayVote(age: unknown): boolean };
let state: Panel["state"];

beforeAll(async () => {
  const switchUrl = pathToFileURL(join(directory, "panel.mjs")).href;
  writeFileSync(join(directory, "panel.mjs"), panel);
  instrumented = await instrument([{ name: "service/vote.js", content }], switchUrl);
  writeFileSync(join(directory, "vote.mjs"), instrumented.files[0]?.content ?? "");
  code = await import(/* @vite-ignore */ pathToFileURL(join(directory, "vote.mjs")).href);
  ({ state } = (await import(/* @vite-ignore */ switchUrl)) as Panel);
});
beforeEach(() => {
  state.on = "";
  state.reached = [];
});

const line = 'return age >= 18 || age === "grown";';
const named = (name: string) => instrumented.mutants.find((mutant) => mutant.name === name);

test("names mutants by line, old and new text, and numbers repeated ones", () => {
  expect(named(`${line} | age >= 18 -> age > 18`)).toMatchObject({
    file: "src/service/vote.ts",
    line: 2,
    mutator: "EqualityOperator",
    change: ">= to >",
    nth: 1,
  });
  expect(named(`${line} | age === "grown" -> false`)).toMatchObject({ change: "false", nth: 3 });
  expect(named(`${line} | age >= 18 -> age > 18 #2`)).toMatchObject({ line: 5, within: "mayDrive" });
});

test("makes no mutant of a text, and no name twice", () => {
  expect(instrumented.mutants.filter(({ mutator }) => mutator === "StringLiteral")).toEqual([]);
  expect(new Set(instrumented.mutants.map(({ name }) => name)).size).toBe(instrumented.mutants.length);
});

test("code is unchanged until a mutant is switched on", () => {
  expect([17, 18, "grown"].map(code.mayVote)).toEqual([false, true, true]);
  state.on = named(`${line} | age >= 18 -> age > 18`)?.id ?? "none";
  expect([17, 18, 19, "grown"].map(code.mayVote)).toEqual([false, false, true, true]);
});

test("code reports the reached mutants", () => {
  const both = [named(`${line} | age >= 18 -> age > 18`), named(`${line} | age === "grown" -> age !== "grown"`)].map(
    (operatorMutant) => operatorMutant?.id,
  );
  code.mayVote(18);
  expect(both.map((id) => state.reached.includes(id ?? ""))).toEqual([true, false]);
  code.mayVote(17);
  expect(both.map((id) => state.reached.includes(id ?? ""))).toEqual([true, true]);
});
