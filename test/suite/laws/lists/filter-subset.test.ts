import { expect, test } from "vitest";
import type { SystemUnderTest } from "../../../../src/engine/property/property.js";
import type { Step } from "../../../../src/engine/scenario/format.js";
import { filterSubset } from "../../../../src/suite/laws/lists/filter-subset.js";

/** Runs a case on a server that adds a row when all these parameters are given. */
function run(base: Readonly<Record<string, string>>, name: string, broken: readonly string[]) {
  const getRow = (ref: string) => ({ ref, kind: "finding", status: "new" });
  const send = async ({ query = {} }: Step) => {
    const data = broken.every((one) => one in query) ? [getRow("R-1"), getRow("R-2")] : [getRow("R-1")];
    const body = new TextEncoder().encode(JSON.stringify({ data, has_more: false, next_cursor: null }));
    return { ok: true, response: { status: 200, headers: { "content-type": "application/json" }, body } };
  };
  const sut = { send } as unknown as SystemUnderTest;
  return filterSubset.run(sut, { base, more: { name, value: "true" }, limit: 20 });
}

test.each([
  ["easy_wins", {}, ["easy_wins"], "OBS-FILTER-EASYWINS"],
  ["needs_review", {}, ["needs_review"], "OBS-FILTER-REVIEW-ONLY"],
  ["easy_wins", { kind: "finding", priority: "P1" }, ["easy_wins"], "OBS-FILTER-EASYWINS"],
  ["easy_wins", { kind: "finding", priority: "P1" }, ["easy_wins", "priority"], "OBS-FILTER-COMBINE"],
])("a wrong row of %s beside %o, added by %o, breaks %s", async (name, base, broken, clause) => {
  expect(await run(base, name, broken)).toMatchObject({ verdict: "failed", clauses: [clause] });
});
