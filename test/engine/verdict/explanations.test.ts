import { describe, expect, test } from "vitest";
import type { Check } from "../../../src/engine/execute/check.js";
import type { ShownExchange, ShownStep } from "../../../src/engine/execute/shown-steps.js";
import { judgeClauses } from "../../../src/engine/verdict/clauses.js";
import { findExplanations } from "../../../src/engine/verdict/explanations.js";

/** A failed check of a GET of a loan, whose answer is a status and a body. `before`: the steps before it. */
function failedCheck(
  id: string,
  clauses: string[],
  changes: Partial<Check> & { url?: string; body?: string; status?: number; caller?: string; before?: ShownStep[] } = {},
): Check {
  const { url = "/loans/1", body = '{"state":"late"}', status = 200, caller = "$KEY", before = [], ...rest } = changes;
  const [scenario = "", step = ""] = id.split("/");
  const request = { method: "GET", url, headers: { authorization: `Bearer ${caller}` } };
  const exchange: ShownExchange = { step, after_ms: 0, took_ms: 1, request, answer: { status, headers: {}, body } };
  return {
    ...{ id, scenario, step, clauses, verdict: "failed", subjects: 1, file: "f.yaml", line: 1, operation: "GET /loans/{id}" },
    ...{ actual: "late", mismatches: [wrongState], exchanges: [...before, exchange] },
    ...rest,
  };
}

const wrongState = { at: "/state", expected: "paid", actual: "late" };
const refusal = { at: "status", expected: "200", actual: "404", status: 404, refused: true } as const;
const drawn = { replay: "token" };

/** A step that sends a request, for what lies between two checks. */
function getStep(step: string, method: string, url = "/loans/1"): ShownExchange {
  return { step, after_ms: 0, took_ms: 1, request: { method, url, headers: {} }, answer: { status: 200, headers: {}, body: "" } };
}

/** Returns for each explained check the explaining check and the clauses that it does not fail. */
function explained(...checks: Check[]): Record<string, [by: string, clauses: string[]]> {
  return Object.fromEntries([...findExplanations(checks)].map(([{ id }, { by, clauses }]) => [id, [by.id, [...clauses]]]));
}

describe("a later step of a scenario", () => {
  test("that fails by the same response as an earlier one fails no other clause", () => {
    expect(explained(failedCheck("x/1", ["A"]), failedCheck("x/2", ["A", "B"]))).toEqual({ "x/2": ["x/1", ["B"]] });
  });

  test("whose request gets the same refusal and another request id fails no other clause", () => {
    const refused = { mismatches: [refusal], status: 404 };
    expect(
      explained(failedCheck("x/1", ["A"], { ...refused, body: "id 1" }), failedCheck("x/2", ["B"], { ...refused, body: "id 2" })),
    ).toEqual({ "x/2": ["x/1", ["B"]] });
  });

  test("that repeats a request after other reads fails no other clause", () => {
    const before = [getStep("0", "POST"), getStep("1", "GET"), getStep("other", "GET", "/loans/2")];
    expect(explained(failedCheck("x/1", ["A"]), failedCheck("x/2", ["B"], { before }))).toEqual({ "x/2": ["x/1", ["B"]] });
  });

  test.each<[what: string, later: Check]>([
    ["sends another request", failedCheck("x/2", ["B"], { url: "/loans/2" })],
    ["has another caller", failedCheck("x/2", ["B"], { caller: "$OTHER_KEY" })],
    ["comes after a write", failedCheck("x/2", ["B"], { before: [getStep("1", "GET"), getStep("write", "POST")] })],
    [
      "comes after an event",
      failedCheck("x/2", ["B"], { before: [getStep("1", "GET"), { step: "event", event: "moves the clock" }] }),
    ],
    ["gets another response", failedCheck("x/2", ["B"], { body: '{"state":"late","fee":1}' })],
    ["differs at another place", failedCheck("x/2", ["B"], { mismatches: [{ at: "/fee", expected: "0", actual: "1" }] })],
    ["has more mismatches", failedCheck("x/2", ["B"], { mismatches: [wrongState, { at: "/fee", expected: "0", actual: "1" }] })],
    ["belongs to another scenario", failedCheck("y/2", ["B"])],
    ["has no mismatches", failedCheck("x/2", ["B"], { mismatches: [] })],
  ])("fails its clause if it %s", (_, later) => {
    expect(explained(failedCheck("x/1", ["A"]), later)).toEqual({});
  });

  test("fails its clause after a step that passed", () => {
    expect(explained({ ...failedCheck("x/1", ["A"]), verdict: "passed" }, failedCheck("x/2", ["B"]))).toEqual({});
  });
});

describe("a drawn case", () => {
  test("that names several clauses fails those that a scenario fails too", () => {
    const otherValue = { ...drawn, mismatches: [{ ...wrongState, actual: "lost" }] };
    expect(explained(failedCheck("p/cases", ["A", "B"], otherValue), failedCheck("x/1", ["A"]))).toEqual({
      "p/cases": ["x/1", ["B"]],
    });
  });

  test("that names several clauses fails those that another drawn case fails alone", () => {
    expect(explained(failedCheck("p/cases", ["A", "B"], drawn), failedCheck("q/cases", ["A"], drawn))).toEqual({
      "p/cases": ["q/cases", ["B"]],
    });
  });

  test("with the symptom of a scenario fails no other clause", () => {
    expect(explained(failedCheck("p/cases", ["B"], drawn), failedCheck("x/1", ["A"]))).toEqual({ "p/cases": ["x/1", ["B"]] });
  });

  test("in a response whose status is wrong in a scenario fails no other clause", () => {
    const typed = { ...drawn, status: 410, mismatches: [{ at: "/error/type", expected: "gone", actual: "lost" }] };
    const wrongStatus = { mismatches: [{ at: "status", expected: "404", actual: "410", status: 410 }], status: 410 };
    expect(explained(failedCheck("p/cases", ["B"], typed), failedCheck("x/1", ["A"], wrongStatus))).toEqual({
      "p/cases": ["x/1", ["B"]],
    });
  });

  test.each<[what: string, drawnCheck: Check]>([
    ["another operation", failedCheck("p/cases", ["B"], { ...drawn, operation: "GET /loans" })],
    ["another value", failedCheck("p/cases", ["B"], { ...drawn, mismatches: [{ ...wrongState, actual: "lost" }] })],
  ])("with one clause fails it at %s", (_, drawnCheck) => {
    expect(explained(drawnCheck, failedCheck("x/1", ["A"]))).toEqual({});
  });

  test("with several clauses fails all of them at another operation than a scenario", () => {
    const other = { ...drawn, operation: "POST /loans" };
    expect(explained(failedCheck("p/cases", ["A", "B"], other), failedCheck("x/1", ["A"]))).toEqual({});
  });

  test("in a success fails its clause, although a scenario wanted a refusal instead of that status", () => {
    const wantedRefusal = { mismatches: [{ at: "status", expected: "422", actual: "200", status: 200 }] };
    expect(explained(failedCheck("p/cases", ["B"], drawn), failedCheck("x/1", ["A"], wantedRefusal))).toEqual({});
  });

  test("does not explain a scenario", () => {
    expect(explained(failedCheck("p/cases", ["A"], drawn), failedCheck("x/1", ["A", "B"]))).toEqual({});
  });
});

test("a clause of an explained check alone is inconclusive, and names the check that explains it", () => {
  const checks = [failedCheck("x/1", ["A"]), failedCheck("x/2", ["B"])];
  const row = { section: 4, description: "…", level: "stated", surface: ["rest"] };
  const scenario = { scenario: "x", title: "…", file: "f.yaml", proves: ["A", "B"], verdict: "failed", requests: 2 } as const;
  const clauses = judgeClauses({ clauses: { A: row, B: row }, coverage: { dimensions: {} } }, ["A", "B"], {
    scenarios: [{ ...scenario, proves: ["A", "B"] }],
    checks,
  });
  expect(clauses.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["failed", "late"],
    ["inconclusive", "the failure of x/1 explains this one"],
  ]);
});
