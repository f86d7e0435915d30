import { expect, test } from "vitest";
import type { IncomingCall } from "../../src/service/call.js";
import { perform } from "../../src/service/perform.js";
import type { World } from "../../src/service/world/world.js";
import { call, demoWorld } from "./world.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const here = { owner: "acme", repo: "web", branch: "main" };

/**
 * Faults in the order of their refusals. Every row adds its fault to the calls of the rows below it. A call with the faults of a row
 * and of all rows below must answer that row's code: the table pins the order of the gates (ERR-GATE-ORDER).
 */
const ladder: { fault: string; code: string; make(incomingCall: IncomingCall, world: World): void }[] = [
  {
    fault: "no key",
    code: "missing_key",
    make: (c) => {
      c.authorization = undefined;
    },
  },
  {
    fault: "a header that is not a bearer",
    code: "malformed_key",
    make: (c) => {
      c.authorization = "Basic abc";
    },
  },
  {
    fault: "an unknown key",
    code: "invalid_key",
    make: (c) => {
      c.authorization = "Bearer nobody";
    },
  },
  {
    fault: "a revoked key",
    code: "revoked_key",
    make: (_, w) => {
      w.keys.key_full!.revoked_at = 0;
    },
  },
  {
    fault: "an expired key",
    code: "expired_key",
    make: (_, w) => {
      w.keys.key_full!.expires_at = w.now;
    },
  },
  {
    fault: "a foreign network",
    code: "network_not_allowed",
    make: (_, w) => {
      w.keys.key_full!.allowed_cidrs = ["192.0.2.0/24"];
    },
  },
  {
    fault: "a suspended workspace",
    code: "workspace_suspended",
    make: (_, w) => {
      w.workspaces.acme!.state = "suspended";
    },
  },
  { fault: "a full bucket", code: "rate_limit_qps", make: (_, w) => fill(w) },
  {
    fault: "a body that is not JSON",
    code: "bad_request",
    make: (c) => {
      c.body = { kind: "malformed", problem: "it ends too soon" };
    },
  },
  {
    fault: "a missing scope",
    code: "insufficient_scope",
    make: (_, w) => {
      w.keys.key_full!.scopes = [];
    },
  },
  {
    fault: "a query of the wrong type",
    code: "invalid_payload",
    make: (c) => {
      c.query = { force: ["perhaps"] };
    },
  },
  {
    fault: "an unknown repository",
    code: "not_found",
    make: (c) => {
      c.target = { route: submit, params: { ...here, repo: "nowhere" } };
    },
  },
  {
    fault: "a workflow the plan lacks",
    code: "workflow_not_entitled",
    make: (_, w) => {
      w.plans.paid.workflows = ["discover"];
    },
  },
  {
    fault: "params the workflow does not take",
    code: "invalid_payload",
    make: (c) => {
      c.body = { kind: "json", value: { workflow: "audit", params: { x: 1 } } };
    },
  },
  {
    fault: "no credit",
    code: "insufficient_credit",
    make: (_, w) => {
      w.workspaces.acme!.credit_usd = 0;
    },
  },
  { fault: "a used-up hour", code: "rate_limit_budget", make: (_, w) => useUpTheHour(w) },
];

for (const [i, { fault, code }] of ladder.entries()) {
  test(`refuses ${fault} before everything below it in the order of checks`, () => {
    const world = demoWorld();
    const incomingCall = call(submit, { params: here, body: { workflow: "audit", params: {} } });
    for (const lower of ladder.slice(i).reverse()) lower.make(incomingCall, world);
    expect(perform(world, incomingCall).rule.code).toBe(code);
  });
}

test("accepts the same call without any fault", () => {
  expect(perform(demoWorld(), call(submit, { params: here, body: { workflow: "audit", params: {} } })).status).toBe(201);
});

test("changes only counters when it refuses a call", () => {
  for (const [i, { fault }] of ladder.entries()) {
    const world = demoWorld();
    const incomingCall = call(submit, { params: here, body: { workflow: "audit", params: {} } });
    for (const lower of ladder.slice(i).reverse()) lower.make(incomingCall, world);
    const before = getState(world);
    perform(world, incomingCall);
    expect(getState(world), fault).toEqual(before);
  }
});

test("answers 405 with the allowed methods, and 404 for an unknown path", () => {
  const allow = perform(demoWorld(), { ...call("GET /api/jobs"), target: { allow: ["GET"] } });
  expect(allow).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
    body: { error: { type: "invalid_request_error" } },
  });
  const unknownServiceResponse = perform(demoWorld(), { ...call("GET /api/jobs"), target: "unknown-path" });
  expect(unknownServiceResponse).toMatchObject({ status: 404, body: { error: { type: "not_found", code: "not_found" } } });
});

test("gives the same request id in header and envelope", () => {
  const world = demoWorld();
  const first = perform(world, call("GET /api/jobs", { as: null }));
  const second = perform(world, call("GET /api/jobs", { as: null }));
  const getId = (response: typeof first) => (response.body as { error: { request_id: string } }).error.request_id;
  expect(first.headers["x-request-id"]).toBe(getId(first));
  expect(getId(first)).not.toBe(getId(second));
});

function fill(world: World): void {
  world.rates.key_full = { submit: { since: world.now, used: 30, tokens: 0, passed: Array(30).fill(world.now) } };
}

function useUpTheHour(world: World): void {
  world.workspaces.acme!.hourly_ceiling_usd = 1;
  world.spend.acme = { since: world.now, spent_usd: 1 };
}

/** Returns everything that a client can see, without request counters. */
function getState(world: World): unknown {
  const { serials: _, rates: __, ...rest } = structuredClone(world);
  return rest;
}
