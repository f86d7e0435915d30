import { expect, test } from "vitest";
import type { SystemUnderTest } from "../../../src/engine/property/property.js";
import { runScript } from "../../../src/suite/pairs/row-script.js";

/** Returns a server whose second retry creates another job, while the status of the first retry is the given one. */
function serverWith(status: string): SystemUnderTest {
  const body = ({ rest }: { rest?: string }) => JSON.stringify(rest?.startsWith("POST") ? { id: "another" } : { status });
  const send = async (step: object) => ({
    ok: true,
    response: { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(body(step)) },
  });
  return { send, offers: () => true, lookup: () => undefined } as unknown as SystemUnderTest;
}

test.each([
  ["running", "failed"],
  ["completed", "inconclusive"],
])("a failure while the first retry is %s is %s", async (status, verdict) => {
  const ended = { rest: "GET /api/jobs/first", expect: { status: 200, json: { status: "completed" } } };
  const step = { rest: "POST /api/jobs/parent/retry", json: {}, expect: { status: 200, json: { id: "first" } } };
  const assertions = [
    { step, clauses: ["JOB-RETRY-INFLIGHT"], why: "a second retry does not return the first", voidedBy: ended },
  ];
  expect((await runScript(serverWith(status), { setup: [], assertions })).verdict).toBe(verdict);
});
