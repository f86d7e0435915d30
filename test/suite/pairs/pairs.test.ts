import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCoverage } from "../../../src/engine/property/coverage.js";
import { findUnprovable } from "../../../src/engine/scenario/lint.js";
import { combinePoints, filterNames, filterPoints } from "../../../src/suite/pairs/filter-points.js";
import { createTableProperty } from "../../../src/suite/pairs/pair-table.js";
import { pairs } from "../../../src/suite/pairs/pairs.js";
import { observationParameters } from "../../../src/suite/statements/lists.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { variants } from "../../quality/variants.js";
import { tryOn } from "../laws/try.js";

const servers = [
  "the mock as it comes",
  "the mock with sessions and event streams",
  "a legal server, row 1",
  "a legal server, row 2",
];

describe.each(sampled(servers, 1))("%s", (name) => {
  test.each(sampled(pairs, 2))("passes $id, and names the subjects", async (table) => {
    const { options, close } = await (variants.get(name) ?? expect.fail(`no server is called ${name}`))();
    const { line, scenario } = await tryOn(options, table, 1).finally(close);
    const isUntold = line.verdict === "not-applicable" || (line.verdict === "inconclusive" && line.runs === 0);
    // the target may lack the subjects of the pairs, and the actions that make them
    if (isUntold) return void expect(name).toMatch(/^a legal server/);
    expect(line).toMatchObject({ verdict: "passed" });
    expect(scenario.checks.slice(1).length).toBeGreaterThan(0);
  });
});

test.each(pairs)("$id names clauses that can pass, with existing values", ({ proves, covers = {} }) => {
  const claimed = [...proves, ...Object.keys(covers)];
  expect(claimed.map((clause) => findUnprovable(clause, suite.clauses)).filter((why) => why !== undefined)).toEqual([]);
  for (const surfaces of Object.values(covers))
    for (const [surface, dimensions] of Object.entries(surfaces))
      for (const [dimension, values] of Object.entries(dimensions)) {
        const { values: known } = suite.coverage.dimensions[dimension] ?? expect.fail(`no dimension is called ${dimension}`);
        expect("length" in known ? known : (known as Record<string, readonly string[]>)[surface]).toEqual(
          expect.arrayContaining([...values]),
        );
      }
});

test("every filter of the contract is a point, and is paired with every filter that the contract allows", () => {
  const filters = Object.entries(observationParameters).flatMap(([name, { kind }]) => (kind === "filter" ? [name] : []));
  expect([...filterNames].sort()).toEqual(filters.sort());
  const [kind, status, fixPull] = ["kind", "status", "has_fix_pr"].map((name) =>
    filterPoints.find(({ filter }) => filter === name),
  );
  if (!kind || !status || !fixPull) return expect.fail("these are filters");
  expect(combinePoints(kind, status)).toEqual({ kind: kind.value, status: status.value });
  expect(combinePoints(status, fixPull)).toBeUndefined();
});

describe("a table", () => {
  const rows = Array.from({ length: 10 }, (_, n) => ({ name: `row ${n}`, judges: [] }));
  const asked: string[] = [];
  const property = createTableProperty({
    ...{ id: "t", title: "A table", kind: "rows", needs: [], effects: ["read"], proves: [], rows },
    open: async () => ({ ok: true, context: undefined }),
    async tryRow(_, __, { name }) {
      asked.push(name);
      return name === "row 3" ? { verdict: "inconclusive", why: "it is odd" } : { verdict: "passed", judged: true };
    },
  });

  test("tries each row once in the given number of cases; an inconclusive row is not covered", async () => {
    const coverage = openCoverage();
    for (let turn = 0; turn < property.runs; turn++) {
      const [drawn = []] = fc.sample(property.cases({ coverage, offers: () => true }), { numRuns: 1, seed: turn });
      await property.run({ coverage } as never, drawn);
    }
    expect(asked.toSorted()).toEqual(rows.map(({ name }) => name));
    expect(coverage.unreached("rows")).toEqual(["row 3"]);
  });
});
