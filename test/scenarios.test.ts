import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../src/contract/load.js";

const root = join(packageRoot, "scenarios");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const setUps = files.flatMap((file) => /^arrangements.(.+)\.yaml$/.exec(file)?.[1] ?? []);

test.each(["scenario", "arrangement"])(
  "every file of a %s names its schema, and no line is longer than 120 columns",
  (schema) => {
    const own = [...texts].filter(([file]) => file.startsWith("arrangements") === (schema === "arrangement"));
    const first = `# yaml-language-server: $schema=../../spec/schema/${schema}.json\n`;
    expect(own.filter(([, text]) => !text.startsWith(first)).map(([file]) => file)).toEqual([]);
    expect(own.filter(([, text]) => text.split("\n").some((line) => line.length > 120)).map(([file]) => file)).toEqual([]);
  },
);

describe("the set-ups", () => {
  test.each(setUps)("%s is used more than once", (name) => {
    const users = [...texts.values()].flatMap((text) => /^use:.*\n(?: .*\n)*/m.exec(text)?.[0] ?? []);
    expect(users.filter((use) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(use)).length).toBeGreaterThan(1);
  });
});

test("a recipe says all that it does itself, since the catalogue shows its steps as they are written", () => {
  const recipes = [...texts].filter(([file]) => file.startsWith("error-recipes"));
  expect(
    recipes.filter(([, text]) =>
      /^use:|^ {4}steps:|\{(spare|private|gone|key|registration|repo\.(triple|registration))[.}]/m.test(text),
    ),
  ).toEqual([]);
});
