import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorCodes, formatPreference } from "../../../src/contract/error-catalogue.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";
import { post, toolCall } from "../mcp/messages.js";

let mock: Mock;
let world: IsolatedWorld;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});

const get = (prefer: string) => send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full, headers: { prefer } });
const submit = (prefer: string, workflow = "audit") =>
  send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, {
    key: world.keys.full,
    json: { workflow, params: {} },
    headers: { prefer },
  });

describe("a Prefer header", () => {
  it.each([
    ["code=409, error=repo_already_registered", 409, "repo_already_registered", "code=409, error=repo_already_registered"],
    ["error=observation_not_fixable", 422, "observation_not_fixable", "code=422, error=observation_not_fixable"],
    ["code=429", 429, "rate_limit_qps", "code=429, error=rate_limit_qps"],
    ["CODE=429", 429, "rate_limit_qps", "code=429, error=rate_limit_qps"],
    ["code=418", 418, "bad_request", "code=418"],
    ["code=502", 502, "internal_error", "code=502"],
    ["code=404, error=repo_already_registered", 400, "bad_request", undefined],
    ["error=no_such_code", 400, "bad_request", undefined],
    ["error=constructor", 400, "bad_request", undefined],
    ["code=600", 400, "bad_request", undefined],
    ["code=many", 400, "bad_request", undefined],
    ["code=429, retry-after=soon", 400, "bad_request", undefined],
  ])("%s gives %i %s", async (prefer, status, code, applied) => {
    const response = await get(prefer);
    expect([response.status, response.json.error.code, response.headers["preference-applied"]]).toEqual([status, code, applied]);
    expect(world.journal()).toMatchObject([{ forced: applied !== undefined, passed: [] }]);
  });

  it.each(errorCodes)("forces %s with the status and type of the catalogue, and reports that", async (code) => {
    const response = await get(`error=${code}`);
    expect(response.json.error.code).toBe(code);
    expect(response.headers["preference-applied"]).toBe(formatPreference(code));
  });

  it.each<[string, string, unknown]>([
    ["rate_limit_qps", "headers.retry-after", "1"],
    ["rate_limit_budget", "headers.retry-after", "1"],
    ["service_unavailable", "headers.retry-after", "1"],
    ["workflow_not_entitled", "json.error.details.allowed_workflows", expect.arrayContaining(["audit"])],
    ["plan_restricted", "json.error.required_features", ["openapi"]],
    ["invalid_payload", "json.error.errors", [expect.objectContaining({ loc: expect.any(Array), msg: expect.any(String) })]],
    ["repo_already_registered", "json.error.details.repo_name", "web@main"],
    ["method_not_allowed", "headers.allow", ""],
  ])("returns with %s also what the service returns: %s", async (code, where, what) => {
    const seen = where
      .split(".")
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], await get(`error=${code}`));
    expect(seen).toEqual(what);
  });

  it("has Retry-After if the client requests it", async () => {
    const response = await get("code=429, retry-after=30");
    expect([response.headers["retry-after"], response.headers["preference-applied"]]).toEqual([
      "30",
      "code=429, error=rate_limit_qps, retry-after=30",
    ]);
  });

  it("does not perform the operation if it forces a refusal, and performs it if it changes a success only", async () => {
    await submit("code=503");
    expect(world.journal()[0]!.changes).toEqual([]);
    const response = await submit("code=200");
    expect([response.status, response.json.status, response.headers["preference-applied"]]).toEqual([200, "pending", "code=200"]);
    const bareClientResponse = await submit("code=204", "discover");
    expect([bareClientResponse.status, bareClientResponse.text]).toEqual([204, ""]);
  });

  it("that forces a success of a refused call is reported in a header", async () => {
    const response = await submit("code=201", "mini_audit");
    expect([response.status, response.headers["preference-applied"]]).toEqual([422, undefined]);
    expect(response.headers.warning).toContain("code=201 was not applied");
  });

  it.each([
    ["return=minimal", "return=minimal"],
    ["status=429", "status=429"],
    ["wait=10, respond-async", "wait=10, respond-async"],
    ["retry-after=3", "retry-after=3 without code or error"],
  ])("that is unknown (%s) is reported in a header, and the answer is as usual", async (prefer, named) => {
    const response = await get(prefer);
    expect([response.status, response.headers["preference-applied"]]).toEqual([200, undefined]);
    expect(response.headers.warning).toBe(
      `299 counterpart "Prefer: not known here: ${named}; known are code, error, retry-after"`,
    );
    expect(world.journal()).toMatchObject([{ forced: false }]);
  });

  it("with characters that a header forbids is reported without them", async () => {
    const response = await get('x="a\\b\u00e9"');
    expect(response.headers.warning).toMatch(/^[ -~]+$/);
  });

  it("forces a tool error too, with the seconds to wait", async () => {
    const response = await post(mock.mcp_url, world.keys.full, toolCall("list_repositories", {}), {
      headers: { prefer: "code=429" },
    });
    expect(response.json.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "rate_limit_qps", retry_after: 1 } },
    });
    expect(response.headers["preference-applied"]).toBe("code=429, error=rate_limit_qps");
    expect(world.journal()).toMatchObject([{ forced: true, route: "list_repositories", status: 429 }]);
  });
});
