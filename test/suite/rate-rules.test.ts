import { describe, expect, test } from "vitest";
import { rates } from "../../src/suite/rate-rules.js";

const { bucketsOf, ceilingOf } = rates;

describe("the buckets of a request", () => {
  test.each([
    ["GET", "/api/jobs", [600]],
    ["GET", "/edge/v0/api/repos?limit=1", [600, 60]],
    ["POST", "/api/repos", [600, 10]],
    ["POST", "/api/repos/acme/web/main/jobs", [600, 30]],
    ["POST", "/api/jobs/j1/retry", [600, 30]],
    ["POST", "/api/jobs/j1/cancel", [600]],
    ["GET", "/api/repos/acme/web/feature%2Flogin/jobs", [600, 120]],
    ["POST", "/api/repos/acme/web/main/reset", [600, 5]],
    ["DELETE", "/api/repos/acme/web/main", [600]],
    ["POST", "/api/observations/SERVICE-1/fix", [600, 30]],
    ["POST", "/api/observations/SERVICE-1/publish-ticket", [600, 30]],
    ["POST", "/api/observations/SERVICE-1/dismiss", [600, 60]],
    ["POST", "/api/observations/SERVICE-1/acknowledge", [600, 60]],
  ])("%s %s counts against these rates", (method, path, rates) => {
    expect(bucketsOf({ method, path, tool: false }, ceilingOf("full")).map(({ rpm }) => rpm)).toEqual(rates);
  });

  test("of a tool call are the key's and the tools', at the ceiling of its role", () => {
    const call = { method: "POST", path: "/mcp/", tool: true };
    expect([ceilingOf("full"), ceilingOf("slow")].map((ceiling) => bucketsOf(call, ceiling).map(({ rpm }) => rpm))).toEqual([
      [600, 60],
      [5, 60],
    ]);
  });

  test("of a tool with the effect of a route may include those of the route", () => {
    const call = { method: "POST", path: "/mcp/", tool: true, purpose: "list_repositories" };
    const route = bucketsOf({ method: "GET", path: "/api/repos", tool: false }, 600).at(-1);
    expect(bucketsOf(call, 600)).toContainEqual(route);
    expect(bucketsOf({ ...call, purpose: "a_tool_of_theirs" }, 600)).toHaveLength(2);
  });

  test("dismissing and acknowledging share a bucket, and so do submitting and retrying", () => {
    const [dismiss, acknowledge] = ["dismiss", "acknowledge"].map((verb) =>
      bucketsOf({ method: "POST", path: `/api/observations/S-1/${verb}`, tool: false }, 600).at(-1),
    );
    expect(dismiss).toEqual(acknowledge);
  });
});
