import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { renderReports, writeWhole } from "../../../src/runner/report/files.js";
import { LEDGER, sample } from "./sample.js";

const directory = mkdtempSync(join(tmpdir(), "reports-"));
afterEach(() => rmSync(directory, { recursive: true }));

test("all forms are written or, when one cannot be, none and nothing is left of them", async () => {
  const out = join(directory, "deep", "down");
  await writeWhole(out, await renderReports(sample(), LEDGER, ["junit", "html", "markdown", "html"]));
  expect(readdirSync(out).sort()).toEqual(["report.html", "report.json", "report.junit.xml", "report.md"]);

  const before = readFileSync(join(out, "report.json"), "utf8");
  mkdirSync(join(out, `report.html.${process.pid}.tmp`));
  writeFileSync(join(out, `report.html.${process.pid}.tmp`, "in-the-way"), "");
  await expect(renderReports(sample({ seed: 8 }), LEDGER, ["html"]).then((files) => writeWhole(out, files))).rejects.toThrow();
  expect(readFileSync(join(out, "report.json"), "utf8")).toBe(before);
  expect(readdirSync(out).filter((name) => name.endsWith("json.tmp"))).toEqual([]);
});
