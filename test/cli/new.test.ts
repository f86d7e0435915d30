import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { counterpart } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "new-"));
afterAll(() => rmSync(here, { recursive: true }));

test.each(["client-python", "client-typescript", "vendor", "ci", "agent"])("%s is copied completely", async (project) => {
  const folder = join(here, project);
  const source = join(packageRoot, "fixtures/examples", project);
  const readme = readFileSync(join(source, "README.md"), "utf8");
  const { code, out, err } = await counterpart("new", project, folder);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(readme);
  const names = (of: string) => readdirSync(of, { recursive: true, encoding: "utf8" }).sort();
  expect(names(folder)).toEqual(
    names(source)
      .map((name) => name.replace("_package", "package"))
      .sort(),
  );
});

test.each([
  ["file", (path: string) => writeFileSync(path, "mine")],
  ["link that leads nowhere", (path: string) => symlinkSync(join(here, "elsewhere"), path)],
])("a %s that exists is named, and nothing is written", async (_, create) => {
  const folder = mkdtempSync(join(here, "mine-"));
  const file = join(folder, "target.yaml");
  create(file);
  const { code, err } = await counterpart("new", "vendor", folder);
  expect(code).toBe(2);
  expect(err).toBe(`counterpart: ${JSON.stringify(file)} exists, and nothing was written. Name another folder.\n`);
  expect([readdirSync(folder), existsSync(join(here, "elsewhere"))]).toEqual([["target.yaml"], false]);
});

test("a folder that is a file is refused, and so is an unknown project", async () => {
  const file = join(here, "a-file");
  writeFileSync(file, "");
  const { code, err } = await counterpart("new", "ci", file);
  expect([code, existsSync(join(file, "README.md"))]).toEqual([2, false]);
  expect(err).toMatch(/^counterpart: Cannot write into ".*a-file": .*\. Name another folder\.$/m);
  expect(await counterpart("new", "client-pyton")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Allowed choices are client-python, client-typescript, vendor, ci, agent."),
  });
});
