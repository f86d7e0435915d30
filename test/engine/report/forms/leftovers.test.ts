import { expect, test } from "vitest";
import { compileSchema, readSpec } from "../../../../src/contract/load.js";
import { renderHtmlReport } from "../../../../src/engine/report/html.js";
import { formatMarkdownReport } from "../../../../src/engine/report/markdown.js";
import { formatTextReport } from "../../../../src/engine/report/text.js";
import { OUTLINE, sample } from "../sample.js";

const gone = "an acknowledgement cannot be undone";
const leftovers = [
  ...[1, 2, 3, 4, 5, 6, 7].map((n) => ({
    what: "observation acknowledged",
    id: `SERVICE-${n}`,
    scenario: `acknowledge[${n}]`,
    why: gone,
  })),
  { what: "job started", id: "", scenario: "submit", why: "no response shows its id" },
];
const report = sample({ leftovers });

test("the text form groups leftovers by kind", () => {
  expect(formatTextReport(report, OUTLINE, { colour: false })).toContain(
    [
      "left behind on the server:",
      `  observation acknowledged: SERVICE-1, SERVICE-2, SERVICE-3, SERVICE-4, SERVICE-5 and 2 more: ${gone} (acknowledge[1], acknowledge[2], acknowledge[3], acknowledge[4], acknowledge[5] and 2 more)`,
      "  job started: unknown id: no response shows its id (submit)",
    ].join("\n"),
  );
});

test("Markdown and HTML list leftovers", () => {
  expect(formatMarkdownReport(report, OUTLINE)).toContain(
    "### Left behind on the server\n\n- observation acknowledged: SERVICE-1, SERVICE-2,",
  );
  expect(renderHtmlReport(report, OUTLINE)).toContain("<h2>Left behind on the server</h2>");
});

test("a report with leftovers matches its schema", () => {
  const valid = compileSchema(readSpec("schema/report.json") as object);
  expect([valid(JSON.parse(JSON.stringify(report))), valid.errors]).toEqual([true, null]);
});

test("a run without leftovers does not mention them", () => {
  const plainReport = sample();
  const texts = [
    formatTextReport(plainReport, OUTLINE, { colour: false }),
    formatMarkdownReport(plainReport, OUTLINE),
    renderHtmlReport(plainReport, OUTLINE),
  ];
  expect(texts.filter((text) => /left behind/i.test(text))).toEqual([]);
});
