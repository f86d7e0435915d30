import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";

const root = join(packageRoot, "scenarios");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const readJson = (file: string) => JSON.parse(readFileSync(join(packageRoot, file), "utf8"));
const setups = files.flatMap((file) => /^setups.(.+)\.yaml$/.exec(file)?.[1] ?? []);

test("editors find the schema of every file by its folder", () => {
  const associations = Object.keys(readJson(".vscode/settings.json")["yaml.schemas"]);
  expect(associations).toEqual(["spec/schema/scenario.json", "spec/schema/setup.json"]);
  expect(associations.filter((schema) => !existsSync(join(packageRoot, schema)))).toEqual([]);
  expect([...texts].filter(([, text]) => text.startsWith("# yaml-language-server")).map(([file]) => file)).toEqual([]);
  expect([...texts].filter(([, text]) => text.split("\n").some((line) => line.length > 120)).map(([file]) => file)).toEqual([]);
});

describe("the setups", () => {
  test.each(setups)("%s is used more than once", (name) => {
    const users = [...texts.values()].flatMap((text) => text.match(/^use:.*\n(?: .*\n)*/gm) ?? []);
    expect(users.filter((use) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(use)).length).toBeGreaterThan(1);
  });
});

test("a recipe uses no setup and no group, because the catalogue shows its steps one by one", () => {
  expect(texts.get("error-recipes.yaml")).not.toMatch(/^use:|^ {4}steps:/m);
});
