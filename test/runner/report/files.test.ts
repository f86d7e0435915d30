import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { writeReports } from "../../../src/runner/report/files.js";
import { LEDGER, sample } from "./sample.js";

const directory = mkdtempSync(join(tmpdir(), "reports-"));
afterEach(() => rmSync(directory, { recursive: true }));

test("all forms are written or, when one cannot be, none and nothing is left of them", async () => {
  const out = join(directory, "deep", "down");
  const paths = await writeReports(out, sample(), LEDGER, ["junit", "html", "markdown", "html"]);
  expect(paths).toEqual(["report.json", "report.junit.xml", "report.html", "report.md"].map((name) => join(out, name)));

  const before = readFileSync(join(out, "report.json"), "utf8");
  mkdirSync(join(out, `report.html.${process.pid}.tmp`));
  writeFileSync(join(out, `report.html.${process.pid}.tmp`, "in-the-way"), "");
  await expect(writeReports(out, sample({ seed: 8 }), LEDGER, ["html"])).rejects.toThrow();
  expect(readFileSync(join(out, "report.json"), "utf8")).toBe(before);
  expect(readdirSync(out).filter((name) => name.endsWith("json.tmp"))).toEqual([]);
});
