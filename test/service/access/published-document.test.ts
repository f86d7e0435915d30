import { describe, expect, test } from "vitest";
import { publishOpenApi } from "../../../src/contract/publish.js";
import { perform } from "../../../src/service/perform.js";
import { call, demoWorld } from "../world.js";

describe("the OpenAPI document on the API host", () => {
  test("is returned to an entitled workspace", () => {
    const { status, body } = perform(demoWorld(), call("GET /api/openapi.json", { as: "staff" }));
    expect(status).toBe(200);
    expect(body).toBe(publishOpenApi());
  });

  test.each([
    { as: "full", status: 402, error: { type: "billing_error", code: "plan_restricted", required_features: ["openapi"] } },
    { as: null, status: 401, error: { type: "authentication_error" } },
  ])("is refused to $as with $status", ({ as, status, error }) => {
    expect(perform(demoWorld(), call("GET /api/openapi.json", { as }))).toMatchObject({ status, body: { error } });
  });
});
