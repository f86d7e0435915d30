import { request as call } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rules } from "../../../src/client-report/rules.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { followContract, getPlace } from "../../client-report/conforming-client.js";
import { pairs } from "../../client-report/pairs.js";
import { send } from "../../mock/client.js";
import { post } from "../../mock/mcp/messages.js";
import { openProxyWithServer, startProxy, waitUntil } from "../open.js";

let mock: Mock;
let world: IsolatedWorld;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen", mcp: { sse: true } });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});

describe("a client that calls through the proxy", () => {
  test("gets the server's answers on both surfaces, without findings for a conforming client and server", async () => {
    const { proxy } = await startProxy(mock.api_url);
    world.fault({ on: "GET /api/observations", nth: 2, status: 503, retry_after: 0 });
    await followContract({ ...getPlace(world), api_url: proxy.url, mcp_url: `${proxy.url}/mcp/` });
    const { client, server, requests } = proxy.report();
    expect(server).toMatchObject({ verdict: "no-findings", violations: [], unanswered: 0 });
    expect(client).toMatchObject({ verdict: "clean", findings: [] });
    expect(client.coverage.surfaces).toEqual(["mcp", "rest"]);
    expect(requests).toBe(client.requests);
    expect(Object.keys(server.passed)).toEqual(
      expect.arrayContaining(["GEN-JSON-RESPONSE", "MCP-HEADER-ACCEPT", "OBS-FILTER-KIND", "PAGE-LIMIT-HELD"]),
    );
  });

  /** Mistakes that depend on the server's clock, and mistakes of signed-in people on the app host. */
  const notHere = ["keeps-cursor", "raises-ceiling", "widens-scopes"];

  test.each(rules.map(({ id }) => id).filter((id) => !notHere.includes(id)))("gets the finding %s", async (id) => {
    const { proxy } = await startProxy(mock.api_url);
    const there = { ...world, api_url: proxy.url, mcp_url: `${proxy.url}/mcp/` };
    const key = world.keys.full!;
    await pairs[id]?.breaks({
      world: there,
      jobs: `/api/repos/${world.repos[0]}/jobs`,
      call: (line, more) => send(line.replace(" ", ` ${proxy.url}`), { key, ...more }),
      tool: (message, more) => post(there.mcp_url, key, message, more),
    });
    await waitUntil(() => proxy.report().client.findings.length > 0);
    expect(proxy.report().client.findings.map((remark) => remark.id)).toContain(id);
    expect(proxy.report().server.violations).toEqual([]);
  });
});

describe("a server that answers through the proxy", () => {
  const json = { "content-type": "application/json" };
  const error = (type: string, code: string) => ({ error: { type, code, message: "No.", request_id: "r1" } });

  test.each<[what: string, path: string, status: number, body: unknown, clause: string, headers?: Record<string, string>]>([
    ["no envelope", "/api/jobs", 404, { message: "gone" }, "ERR-ENVELOPE-ONE"],
    ["a type of another status", "/api/jobs", 404, error("conflict", "x"), "ERR-TYPE-PAIRS"],
    ["status 429 without Retry-After", "/api/jobs", 429, error("rate_limit_error", "rate_limit_qps"), "RETRY-AFTER-429"],
    [
      "a code that the type has not",
      "/api/jobs",
      429,
      error("rate_limit_error", "slow_down"),
      "ERR-CODE-RATE",
      { "retry-after": "1" },
    ],
    ["a page", "/api/jobs", 200, "<html>", "GEN-JSON-RESPONSE", { "content-type": "text/html" }],
    [
      "a field of another type",
      "/api/jobs/j1",
      200,
      { id: 1, workflow: "audit", status: "pending", repo_name: "a@b" },
      "JOB-GET-ROUTE",
    ],
    ["another row", "/api/observations?kind=finding", 200, page({ kind: "advisory" }), "OBS-FILTER-KIND"],
    ["too many rows", "/api/observations?limit=1", 200, page({}, {}), "PAGE-LIMIT-HELD"],
    ["a limit that is too large", "/api/observations?limit=201", 200, page(), "PAGE-LIMIT-OVER"],
    ["an invalid answer of a tool", "/mcp/", 200, { hello: "world" }, "MCP-HEADER-ACCEPT"],
  ])("has a finding for %s", async (_what, path, status, body, clause, headers = {}) => {
    const url = await openProxyWithServer((_, response) => {
      response.writeHead(status, { ...json, ...headers }).end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const { proxy } = await startProxy(url);
    await send(`${path === "/mcp/" ? "POST" : "GET"} ${proxy.url}${path}`, { key: "some-long-key-1" });
    await waitUntil(() => proxy.report().requests > 0);
    const { verdict, violations } = proxy.report().server;
    expect([verdict, violations.map((violation) => violation.clause)]).toEqual(["findings", expect.arrayContaining([clause])]);
  });

  test("has no finding for legal answers, and for changes on the way", async () => {
    const url = await openProxyWithServer((_, response) =>
      response.writeHead(500, json).end(JSON.stringify(error("server_error", "oops"))),
    );
    const { proxy } = await startProxy(url);
    await send(`GET ${proxy.url}/api/jobs`, { key: "some-long-key-1" });
    await send(`HEAD ${proxy.url}/api/jobs`, { key: "some-long-key-1" });
    await send(`GET ${proxy.url}/health`);
    expect(proxy.report().server.violations).toEqual([]);
  });

  const dotted = ["/api/../__mock/health", "/api/./../health", "/api/%2e%2E/health", "/api/repos/..", "/api/x/%2E/y?a=/../"];

  test.each(dotted)("has no finding for %s, which it may read as another path", async (path) => {
    const url = await openProxyWithServer((_, response) => response.writeHead(200, json).end('{"hello":"world"}'));
    const { proxy, lines } = await startProxy(url);
    const { hostname, port } = new URL(proxy.url);
    await new Promise((resolve) => void call({ hostname, port, path }, resolve).end());
    await waitUntil(() => lines.length > 0);
    expect(lines[0]?.url).toBe(path);
    const { server, client } = proxy.report();
    expect([server.violations, client.findings]).toEqual([[], []]);
  });

  function page(...rows: object[]) {
    const row = {
      ref: "SERVICE-1",
      kind: "finding",
      status: "new",
      priority: "P1",
      category: "security",
      title: "t",
      description: "d",
    };
    const data = rows.map((one) => ({ ...row, acknowledged_at: null, ...one }));
    return { data, next_cursor: null, has_more: false };
  }
});
