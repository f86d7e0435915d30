import { expect, test } from "vitest";
import { findListedTool, mapMeanings } from "../../../../src/suite/fuzz/tools/tool.js";
import { drawArguments } from "../../../../src/suite/fuzz/tools/tool-arguments.js";

const text = { type: "string" };
const inputSchema = { type: "object", properties: { org: text, name: text, line: text, area: text }, required: [] };
const listing = findListedTool({ tools: [{ name: "pattern", inputSchema }] }, "pattern");
const variables: Record<string, unknown> = {
  "binding.tool_args.canonical_pattern": { owner: "org", repo: "name", branch: "line" },
  ...{ "repo.owner": "acme", "repo.name": "sandbox", "repo.branch": "main" },
};

test("a call that names a part of a repository's triple names the whole triple", async () => {
  if (!listing) throw new Error("the tool is not listed");
  const tool = { purpose: "canonical_pattern", route: "GET canonical_pattern" } as const;
  const calls = await Promise.all(
    Array.from({ length: 20 }, (_, seed) => drawArguments(tool, listing, { seed, optional: "some" }, (name) => variables[name])),
  );
  const triples = calls.map(({ given }) => ["org", "name", "line"].filter((name) => name in given).length);
  expect([...new Set(triples)].sort()).toEqual([0, 3]);
});

test.each([[{ slug: "where", owner: "where", branch: "where" }], [{ owner: "where", branch: "where", slug: "where" }]])(
  "an argument that stands for the whole triple means the slug: %o",
  (bound) => {
    const tool = { purpose: "canonical_pattern", route: "GET canonical_pattern" } as const;
    expect(mapMeanings(tool, () => bound)).toEqual(new Map([["where", "slug"]]));
  },
);
