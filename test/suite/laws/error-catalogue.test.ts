import { describe, expect, test } from "vitest";
import type { WireResponse } from "../../../src/engine/http/exchange.js";
import { openCoverage } from "../../../src/engine/property/coverage.js";
import type { Property, SystemUnderTest } from "../../../src/engine/property/property.js";
import { addErrorCheck, findErrorMismatch } from "../../../src/suite/laws/error-catalogue.js";

function makeResponse(status: number, body: unknown): WireResponse {
  return { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) };
}

function error(type: string, code: string) {
  return { error: { type, code, message: "said", request_id: "r1" } };
}

describe("an answer", () => {
  const fitting: [number, unknown][] = [
    [200, { data: [] }],
    [404, error("not_found", "whatever")],
    [405, error("invalid_request_error", "method_not_allowed")],
    [418, error("invalid_request_error", "teapot")],
    [422, error("invalid_request_error", "no_ticket_integration")],
    [422, error("validation_error", "invalid_payload")],
    [429, error("rate_limit_error", "rate_limit_budget")],
    [503, error("server_error", "outage")],
    [502, error("anything", "of_a_gateway")],
  ];
  test.each(fitting)("of status %i fits the catalogue: %o", (status, body) => {
    expect(findErrorMismatch(makeResponse(status, body))).toBeUndefined();
  });

  const wrong: [string, number, unknown][] = [
    ["ERR-ENVELOPE-ONE", 404, { message: "no" }],
    ["ERR-ENVELOPE-ONE", 404, { error: { type: "not_found", code: "x", message: "", request_id: "r" } }],
    ["ERR-TYPE-PAIRS", 404, error("invalid_request_error", "gone")],
    ["ERR-TYPE-PAIRS", 409, error("invalid_request_error", "conflict")],
    ["ERR-TYPE-PAIRS", 422, error("conflict", "invalid_payload")],
    ["ERR-VALIDATION-CODE", 422, error("validation_error", "limit_too_high")],
    ["ERR-CODE-RATE", 429, error("rate_limit_error", "slow_down")],
    ["ERR-CODE-INVALID", 422, error("invalid_request_error", "invalid_cursor")],
    ["ERR-CODE-TOO-LARGE", 400, error("invalid_request_error", "payload_too_large")],
    ["ERR-CODE-PERMISSION", 404, error("not_found", "feature_not_enabled")],
    ["ERR-CODE-PLAN", 403, error("permission_error", "plan_restricted")],
  ];
  test.each(wrong)("breaks %s with status %i: %o", (clause, status, body) => {
    expect(findErrorMismatch(makeResponse(status, body))?.clause).toBe(clause);
  });
});

describe("a property that checks errors", () => {
  const property = (caseOutcome: Awaited<ReturnType<Property["run"]>>): Property => ({
    ...{ id: "some", title: "Some", proves: ["CURSOR-WALK"], needs: [], effects: [], runs: 1 },
    cases: () => expect.fail("this test generates no cases"),
    async run(sut) {
      await sut.send({ rest: "GET /api/jobs/{job}", save: { status: "/status" } });
      return caseOutcome;
    },
  });
  const sut = {
    ...{ fresh: true, steps: [{ rest: "GET /api/jobs" }], coverage: openCoverage(), lookup: () => undefined, offers: () => true },
    send: async () => ({
      ok: true,
      exchanges: 1,
      request: { method: "GET", url: "", headers: {} },
      response: makeResponse(404, error("conflict", "x")),
    }),
  } as unknown as SystemUnderTest;

  test("fails for an error outside the catalogue, even if the case itself passes", async () => {
    const caseOutcome = await addErrorCheck(property({ verdict: "passed", subjects: 1 })).run(sut, null);
    expect(caseOutcome).toEqual({
      verdict: "failed",
      clauses: ["ERR-TYPE-PAIRS"],
      why: "status 404 with error type conflict",
      steps: [
        { rest: "GET /api/jobs" },
        { rest: "GET /api/jobs/{job}", given: { status: 404 }, expect: { error: { type: { in: ["not_found"] } } } },
      ],
    });
  });

  test("reports its own finding first", async () => {
    const own = { verdict: "failed" as const, clauses: ["CURSOR-WALK"], why: "lost", steps: [] };
    expect(await addErrorCheck(property(own)).run(sut, null)).toEqual(own);
  });
});
