import { describe, expect, it } from "vitest";
import { send } from "../client.js";
import { openOneWorld } from "../one-world.js";

const { journal, get, submit } = openOneWorld();

describe("verify", () => {
  const ask = async (json: object) => (await send(`POST ${journal()}/verify`, { json })).json;
  const calls = { route: "GET /api/jobs" };

  it.each<[object, boolean, unknown]>([
    [{ exactly: 3 }, true, 3],
    [{ exactly: 2 }, false, 2],
    [{ count: 3 }, true, 3],
    [{ at_least: 3 }, true, "at least 3"],
    [{ at_least: 4 }, false, "at least 4"],
    [{ at_most: 3 }, true, "at most 3"],
    [{ at_most: 2 }, false, "at most 2"],
    [{ between: [1, 3] }, true, "between 1 and 3"],
    [{ between: [4, 5] }, false, "between 4 and 5"],
    [{ between: [1, 2] }, false, "between 1 and 2"],
  ])("three calls are %j: %s", async (bound, isVerified, expected) => {
    for (let i = 0; i < 3; i++) await get("/api/jobs");
    expect(await ask({ match: calls, ...bound })).toMatchObject({ verified: isVerified, count: 3, expected });
  });

  it.each<[string, object, boolean]>([
    ["a sent header", { headers: { "Idempotency-Key": "k1" } }, true],
    ["another value of the header", { headers: { "idempotency-key": "k2" } }, false],
    ["any value of the header", { headers: { "idempotency-key": true } }, true],
    ["none of it", { headers: { "idempotency-key": false } }, false],
    ["a header that was not sent", { headers: { "x-other": true } }, false],
    ["the absence of a header", { headers: { "x-other": false } }, true],
    ["the body, in part", { body: { workflow: "audit" } }, true],
    ["the body, otherwise", { body: { workflow: "fix" } }, false],
    ["the answer, in part", { answer: { status: "pending" } }, true],
    ["the answer, otherwise", { answer: { status: "running" } }, false],
    ["the role and status", { role: "full", status: 201 }, true],
    ["no query", { query: { force: false } }, true],
    ["a query", { query: { force: "true" } }, false],
  ])("distinguishes %s", async (_, match, isVerified) => {
    await submit("audit", { "idempotency-key": "k1" });
    expect(await ask({ match, exactly: 1 })).toMatchObject({ verified: isVerified, count: isVerified ? 1 : 0 });
  });

  it("answers a mismatch with the wanted and the actual values", async () => {
    await submit("audit");
    const { nearest } = await ask({ match: { method: "POST", status: 200, body: { workflow: "fix" } }, at_least: 1 });
    expect(nearest[0]).toMatchObject({
      differs: ["status", "body"],
      differences: [
        { field: "status", wanted: 200, seen: 201 },
        { field: "body.workflow", wanted: "fix", seen: "audit" },
      ],
      entry: { number: 1 },
    });
  });

  it("shows the extra calls", async () => {
    await get("/api/jobs");
    expect(await ask({ match: calls, at_most: 0 })).toMatchObject({ verified: false, matching: [{ number: 1 }], nearest: [] });
  });

  it("checks an order, with any calls between, and reports how far it came", async () => {
    await submit();
    await get("/api/repos");
    await get("/api/jobs");
    const [first, second] = [{ method: "POST" }, { route: "GET /api/jobs" }];
    expect(await ask({ in_order: [first, second] })).toMatchObject({ verified: true, order: [1, 3] });
    expect(await ask({ in_order: [second, first] })).toMatchObject({ verified: false, count: 1, expected: 2, order: [3] });
    expect(await ask({ in_order: [first, first] })).toMatchObject({ verified: false, order: [1] });
  });

  it.each<[object, string]>([
    [{}, "match"],
    [{ match: calls }, ""],
    [{ match: calls, exactly: 1, at_least: 1 }, "at_least"],
    [{ match: calls, between: [3, 1] }, "between"],
    [{ match: calls, between: [1] }, "between"],
    [{ in_order: [calls], exactly: 1 }, "exactly"],
    [{ in_order: [] }, "in_order"],
    [{ match: { rout: "x" }, exactly: 1 }, "match.rout"],
    [{ match: { headers: { a: 1 } }, exactly: 1 }, "match.headers.a"],
  ])("refuses %j and names the field", async (json, field) => {
    const response = await send(`POST ${journal()}/verify`, { json });
    expect(response).toMatchObject({ status: 400, json: { field, detail: expect.any(String) } });
  });
});
