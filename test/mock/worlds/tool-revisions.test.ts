import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { mcpRevisions } from "../../../src/engine/http/mcp-revisions.js";
import { findRevisionFamily, revisionNames, selectRevisions } from "../../../src/mock/worlds/tool-revisions.js";
import { readGuide } from "../../meta/guide.js";

test("the legacy revisions are those that the SDK negotiates, newest first", () => {
  expect(selectRevisions("legacy")).toEqual([...SUPPORTED_PROTOCOL_VERSIONS].sort().reverse());
  expect(selectRevisions("legacy")[0]).toBe(LATEST_PROTOCOL_VERSION);
});

test.each([
  ["all without a choice", undefined, ["2026-07-28"], 5],
  ["the modern ones", ["modern"], ["2026-07-28"], 0],
  ["the legacy ones", ["legacy"], [], 5],
  ["one modern revision", ["2026-07-28"], ["2026-07-28"], 0],
  ["one of each family", ["2025-03-26", "2026-07-28"], ["2026-07-28"], 1],
])("selects %s", (_, names, modern, legacy) => {
  expect(selectRevisions("modern", names)).toEqual(modern);
  expect(selectRevisions("legacy", names)).toHaveLength(legacy);
});

test("knows the family of each revision, and of no other value", () => {
  expect(["2026-07-28", "2025-11-25", "2099-01-01", "modern"].map(findRevisionFamily)).toEqual([
    "modern",
    "legacy",
    undefined,
    undefined,
  ]);
});

test("the guide lists the revisions of the mock and of the runner", () => {
  const rows = [...readGuide("revisions").matchAll(/^\| ([\d, -]+) \| yes \| (yes|no) \|$/gm)];
  const listed = (isUsed: (answer: string) => boolean) =>
    rows.flatMap(([, dates, answer]) => (isUsed(answer!) ? dates!.split(", ") : []));
  expect(listed(() => true)).toEqual(revisionNames.slice(2));
  expect(listed((answer) => answer === "yes")).toEqual(mcpRevisions);
});
