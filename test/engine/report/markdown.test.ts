import { expect, test } from "vitest";
import { escapeText } from "../../../src/common/escape/visible.js";
import { formatMarkdownReport } from "../../../src/engine/report/markdown.js";
import { check, EVIDENCE, HOSTILE_TEXT, line, OUTLINE, sample, waiver } from "./sample.js";

const text = (report = sample()) => formatMarkdownReport(report, OUTLINE);

test("opens with the verdict and a table by section", () => {
  expect(text().split("\n").slice(0, 11)).toEqual([
    "## ❌ failed: staging, profile safe",
    "",
    "1 of 3 clauses is broken.",
    "",
    "3 scenarios, 3 checks, 6 requests (1 may cost money), waited 3 s, seed 7",
    "",
    "| clauses | passed | failed | inconclusive |",
    "| --- | --: | --: | --: |",
    "| §1 What it does | 1 |  |  |",
    "| §3 States |  | 1 | 1 |",
    "| **all** | **1** | **1** | **1** |",
  ]);
});

test("shows the notes of the preflight in small type before the table", () => {
  const noted = text(sample({ notes: ["The key of role *viewer* was refused.", "The target names no docs host."] }));
  const [, before] = noted.split("| clauses |")[0]?.split("seed 7\n\n") ?? [];
  expect(before).toBe("- <sub>The key of role \\*viewer\\* was refused.</sub>\n- <sub>The target names no docs host.</sub>\n\n");
  expect(text()).not.toContain("<sub>");
});

test("puts each finding in a closed element, with a fence that its text cannot end", () => {
  expect(text()).toContain("<details><summary>❌ <b>BETA</b> two/step</summary>\n\n> A beta follows.");
  expect(text()).toContain(`Actual:\n\`\`\`\`\n${escapeText(HOSTILE_TEXT)}\n\`\`\`\``);
});

test("names unjudged scenarios and waivers", () => {
  expect(text()).toContain("- inconclusive: the server was busy (`three`)");
  expect(text(sample({ waivers: [waiver("BETA"), waiver("ALPHA")] }))).toContain(
    "- `BETA`: waived until 2026-12-31: known (T-1)",
  );
  expect(text(sample({ waivers: [waiver("ALPHA")] }))).toContain("- ❌ `ALPHA` passes: remove its waiver (T-1)");
});

test("fits in a comment even with many findings", () => {
  const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
  const long = sample({
    scenarios: names.map((name) => line(name, "BETA", "failed")),
    checks: names.map((name) => check(name, "BETA", "failed", { actual: "x".repeat(9000), expected: "y".repeat(9000) })),
  });
  expect(text(long).length).toBeLessThan(65_536);
  expect(text(long)).toContain("… and 180 more findings");
  expect(EVIDENCE.checks).toHaveLength(3);
});

test("groups findings below their cause with its size", () => {
  const alike = ["a", "b"].map((name) =>
    check(name, "BETA", "failed", {
      operation: "GET /x",
      mismatches: [{ at: "/letter", pointer: "/letter", expected: "of type string", actual: "absent", absent: true as const }],
    }),
  );
  const otherCheck = check("c", "ALPHA", "failed", {
    operation: "GET /y",
    mismatches: [{ at: "status", status: 404, expected: "200", actual: "404" }],
  });
  const report = sample({
    scenarios: ["a", "b", "c"].map((name) => line(name, "BETA", "failed")),
    checks: [...alike, otherCheck],
  });
  expect(text(report).match(/^### .*$/gm)).toEqual([
    '### "letter" is missing from responses of GET /x',
    "### GET /y answers 404, not 200",
  ]);
  expect(text(report)).toContain("2 failed checks of 1 clause. BETA passes in no other check.");
});
