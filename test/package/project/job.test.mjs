import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMock } from "counterpart-kit";

let mock;
before(async () => {
  mock = await startMock({ clock: "frozen" });
});
after(() => mock.close());

test("a job completes", async () => {
  const headers = { authorization: `Bearer ${mock.keys.full}`, "content-type": "application/json" };
  const body = JSON.stringify({ workflow: "audit", params: {} });
  const answer = await fetch(`${mock.api_url}/api/repos/${mock.repos[0]}/jobs`, { method: "POST", headers, body });
  const { id } = await answer.json();
  mock.advance({ until: "idle" });
  assert.equal((await (await fetch(`${mock.api_url}/api/jobs/${id}`, { headers })).json()).status, "completed");
});
