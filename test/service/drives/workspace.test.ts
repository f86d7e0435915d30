import { describe, expect, test } from "vitest";
import {
  failVerification,
  pauseSpend,
  pushCommit,
  reactivate,
  revokeKey,
  setCredit,
  setSpendCeiling,
  suspend,
} from "../../../src/service/drives/workspace.js";
import { perform } from "../../../src/service/perform.js";
import type { World } from "../../../src/service/world/world.js";
import { call, demoWorld } from "../world.js";

const web = { owner: "acme", repo: "web", branch: "main" };
const audit = { params: web, body: { workflow: "audit", params: {} } };
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

describe("a workspace", () => {
  test("is suspended and reactivated without changing its keys", () => {
    const world = demoWorld();
    const keys = structuredClone(world.keys);
    const changesBefore = structuredClone(world.changes);
    expect(changesBefore).toEqual([]);
    expect(suspend.run(world, {})).toMatchObject({ result: { id: "acme", state: "suspended" } });
    expect(read(world)).toBe(401);
    expect(read(world, "free")).toBe(200);
    expect(reactivate.run(world, {})).toMatchObject({ result: { state: "active" } });
    expect(read(world)).toBe(200);
    expect(world.keys).toEqual(keys);
  });

  test("can be given by name", () => {
    const world = demoWorld();
    reactivate.run(world, { workspace: "gone-quiet" });
    expect(read(world, "suspended")).toBe(200);
  });

  test("without credit is refused paid work", () => {
    const world = demoWorld();
    setCredit.run(world, { usd: 0 });
    expect(perform(world, call(submit, audit))).toMatchObject({ status: 402, body: { error: { code: "insufficient_credit" } } });
    setCredit.run(world, { usd: 50 });
    expect(perform(world, call(submit, audit)).status).toBe(201);
  });

  test("past its hourly ceiling is refused paid work until the ceiling rises", () => {
    const world = demoWorld();
    expect(perform(world, call(submit, audit)).status).toBe(201);
    expect(setSpendCeiling.run(world, { usd: 0.01 })).toMatchObject({ result: { hourly_ceiling_usd: 0.01 } });
    const other = { ...audit, body: { workflow: "standard_audit", params: {} } };
    expect(perform(world, call(submit, other))).toMatchObject({ status: 429, body: { error: { code: "rate_limit_budget" } } });
    setSpendCeiling.run(world, { usd: 1000 });
    expect(perform(world, call(submit, other)).status).toBe(201);
  });

  test("with paused spending is refused paid work until spending resumes", () => {
    const world = demoWorld();
    pauseSpend.run(world, { on: true });
    expect(perform(world, call(submit, audit))).toMatchObject({ status: 402, body: { error: { code: "spend_paused" } } });
    pauseSpend.run(world, { on: false });
    expect(perform(world, call(submit, audit)).status).toBe(201);
  });
});

describe("other events", () => {
  test("revokes a key", () => {
    const world = demoWorld();
    expect(revokeKey.run(world, { key_id: "key_viewer" })).toMatchObject({ result: { key_id: "key_viewer" } });
    expect(read(world, "viewer")).toBe(401);
  });

  test("starts and ends an outage of the code host", () => {
    const world = demoWorld();
    const body = { owner: "acme", repo: "fresh", branch: "main" };
    failVerification.run(world, { on: true, retry_after: 9 });
    expect(perform(world, call("POST /api/repos", { body }))).toMatchObject({ status: 503, headers: { "retry-after": "9" } });
    failVerification.run(world, { on: true });
    expect(perform(world, call("POST /api/repos", { body })).headers).not.toHaveProperty("retry-after");
    failVerification.run(world, { on: false });
    expect(perform(world, call("POST /api/repos", { body })).status).toBe(201);
  });

  test("pushes a commit, so that an identical submission starts a new job", () => {
    const world = demoWorld();
    const first = perform(world, call(submit, audit));
    expect(perform(world, call(submit, audit)).status).toBe(200);
    pushCommit.run(world, { repo: "acme/web/main" });
    const serviceResponseAfter = perform(world, call(submit, audit));
    expect(serviceResponseAfter.status).toBe(201);
    expect((serviceResponseAfter.body as { id: string }).id).not.toBe((first.body as { id: string }).id);
  });
});

function read(world: World, as = "full"): number {
  return perform(world, call("GET /api/repos", { as })).status;
}
