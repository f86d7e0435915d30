import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyJson } from "../../../src/engine/http/exchange.js";
import { checkAllProperties } from "../../../src/engine/property/check-all.js";
import type { Failure, Property } from "../../../src/engine/property/property.js";
import type { PropertyResult } from "../../../src/engine/property/result.js";
import { yamlOfToken } from "../../../src/engine/property/token.js";
import { onTarget, startRun } from "../../../src/engine/run/connect.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { type Mutant, withRows } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";

/** A list with more rows than were asked for: needs a set-up that has nothing to do with it, which a shrink must leave out. */
const noMoreThanAsked: Property<{ limit: number; before: number }> = {
  id: "no-more-than-asked",
  title: "A page holds no more rows than asked for",
  proves: ["PAGE-MAX"],
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: () => fc.record({ limit: fc.integer({ min: 1, max: 200 }), before: fc.integer({ min: 0, max: 3 }) }),
  async run(sut, { limit, before }) {
    for (let n = 0; n < before; n++) await sut.send({ rest: "GET /api/repos", query: { limit: 1 } });
    const step = { rest: "GET /api/observations", query: { limit } };
    const sent = await sut.send(step);
    const body = sent.ok ? bodyJson(sent.response) : undefined;
    if (!body?.ok) return { verdict: "inconclusive", why: "no list" };
    const { length } = (body.value as { data: unknown[] }).data;
    if (length <= limit) return { verdict: "passed", subjects: 1 };
    return {
      verdict: "failed",
      clauses: ["PAGE-MAX"],
      why: `${length} rows came where ${limit} were asked for`,
      steps: [...sut.steps.slice(0, -1), { ...step, expect: { json: { data: { length: { lte: limit } } } } }],
    } satisfies Failure;
  },
};

const oneMore: Mutant = {
  name: "gives one row more from a page size of 23 on",
  breaks: "PAGE-MAX",
  around(world, call, perform) {
    const reply = perform(world, call);
    const limit = Number(call.query.limit?.[0] ?? 50);
    return limit < 23 ? reply : withRows(reply, (rows) => [...rows, ...rows.slice(0, 1)]);
  },
};

async function tryOn(url: string, property: Property<{ limit: number; before: number }>, seed = 1): Promise<PropertyResult> {
  const held = await onTarget(suite, { url }, async (target, wire) =>
    checkAllProperties(startRun(suite, { url }, target, wire), [property], { seed, deadline: Number.POSITIVE_INFINITY }),
  );
  if (!Array.isArray(held)) throw new Error(held.messages.join("\n"));
  return held[0] as PropertyResult;
}

describe("a property", () => {
  test("holds of a sound server, and says how many cases it was tried on", async () => {
    const mock = await startMock({ seed: 1, clock: "frozen" });
    const { line, scenario } = await tryOn(mock.api_url, noMoreThanAsked).finally(() => mock.close());
    expect(line).toMatchObject({ verdict: "passed", runs: 60, inconclusive: 0, seed: 1 });
    expect(scenario.checks).toMatchObject([{ verdict: "passed", subjects: 60, clauses: [] }]);
  });

  test("is broken by a faulty server in the least case, which fails again as a scenario", async () => {
    const { url, close } = await openMutant(oneMore);
    const { line, scenario } = await tryOn(url, noMoreThanAsked).finally(close);
    expect(line.verdict).toBe("failed");
    expect(line.counterexample).toContain("limit: 23");
    expect(line.counterexample?.match(/rest:/g)).toHaveLength(1);
    expect(yamlOfToken(line.replay ?? "")).toBe(line.counterexample);
    expect(scenario.checks).toMatchObject([{ verdict: "failed", clauses: ["PAGE-MAX"], expected: "/data.length: at most 23" }]);
  });
});

test.each([
  ["has no key of role full", { keys: {} }, "full", "the target offers no key.full"],
  ["may only be read", {}, "read-only", "it has write steps, which the profile read-only leaves out"],
] as const)("a property is not tried on a target that %s", async (_, change, profile, why) => {
  const mock = await startMock({ seed: 1, clock: "frozen" });
  const effects = profile === "full" ? noMoreThanAsked.effects : (["read", "write"] as const);
  const held = await onTarget(suite, { url: mock.api_url }, async ({ worlds: _worlds, ...target }, wire) =>
    checkAllProperties(startRun(suite, { profile }, { ...target, ...change }, wire), [{ ...noMoreThanAsked, effects }], {
      seed: 1,
      deadline: Number.POSITIVE_INFINITY,
    }),
  ).finally(() => mock.close());
  expect(held).toMatchObject([{ line: { verdict: "not-applicable", reason: why, runs: 0 }, scenario: { requests: 0 } }]);
});
