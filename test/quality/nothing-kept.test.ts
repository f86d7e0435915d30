import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";

const directory = join(packageRoot, "test", "quality");
const sources = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(join(directory, name), "utf8") }));

test("the measure reads no result of an earlier run", () => {
  const inBuild = sources.filter(({ text }) => /"dist",\s*"quality"|dist\/quality/.test(text));
  expect(inBuild.map(({ name }) => name).sort()).toEqual(["main.ts", "operators/build.ts"]);
  const main = inBuild.find(({ name }) => name === "main.ts")?.text ?? "";
  expect(main).not.toMatch(/readFileSync|readFile\b|createReadStream|existsSync/);
  expect(sources.filter(({ text }) => text.includes("appendFileSync"))).toEqual([]);
});
