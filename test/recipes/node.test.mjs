import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { startMock } from "counterpart-kit";

let mock;
let world;
before(async () => {
  mock = await startMock({ clock: "frozen", listen: false });
});
after(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});
afterEach(() => world.remove());

const headers = () => ({ authorization: `Bearer ${world.keys.full}`, "content-type": "application/json" });

test("a job completes", async () => {
  const body = JSON.stringify({ workflow: "audit", params: {} });
  const { id } = await (await world.fetch("/api/repos/acme/web/main/jobs", { method: "POST", headers: headers(), body })).json();
  world.advance({ until: "idle" });
  assert.equal((await (await world.fetch(`/api/jobs/${id}`, { headers: headers() })).json()).status, "completed");
});

test("the service is busy", async () => {
  world.fault({ on: "GET /api/jobs", first: 1, code: "rate_limit_qps", retry_after: 2 });
  const busy = await world.fetch("/api/jobs", { headers: headers() });
  assert.deepEqual([busy.status, busy.headers.get("retry-after")], [429, "2"]);
  assert.equal((await world.fetch("/api/jobs", { headers: headers() })).status, 200);
  assert.ok(world.verify({ match: { route: "GET /api/jobs" }, exactly: 2 }).verified);
});
