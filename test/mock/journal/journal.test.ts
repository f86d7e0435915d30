import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";

let mock: Mock;
let world: IsolatedWorld;
let journal: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen", journal: 3 });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
  journal = `${mock.control_url}/worlds/${world.id}/journal`;
});

const submit = (workflow: string) =>
  send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, { key: world.keys.full, json: { workflow, params: {} } });
const get = (path: string, role = "full") => send(`GET ${mock.api_url}${path}`, { key: world.keys[role] });

describe("the journal", () => {
  it("has the reason: the caller, the passed checks, the rule that answered, the changes", async () => {
    const { json: job } = await submit("audit");
    await send(`POST ${mock.api_url}/api/jobs/${job.id}/cancel`, { key: world.keys.viewer });
    const [made, refused] = world.journal();
    expect(made).toMatchObject({
      number: 1,
      at: "2026-01-05T09:00:00.000Z",
      route: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
      key: "key_full",
      body: { workflow: "audit" },
      status: 201,
      rule: { gate: "operation", code: null },
      changes: [{ id: job.id, from: null, to: "pending" }],
    });
    expect(refused).toMatchObject({
      key: "key_viewer",
      status: 403,
      passed: ["authenticate", "rate", "route", "body"],
      rule: { gate: "permission", code: "insufficient_scope" },
    });
    expect(refused!.rule.description).toMatch(/\w+ \w+/);
  });

  it("shows no bearer key", async () => {
    await get("/api/jobs");
    expect((await send(`GET ${journal}`)).text).not.toContain(world.keys.full);
  });

  it("keeps the newest calls only, and continues to count", async () => {
    for (let limit = 1; limit <= 5; limit++) await get(`/api/jobs?limit=${limit}`);
    const { total, count, entries } = (await send(`GET ${journal}`)).json;
    expect([total, count]).toEqual([5, 3]);
    expect(entries.map((entry: { number: number; request: string }) => [entry.number, entry.request])).toEqual([
      [3, "GET /api/jobs?limit=3"],
      [4, "GET /api/jobs?limit=4"],
      [5, "GET /api/jobs?limit=5"],
    ]);
  });

  it("keeps no long bodies", async () => {
    await send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, {
      key: world.keys.full,
      json: { workflow: "x".repeat(20_000), params: {} },
    });
    expect(world.journal()[0]!.body).toMatch(/^\(\d+ bytes\)$/);
  });

  it.each<[string, object, number]>([
    ["route", { route: "GET /api/jobs" }, 2],
    ["path", { path: "/api/jobs" }, 2],
    ["status and method", { status: 200, method: "GET" }, 1],
    ["code", { code: "insufficient_scope" }, 1],
    ["gate", { gate: "permission" }, 1],
    ["key", { key: "key_full" }, 1],
    ["unknown names", { unmatched: true }, 1],
    ["forced answers", { forced: true }, 0],
  ])("finds by %s", async (_, match, count) => {
    await get("/api/jobs?limit=1");
    await get("/api/jobs", "triage");
    await get("/api/nope", "viewer");
    expect(world.journal(match)).toHaveLength(count);
    const query = new URLSearchParams(Object.entries(match).map(([name, value]): [string, string] => [name, String(value)]));
    expect((await send(`GET ${journal}?${query}`)).json.count).toBe(count);
  });

  it("verifies a count, and shows the closest mismatches with their differences", async () => {
    await submit("audit");
    const verify = async (match: object, count: number) =>
      (await send(`POST ${journal}/verify`, { json: { match, count } })).json;
    expect(await verify({ body: { workflow: "audit" } }, 1)).toEqual({ verified: true, count: 1, expected: 1, nearest: [] });
    expect(await verify({ body: { workflow: "audit" } }, 0)).toMatchObject({ verified: false, count: 1 });
    const missed = await verify({ route: "POST /api/repos/{owner}/{repo}/{branch}/jobs", body: { workflow: "review" } }, 1);
    expect(missed).toMatchObject({ verified: false, count: 0, nearest: [{ differs: ["body"], entry: { number: 1 } }] });
  });

  it("is empty after a clear", async () => {
    await get("/api/jobs");
    await send(`DELETE ${journal}`);
    expect((await send(`GET ${journal}`)).json).toEqual({ total: 0, kept: 0, count: 0, next: null, entries: [] });
  });

  it("can be switched off", async () => {
    const silentMock = await startMock({ clock: "frozen", journal: 0 });
    await send(`GET ${silentMock.api_url}/api/jobs`, { key: "mock_full" });
    expect(silentMock.journal()).toEqual([]);
    await silentMock.close();
  });
});
