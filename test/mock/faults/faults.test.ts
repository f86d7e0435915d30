import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findDelay } from "../../../src/mock/faults/fault-applying.js";
import type { FaultRequest } from "../../../src/mock/faults/faults.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send, sendBytes } from "../client.js";
import { post, toolCall } from "../mcp/messages.js";

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
  sendBytes(mock.api_url, `GET /api/jobs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${world.keys.full}\r\n\r\n`);
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
  ])("applies to %s and counts its hits", async (_, when, expected) => {
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
  ])("%o returns the service's own envelope", async (effect, status, type, code, retryAfter) => {
    world.fault({ on: list, ...effect });
    const response = await get();
    expect(response.status).toBe(status);
    expect(response.json.error).toMatchObject({ type, code, request_id: response.headers["x-request-id"] });
    expect(response.headers["retry-after"]).toBe(retryAfter);
  });

  it("applies neither to another route nor to another world", async () => {
    world.fault({ on: list, status: 500 });
    expect((await send(`GET ${mock.api_url}/api/repos`, { key: world.keys.full })).status).toBe(200);
    expect((await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full" })).status).toBe(200);
  });

  it("does not perform the operation, or performs it and drops the answer", async () => {
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

  it("delays the answer, then sends the right one", async () => {
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
  ] as const)("breaks the connection as %s, only once", async (socket, seenPattern) => {
    world.fault({ on: list, socket, first: 1 });
    expect(await rawGet()).toMatch(seenPattern);
    expect((await get()).status).toBe(200);
  });

  it("disappears when deleted", async () => {
    const { id } = world.fault({ on: list, status: 500 });
    world.fault({ on: list, status: 503 });
    await send(`DELETE ${mock.control_url}/worlds/${world.id}/faults/${id}`);
    expect((await get()).status).toBe(503);
    await send(`DELETE ${mock.control_url}/worlds/${world.id}/faults`);
    expect((await get()).status).toBe(200);
  });
});

describe("a fault on everything", () => {
  it("applies to every route, unknown paths and tools, and counts them together", async () => {
    world.fault({ on: "*", status: 503, every: 2 });
    const seen = [];
    for (const path of ["/api/jobs", "/api/repos", "/api/jobs", "/api/nowhere"])
      seen.push((await send(`GET ${mock.api_url}${path}`, { key: world.keys.full })).status);
    expect(seen).toEqual([200, 503, 200, 503]);
    const tools = [];
    for (let i = 0; i < 2; i++)
      tools.push((await post(mock.mcp_url, world.keys.full, toolCall("list_repositories", {}))).json.result.isError ?? false);
    expect(tools).toEqual([false, true]);
  });
});

describe("a forced refusal has the same headers as a natural one", () => {
  it.each<[Partial<FaultRequest>, string | undefined]>([
    [{ code: "rate_limit_qps" }, "1"],
    [{ status: 429 }, "1"],
    [{ status: 503 }, "1"],
    [{ code: "rate_limit_qps", retry_after: 9 }, "9"],
    [{ code: "service_unavailable", retry_after: null }, undefined],
    [{ code: "not_found" }, undefined],
  ])("%o: Retry-After %s", async (effect, retryAfter) => {
    world.fault({ on: list, ...effect });
    expect((await get()).headers["retry-after"]).toBe(retryAfter);
  });

  it("the workflows of the plan are those of the caller", async () => {
    world.fault({ on: list, code: "workflow_not_entitled" });
    const allowed = async (role: string) =>
      (await send(`GET ${mock.api_url}/api/jobs`, { key: world.keys[role] })).json.error.details.allowed_workflows;
    expect(await allowed("full")).toContain("revalidate");
    expect(await allowed("free")).not.toContain("revalidate");
  });
});

describe("an answer that is overridden", () => {
  const getJob = "GET /api/jobs/{job_id}";
  const job = async () => (await send(submission().line, submission().sent)).json.id as string;
  const read = async (id: string) => send(`GET ${mock.api_url}/api/jobs/${id}`, { key: world.keys.full });

  it.each<[string, FaultRequest["answer"], number, unknown]>([
    ["in part", { patch: { status: "running", error: null } }, 200, { status: "running", workflow: "audit" }],
    ["in a new field", { patch: { extra: { deep: [1] } } }, 200, { status: "pending", extra: { deep: [1] } }],
    ["as a whole", { body: { hello: "there" } }, 200, { hello: "there" }],
    ["in its status", { status: 202 }, 202, { status: "pending" }],
  ])("%s", async (_, response, status, body) => {
    const id = await job();
    world.fault({ on: getJob, answer: response! });
    const clientResponse = await read(id);
    expect(clientResponse.status).toBe(status);
    expect(clientResponse.json).toMatchObject(body as object);
    if (response?.patch)
      expect(Object.hasOwn(clientResponse.json, "error")).toBe(!Object.hasOwn(response.patch as object, "error"));
  });

  it("in its headers, including its content type", async () => {
    const id = await job();
    world.fault({
      on: getJob,
      answer: {
        status: 502,
        headers: { "Content-Type": "text/html", "X-Request-Id": null, via: "gateway" },
        body: "<h1>Bad</h1>",
      },
    });
    const clientResponse = await read(id);
    expect([
      clientResponse.status,
      clientResponse.text,
      clientResponse.headers["content-type"],
      clientResponse.headers["x-request-id"],
      clientResponse.headers.via,
    ]).toEqual([502, "<h1>Bad</h1>", "text/html", undefined, "gateway"]);
  });

  it("performs the operation, or not, as the fault says", async () => {
    const { line, sent } = submission();
    const on = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
    world.fault({ on, nth: 1, answer: { body: { id: "job_x" } }, performs: false });
    world.fault({ on, nth: 2, answer: { patch: { id: "job_y" } } });
    expect(await send(line, sent)).toMatchObject({ status: 200, json: { id: "job_x" } });
    expect(await send(line, sent)).toMatchObject({ status: 201, json: { id: "job_y", status: "pending" } });
    expect(world.journal().map(({ changes }) => changes.length)).toEqual([0, 1]);
  });

  it("of a tool", async () => {
    world.fault({ on: "list_repositories", answer: { patch: { data: [] } } });
    const { result } = (await post(mock.mcp_url, world.keys.full, toolCall("list_repositories", {}))).json;
    expect(result.structuredContent.data).toEqual([]);
    expect(JSON.parse(result.content[0].text).data).toEqual([]);
  });
});

describe("a slow answer", () => {
  const timed = async () => {
    const begun = performance.now();
    const { status, json } = await get();
    return { ms: performance.now() - begun, status, json };
  };

  it("is complete, and not faster than the bandwidth", async () => {
    const bytes = (await get()).text.length;
    world.fault({ on: list, bandwidth: bytes * 8 });
    const { ms, status, json } = await timed();
    expect(status).toBe(200);
    expect(json.data.length).toBeGreaterThan(0);
    expect(ms).toBeGreaterThanOrEqual(110);
  });

  it("has another delay within its jitter each time, the same in every run, and never longer", async () => {
    const waits = [1, 2, 3, 4, 5, 6].map((seen) => findDelay({ id: "fault_1", delay: "20ms", jitter: "80ms", seen }));
    expect(new Set(waits).size).toBe(waits.length);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(20);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(100);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(40);
    world.fault({ on: list, jitter: "80ms" });
    expect((await timed()).ms).toBeGreaterThanOrEqual(findDelay({ id: "fault_1", jitter: "80ms", seen: 1 }) - 1);
  });
});

describe("an impossible fault is refused, names its field and changes nothing", () => {
  it.each<[object, string]>([
    [{ on: "GET /api/job", status: 500 }, "on"],
    [{ on: list }, ""],
    [{ on: list, status: 200 }, "status"],
    [{ on: list, status: 500, first: 1, nth: 2 }, "nth"],
    [{ on: list, status: 500, first: 0 }, "first"],
    [{ on: list, delay: "soon" }, "delay"],
    [{ on: list, jitter: "2h" }, "jitter"],
    [{ on: list, bandwidth: 0 }, "bandwidth"],
    [{ on: list, socket: "EMPTY_RESPONSE", status: 500 }, "status"],
    [{ on: list, socket: "EMPTY_RESPONSE", answer: { status: 200 } }, "answer"],
    [{ on: list, socket: "CUT" }, "socket"],
    [{ on: list, status: 500, answer: { body: 1 } }, "status"],
    [{ on: list, answer: {} }, "answer"],
    [{ on: list, answer: { stats: 200 } }, "answer.stats"],
    [{ on: list, answer: { status: 100 } }, "answer.status"],
    [{ on: list, answer: { body: 1, patch: 1 } }, "answer.patch"],
    [{ on: list, answer: { patch: {} }, performs: false }, "performs"],
    [{ on: list, answer: { headers: { "content-length": "3" } } }, "answer.headers.content-length"],
    [{ on: list, answer: { headers: { "x y": "3" } } }, "answer.headers.x y"],
    [{ on: list, answer: { headers: { x: "a\r\nb" } } }, "answer.headers.x"],
    [{ on: list, code: "no_such" }, "code"],
    [{ on: list, retry_after: -1, code: "rate_limit_qps" }, "retry_after"],
  ])("%o", async (json, field) => {
    const clientResponse = await send(`POST ${mock.control_url}/worlds/${world.id}/faults`, { json });
    expect(clientResponse.status).toBe(400);
    expect(clientResponse.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(clientResponse.json).toMatchObject({ status: 400, title: "Bad Request", detail: expect.any(String), field });
    expect((await send(`GET ${mock.control_url}/worlds/${world.id}/faults`)).json.faults).toEqual([]);
  });
});
