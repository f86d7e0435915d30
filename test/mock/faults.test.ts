import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FaultRequest } from "../../src/mock/faults.js";
import type { IsolatedWorld } from "../../src/mock/mock-world.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { send, sendBytes } from "./client.js";

let mock: Mock;
let world: IsolatedWorld;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});

const list = "GET /api/jobs";
const get = (headers: Record<string, string> = {}) => send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full, headers });
const statuses = async (n: number) => {
  const seen: number[] = [];
  for (let i = 0; i < n; i++) seen.push((await get()).status);
  return seen;
};
const rawGet = () =>
  sendBytes(mock.api_url, `GET /api/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.keys.full}\r\n\r\n`);
const submission = () => ({
  line: `POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`,
  sent: { key: world.keys.full, json: { workflow: "audit", params: {} } },
});

describe("a fault", () => {
  it.each<[string, Partial<FaultRequest>, number[]]>([
    ["the first calls", { first: 2 }, [503, 503, 200, 200, 200]],
    ["one call", { nth: 3 }, [200, 200, 503, 200, 200]],
    ["each second call", { every: 2 }, [200, 503, 200, 503, 200]],
    ["every call", {}, [503, 503, 503, 503, 503]],
  ])("strikes %s and counts its hits", async (_, when, expected) => {
    world.fault({ on: list, status: 503, ...when });
    expect(await statuses(5)).toEqual(expected);
    const { faults } = (await send(`GET ${mock.control_url}/worlds/${world.id}/faults`)).json;
    expect(faults[0]).toMatchObject({ id: "fault_1", seen: 5, hits: expected.filter((status) => status === 503).length });
  });

  it.each<[Partial<FaultRequest>, number, string, string, string | undefined]>([
    [{ status: 500 }, 500, "server_error", "internal_error", undefined],
    [{ status: 502 }, 502, "server_error", "internal_error", undefined],
    [{ status: 418 }, 418, "invalid_request_error", "bad_request", undefined],
    [{ status: 503, retry_after: 7 }, 503, "server_error", "service_unavailable", "7"],
    [{ code: "rate_limit_budget", retry_after: 30 }, 429, "rate_limit_error", "rate_limit_budget", "30"],
    [{ code: "repo_already_registered" }, 409, "conflict", "repo_already_registered", undefined],
  ])("%o answers in the service's own envelope", async (effect, status, type, code, retryAfter) => {
    world.fault({ on: list, ...effect });
    const answer = await get();
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatchObject({ type, code, request_id: answer.headers["x-request-id"] });
    expect(answer.headers["retry-after"]).toBe(retryAfter);
  });

  it("strikes neither another route nor another world", async () => {
    world.fault({ on: list, status: 500 });
    expect((await send(`GET ${mock.api_url}/api/repos`, { key: world.keys.full })).status).toBe(200);
    expect((await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full" })).status).toBe(200);
  });

  it("leaves the work undone, or does it and loses the answer", async () => {
    const { line, sent } = submission();
    world.fault({ on: "POST /api/repos/{owner}/{repo}/{branch}/jobs", status: 500, nth: 1 });
    world.fault({
      on: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
      socket: "CONNECTION_RESET_BY_PEER",
      nth: 2,
      performs: true,
    });
    expect((await send(line, sent)).status).toBe(500);
    await expect(send(line, sent)).rejects.toThrow();
    const third = await send(line, sent);
    expect(third.status).toBe(200);
    expect(world.journal({ fault: "fault_2" })).toMatchObject([
      { status: null, changes: [{ id: third.json.id, to: "pending" }] },
    ]);
    expect(world.journal({ fault: "fault_1" })).toMatchObject([{ status: 500, changes: [], passed: [] }]);
  });

  it("keeps the answer back for a while, then gives the right one", async () => {
    world.fault({ on: list, delay: "50ms" });
    const started = performance.now();
    expect((await get()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(45);
  });

  it.each([
    ["CONNECTION_RESET_BY_PEER", /^reset$/],
    ["EMPTY_RESPONSE", /^$/],
    ["MALFORMED_RESPONSE_CHUNK", /^HTTP\/1\.1 200 OK[\s\S]*zz/],
    ["RANDOM_DATA_THEN_CLOSE", /^(?!HTTP)./],
  ] as const)("breaks the connection as %s, and only once", async (socket, seen) => {
    world.fault({ on: list, socket, first: 1 });
    expect(await rawGet()).toMatch(seen);
    expect((await get()).status).toBe(200);
  });

  it("goes when deleted", async () => {
    const { id } = world.fault({ on: list, status: 500 });
    world.fault({ on: list, status: 503 });
    await send(`DELETE ${mock.control_url}/worlds/${world.id}/faults/${id}`);
    expect((await get()).status).toBe(503);
    await send(`DELETE ${mock.control_url}/worlds/${world.id}/faults`);
    expect((await get()).status).toBe(200);
  });
});

describe("a Prefer header", () => {
  it.each([
    ["code=409, error=repo_already_registered", 409, "repo_already_registered", "code=409, error=repo_already_registered"],
    ["error=observation_not_fixable", 422, "observation_not_fixable", "code=422, error=observation_not_fixable"],
    ["code=429", 429, "rate_limit_qps", "code=429, error=rate_limit_qps"],
    ["code=404, error=repo_already_registered", 400, "bad_request", undefined],
    ["error=no_such_code", 400, "bad_request", undefined],
    ["error=constructor", 400, "bad_request", undefined],
    ["code=201", 400, "bad_request", undefined],
  ])("%s gives %i %s", async (prefer, status, code, applied) => {
    const answer = await get({ prefer });
    expect([answer.status, answer.json.error.code, answer.headers["preference-applied"]]).toEqual([status, code, applied]);
    expect(world.journal()).toMatchObject([{ forced: applied !== undefined, passed: [] }]);
  });

  it("sends Retry-After with what can be waited out", async () => {
    expect((await get({ prefer: "code=429" })).headers["retry-after"]).toBe("1");
  });

  it("about something else is left alone", async () => {
    const answer = await get({ prefer: "return=minimal" });
    expect([answer.status, answer.headers["preference-applied"]]).toEqual([200, undefined]);
  });
});
