import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { writeFiles } from "../../../../src/engine/evidence/bundle/write.js";
import { renderFiles } from "../../../../src/engine/report/forms.js";
import { OUTLINE, sample } from "../../report/sample.js";

const directory = mkdtempSync(join(tmpdir(), "reports-"));
afterEach(() => rmSync(directory, { recursive: true }));

test("writes all files, or none if one fails, and leaves no temporary file", async () => {
  const out = join(directory, "deep", "down");
  await writeFiles(out, await renderFiles(sample(), OUTLINE, ["junit", "html", "markdown", "html"]));
  expect(readdirSync(out).sort()).toEqual(["report.html", "report.json", "report.junit.xml", "report.md"]);

  const before = readFileSync(join(out, "report.json"), "utf8");
  mkdirSync(join(out, `report.html.${process.pid}.tmp`));
  writeFileSync(join(out, `report.html.${process.pid}.tmp`, "in-the-way"), "");
  await expect(renderFiles(sample({ seed: 8 }), OUTLINE, ["html"]).then((files) => writeFiles(out, files))).rejects.toThrow();
  expect(readFileSync(join(out, "report.json"), "utf8")).toBe(before);
  expect(readdirSync(out).filter((name) => name.endsWith("json.tmp"))).toEqual([]);
});
