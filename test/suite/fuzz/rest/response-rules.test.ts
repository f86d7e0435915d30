import { describe, expect, test } from "vitest";
import type { RouteName } from "../../../../src/contract/types.js";
import type { WireResponse } from "../../../../src/engine/http/exchange.js";
import { findRuleViolation } from "../../../../src/suite/fuzz/rest/response-rules.js";
import { findSchemaMismatch } from "../../../../src/suite/fuzz/rest/response-schema.js";
import { matchResponseTo } from "../../../../src/suite/response-rules.js";

const json = { "content-type": "application/json" };

function makeResponse(status: number, body?: unknown, headers: Record<string, string> = json): WireResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(body === undefined ? "" : text) };
}

function refusal(status: number, type: unknown, code: unknown = "some_code", more: object = {}): WireResponse {
  return makeResponse(status, { error: { type, code, message: "No.", request_id: "r1", ...more } });
}

describe("the rule for every answer", () => {
  test.each<[string, WireResponse]>([
    ["a success", makeResponse(200, { a: 1 })],
    ["a success without a body", makeResponse(204)],
    ["a redirect to a page", makeResponse(308, "<html>", { "content-type": "text/html" })],
    [
      "an error of another media type of JSON",
      makeResponse(
        404,
        { error: { type: "not_found", code: "c", message: "m", request_id: "r" } },
        { "content-type": "application/problem+json" },
      ),
    ],
    ["400", refusal(400, "invalid_request_error")],
    ["401", refusal(401, "authentication_error")],
    ["402", refusal(402, "billing_error", "plan_restricted")],
    ["403", refusal(403, "permission_error")],
    ["404", refusal(404, "not_found")],
    ["405", refusal(405, "invalid_request_error")],
    ["409", refusal(409, "conflict", "repo_already_registered")],
    ["413", refusal(413, "invalid_request_error", "payload_too_large")],
    ["415", refusal(415, "invalid_request_error")],
    ["a 4xx with an unnamed code", refusal(418, "invalid_request_error")],
    ["422 of a schema", refusal(422, "validation_error", "invalid_payload", { errors: [] })],
    ["422 of a state", refusal(422, "invalid_request_error", "observation_not_fixable")],
    ["503", refusal(503, "server_error")],
    ["fields beside those that are shown", refusal(404, "not_found", "c", { help: "h", severity: 3 })],
  ])("holds of %s", (_, response) => expect(findRuleViolation(response)).toBeUndefined());

  test.each<[clause: string, content: string, response: WireResponse]>([
    ["ERR-TYPE-INVALID", "a 500", refusal(500, "server_error")],
    ["ERR-TYPE-INVALID", "a 502 of a proxy", makeResponse(502, "<html>", { "content-type": "text/html" })],
    ["GEN-JSON-RESPONSE", "an HTML page", makeResponse(404, "<html>", { "content-type": "text/html" })],
    ["GEN-JSON-RESPONSE", "JSON that is called text", makeResponse(404, { error: {} }, { "content-type": "text/plain" })],
    ["GEN-JSON-RESPONSE", "JSON without a media type", makeResponse(200, {}, {})],
    ["GEN-JSON-RESPONSE", "half of a JSON text", makeResponse(200, '{"a":')],
    ["ERR-ENVELOPE-ONE", "an error without a body", makeResponse(404)],
    ["ERR-ENVELOPE-ONE", "an error in another form", makeResponse(404, { detail: "Not Found" })],
    ["ERR-ENVELOPE-ONE", "a code that is a number", refusal(404, "not_found", 40)],
    ["ERR-ENVELOPE-ONE", "an empty message", refusal(404, "not_found", "c", { message: "" })],
    ["ERR-ENVELOPE-ONE", "no request id", refusal(404, "not_found", "c", { request_id: null })],
    ["ERR-ENVELOPE-TYPE", "an unknown type", refusal(422, "invalid_request")],
    ["ERR-TYPE-PAIRS", "another status's type", refusal(404, "invalid_request_error")],
    ["ERR-TYPE-PAIRS", "a validation_error on 400", refusal(400, "validation_error", "invalid_payload")],
    ["ERR-TYPE-PAIRS", "a 503 of another type", refusal(503, "invalid_request_error")],
    ["ERR-VALIDATION-CODE", "a validation_error of another code", refusal(422, "validation_error", "too_long")],
    ["ERR-CODE-RATE", "a 429 of another code", refusal(429, "rate_limit_error", "slow_down")],
    ["RETRY-AFTER-429", "status 429 without Retry-After", refusal(429, "rate_limit_error", "rate_limit_qps")],
    ["ERR-CODE-INVALID", "a code of an invalid request under a conflict", refusal(409, "conflict", "invalid_cursor")],
    ["ERR-CODE-PERMISSION", "a code of permission under a 402", refusal(402, "billing_error", "feature_not_enabled")],
    ["ERR-CODE-TOO-LARGE", "payload_too_large with 422", refusal(422, "invalid_request_error", "payload_too_large")],
  ])("fails with %s for %s, and so does the expectation", (clause, _, response) => {
    const violation = findRuleViolation(response);
    expect(violation?.clauses).toEqual([clause]);
    expect(matchResponseTo(violation?.expect ?? {}, response).mismatches).not.toEqual([]);
    const excused = violation?.inconclusiveIf?.some(
      (responseText) => matchResponseTo(responseText, response).mismatches.length === 0,
    );
    expect(excused ?? false).toBe(false);
  });
});

const job = { id: "j", workflow: "audit", status: "pending", repo_name: "web@main" };
const page = { next_cursor: null, has_more: false };
const observation = {
  ref: "SERVICE-1",
  kind: "finding",
  status: "new",
  priority: "P0",
  category: "security",
  title: "t",
  description: "d",
  acknowledged_at: null,
};

describe("the rule for a success", () => {
  test.each<[RouteName, WireResponse]>([
    ["GET /api/jobs", makeResponse(200, { ...page, data: [job, { ...job, extra: 1 }] })],
    ["GET /api/jobs/{job_id}", makeResponse(200, { ...job, finished_at: 7 })],
    ["POST /api/jobs/{job_id}/cancel", makeResponse(202)],
    ["POST /api/observations/{ref}/dismiss", makeResponse(204)],
    [
      "GET /api/observations/{ref}",
      makeResponse(200, { ...observation, acknowledged_at: "2026-01-05T09:00:00.123+02:00", close_reason: null }),
    ],
    ["GET /api/repos", makeResponse(200, { next_cursor: "c", has_more: true, data: [{ any: "shape" }] })],
    ["POST /api/repos", makeResponse(201, { discover_job_id: null })],
    ["PATCH /api/keys/{key_id}", makeResponse(204)],
    ["POST /api/keys", makeResponse(200, { key_id: "k", dollars_per_hour: "5.00" })],
    ["GET /api/repos/{owner}/{repo}/{branch}", makeResponse(200, [1, 2])],
  ])("%s accepts any form that has it", (route, response) => expect(findSchemaMismatch(route, response)).toBeUndefined());

  test.each<[RouteName, string, WireResponse]>([
    ["GET /api/jobs", "a status in capitals", makeResponse(200, { ...page, data: [job, { ...job, status: "PENDING" }] })],
    ["GET /api/jobs", "a row without its id", makeResponse(200, { ...page, data: [{ ...job, id: undefined }] })],
    ["GET /api/jobs", "a last page with a cursor", makeResponse(200, { data: [], has_more: false, next_cursor: "c" })],
    ["GET /api/jobs", "a bare list", makeResponse(200, [job])],
    ["GET /api/jobs", "another success", makeResponse(206, { ...page, data: [job] })],
    ["GET /api/jobs/{job_id}", "no body", makeResponse(200)],
    ["GET /api/jobs/{job_id}", "an id that is a number", makeResponse(200, { ...job, id: 7 })],
    ["GET /api/observations/{ref}", "a ref of another form", makeResponse(200, { ...observation, ref: "OBS-1" })],
    [
      "GET /api/observations/{ref}",
      "a stamp without a zone",
      makeResponse(200, { ...observation, acknowledged_at: "2026-01-05T09:00:00" }),
    ],
    ["GET /api/observations/{ref}", "a reason on an open one", makeResponse(200, { ...observation, close_reason: "fixed" })],
    ["GET /api/observations/{ref}", "no reason on a closed one", makeResponse(200, { ...observation, status: "closed" })],
    ["POST /api/repos", "an id of the discovery", makeResponse(201, { discover_job_id: "j" })],
    [
      "POST /api/observations/{ref}/fix",
      "no attempt",
      makeResponse(202, { observation: { ref: "SERVICE-1", status: "new" }, job_id: "j" }),
    ],
    ["DELETE /api/repos/{owner}/{repo}/{branch}", "another success", makeResponse(200, {})],
  ])("%s refuses %s, and so does the expectation", (route, _, response) => {
    const violation = findSchemaMismatch(route, response);
    expect(violation).toBeDefined();
    expect(matchResponseTo(violation?.expect ?? {}, response).mismatches).not.toEqual([]);
  });
});
