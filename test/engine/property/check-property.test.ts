import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBodyJson } from "../../../src/engine/http/exchange.js";
import { checkAllProperties } from "../../../src/engine/property/check-all.js";
import type { Failure, Property } from "../../../src/engine/property/property.js";
import { decodeReplayToken } from "../../../src/engine/property/replay-token.js";
import type { PropertyResult } from "../../../src/engine/property/result.js";
import { runWithTarget, startRun } from "../../../src/engine/run/connect.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { getRoute, type Mutant, withRows } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";

/** A list with more rows than requested. Its setup has a needless step, which shrinking must remove. */
const noMoreThanAsked: Property<{ limit: number; before: number }> = {
  id: "no-more-than-asked",
  title: "A page has at most the requested number of rows",
  proves: ["PAGE-MAX"],
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: () => fc.record({ limit: fc.integer({ min: 1, max: 200 }), before: fc.integer({ min: 0, max: 3 }) }),
  async run(sut, { limit, before }) {
    for (let n = 0; n < before; n++) await sut.send({ rest: "GET /api/repos", query: { limit: 1 } });
    const step = { rest: "GET /api/observations", query: { limit } };
    const stepResult = await sut.send(step);
    const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
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

/** The property is about a used-up limit: its refusal must have a wait. */
const saysHowLong: Property<null> = {
  id: "says-how-long",
  title: "A refusal for a used-up limit has a wait",
  proves: ["RETRY-AFTER-429"],
  needs: [],
  effects: ["read", "write", "paid"],
  runs: 1,
  cases: () => fc.constant(null),
  async run(sut) {
    const step = { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "audit", params: {} }, retry: false };
    const stepResult = await sut.send(step);
    if (!stepResult.ok || stepResult.response.status !== 429) return { verdict: "inconclusive", why: "not refused" };
    if (stepResult.response.headers["retry-after"] !== undefined) return { verdict: "passed", subjects: 1 };
    const judged = { ...step, given: { status: 429 }, expect: { headers: { "retry-after": { type: "string" } } } };
    return { verdict: "failed", clauses: ["RETRY-AFTER-429"], why: "it does not say", steps: [judged] } satisfies Failure;
  },
};

const usedUp: Mutant = {
  name: "has used up its hour, and does not say for how long",
  breaks: "RETRY-AFTER-429",
  around(world, call, perform) {
    const response = perform(world, call);
    if (getRoute(call) !== "POST /api/repos/{owner}/{repo}/{branch}/jobs") return response;
    const error = { type: "rate_limit_error", code: "rate_limit_budget", message: "The hour is used up.", request_id: "req_1" };
    return { ...response, status: 429, body: { error } };
  },
};

const oneMore: Mutant = {
  name: "adds a row to pages of 23 rows or more",
  breaks: "PAGE-MAX",
  around(world, call, perform) {
    const response = perform(world, call);
    const limit = Number(call.query.limit?.[0] ?? 50);
    return limit < 23 ? response : withRows(response, (rows) => [...rows, ...rows.slice(0, 1)]);
  },
};

async function tryOn<Case>(url: string, property: Property<Case>, seed = 1): Promise<PropertyResult> {
  const held = await runWithTarget(suite, { url }, async (target, wire) =>
    checkAllProperties(startRun(suite, { url }, target, wire), [property as Property], {
      seed,
      deadline: Number.POSITIVE_INFINITY,
    }),
  );
  if (!Array.isArray(held)) throw new Error(held.messages.join("\n"));
  return held[0] as PropertyResult;
}

describe("a property", () => {
  test("passes on a conforming server and counts its cases", async () => {
    const mock = await startMock({ seed: 1, clock: "frozen" });
    const { line, scenario } = await tryOn(mock.api_url, noMoreThanAsked).finally(() => mock.close());
    expect(line).toMatchObject({ verdict: "passed", runs: 60, inconclusive: 0, seed: 1 });
    expect(scenario.checks).toMatchObject([{ verdict: "passed", subjects: 60, clauses: [] }]);
  });

  test("fails on a faulty server with the smallest case, which fails again as a scenario", async () => {
    const { url, close } = await openMutant(oneMore);
    const { line, scenario } = await tryOn(url, noMoreThanAsked).finally(close);
    expect(line.verdict).toBe("failed");
    expect(line.counterexample).toContain("limit: 23");
    expect(line.counterexample?.match(/rest:/g)).toHaveLength(1);
    expect(decodeReplayToken(line.replay ?? "")).toBe(line.counterexample);
    expect(scenario.checks).toMatchObject([{ verdict: "failed", clauses: ["PAGE-MAX"], expected: "/data.length: at most 23" }]);
  });

  test("fails if a used-up limit is not refused, and its scenario fails too", async () => {
    const { url, close } = await openMutant(usedUp);
    const { line } = await tryOn(url, saysHowLong).finally(close);
    expect(line).toMatchObject({ verdict: "failed", reason: "it does not say" });
  });
});

test("each case of a property has a unique name, also in a last batch that is smaller", async () => {
  const names: unknown[] = [];
  const property: Property = {
    ...{ id: "named", title: "A case has a name", proves: [], needs: [], effects: ["read"], runs: 50 },
    cases: () => fc.constant({}),
    async run(sut) {
      names.push(sut.lookup("unique"));
      return { verdict: "passed", subjects: 1 };
    },
  };
  const mock = await startMock({ seed: 1, clock: "frozen" });
  await runWithTarget(suite, { url: mock.api_url }, async ({ worlds: _, ...target }, wire) =>
    checkAllProperties(startRun(suite, {}, target, wire), [property], { seed: 1, deadline: Number.POSITIVE_INFINITY }),
  ).finally(() => mock.close());
  expect([names.length, new Set(names).size]).toEqual([50, 50]);
});

test.each([
  ["has no key of role full", { keys: {} }, "full", "the target offers no key.full: set keys.full in the target file"],
  ["may only be read", {}, "read-only", "the property has write steps, which the profile read-only leaves out"],
] as const)("a property is skipped on a target that %s", async (_, change, profile, why) => {
  const mock = await startMock({ seed: 1, clock: "frozen" });
  const effects = profile === "full" ? noMoreThanAsked.effects : (["read", "write"] as const);
  const held = await runWithTarget(suite, { url: mock.api_url }, async ({ worlds: _worlds, ...target }, wire) =>
    checkAllProperties(startRun(suite, { profile }, { ...target, ...change }, wire), [{ ...noMoreThanAsked, effects }], {
      seed: 1,
      deadline: Number.POSITIVE_INFINITY,
    }),
  ).finally(() => mock.close());
  expect(held).toMatchObject([{ line: { verdict: "not-applicable", reason: why, runs: 0 }, scenario: { requests: 0 } }]);
});
