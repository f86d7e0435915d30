import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/contract/load.js";
import type { FaultRequest } from "../../../src/mock/faults/faults.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";

let near: Mock;
let far: Mock;
let world: IsolatedWorld;

beforeAll(async () => {
  near = await startMock({ clock: "frozen", listen: false });
  far = await startMock({ clock: "frozen" });
});
afterAll(() => Promise.all([near.close(), far.close()]));
beforeEach(async () => {
  world = await near.world();
});

const bearer = (key = "mock_full") => ({ authorization: `Bearer ${key}` });
const json = (body: unknown, method = "POST") => ({
  method,
  headers: { ...bearer(), "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify(body),
});
const submission = { workflow: "audit", params: {} };

describe("mock.fetch", () => {
  it.each<[string, RequestInit]>([
    ["/api/jobs?limit=2", { headers: bearer() }],
    ["/api/jobs", {}],
    ["/api/jobs", { method: "HEAD", headers: bearer() }],
    ["/api/no-such-path", { headers: bearer() }],
    ["/api/jobs", { method: "PUT", headers: bearer(), body: "x" }],
    ["/api/repos/acme/web/main/jobs", json(submission)],
    ["/api/repos/acme/web/main/jobs", { ...json(submission), body: "{" }],
    ["/api/jobs", { headers: { ...bearer(), prefer: "code=429" } }],
    ["/api/jobs", { headers: { ...bearer(), origin: "http://localhost:5173" } }],
    ["/api/jobs", { method: "OPTIONS", headers: { origin: "http://localhost", "access-control-request-method": "GET" } }],
    ["/mcp/", json({ jsonrpc: "2.0", id: 1, method: "tools/list" })],
    ["/mcp", json({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_observations", arguments: {} } })],
    ["/mcp", { ...json({}), redirect: "manual" }],
    ["/mcp/", { ...json({}), headers: bearer() }],
    ["/.well-known/oauth-protected-resource", {}],
    ["/__mock/worlds/default/clock", {}],
    ["/__mock/worlds/default/clock", { method: "DELETE" }],
    ["/__mock/worlds/default/faults", json({ on: "GET /api/jbs" })],
    ["/__mock/worlds/default/faults", { method: "DELETE" }],
  ])("answers %s %o as the socket does", async (path, init) => {
    const [here, there] = [await near.fetch(path, init), await fetch(far.api_url + path, init)];
    const { connection: _, "keep-alive": __, date, ...headers } = Object.fromEntries(there.headers);
    const { date: ownDate, ...ownHeaders } = Object.fromEntries(here.headers);
    expect(ownHeaders).toEqual(headers);
    expect(typeof ownDate).toBe(typeof date);
    expect([here.status, here.statusText, here.redirected]).toEqual([there.status, there.statusText, there.redirected]);
    expect(here.url).toBe(there.url.replace(far.api_url, near.api_url));
    expect((await here.text()).replaceAll(near.api_url, far.api_url)).toBe(await there.text());
  });

  it("reaches the app and docs hosts at their addresses", async () => {
    const signedIn = await near.fetch(`${near.app_url}/api/jobs`, { headers: { cookie: near.sessions.owner! } });
    expect(signedIn.status).toBe(200);
    const page = await near.fetch(near.docs_url);
    expect(await page.text()).toContain("rapi-doc");
  });

  it("accepts a Request, an address of the real service, and bodies of every kind", async () => {
    const address = "https://api.example.com/api/repos/acme/web/main/jobs";
    const text = JSON.stringify(submission);
    const headers = { ...bearer(), "content-type": "application/json" };
    const stream = () => new Blob([text]).stream();
    const bodies: RequestInit[] = [{ body: text }, { body: Buffer.from(text) }, { body: stream(), duplex: "half" }];
    for (const init of bodies) {
      const response = await near.fetch(new Request(address, { method: "POST", headers, ...init }));
      expect([200, 201]).toContain(response.status);
      expect((await near.fetch(address, { method: "POST", headers, ...init, body: text })).status).toBeLessThan(202);
    }
  });

  it("sends a request without a world to the world of the handle", async () => {
    expect((await world.fetch("/api/jobs")).status).toBe(401);
    expect((await world.fetch("/api/jobs", { headers: bearer(near.keys.full) })).status).toBe(401);
    expect((await world.fetch("/api/jobs", { headers: bearer(world.keys.full) })).status).toBe(200);
    expect(world.journal().map(({ status, role }) => [status, role])).toEqual([
      [401, null],
      [401, null],
      [200, "full"],
    ]);
  });

  it("works with the official MCP client", async () => {
    const client = new Client({ name: "test", version: "1" });
    const options = { fetch: near.fetch, requestInit: { headers: bearer() } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", near.api_url), options) as never);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it("keeps the process alive only while it waits for an answer", async () => {
    const script = `
      const { startMock } = await import(${JSON.stringify(join(packageRoot, "dist/src/index.js"))});
      const mock = await startMock({ listen: false });
      mock.fault({ on: "*", delay: "60ms", bandwidth: 100000 });
      console.log((await (await mock.fetch("/api/jobs")).json()).error.code);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toBe("missing_key\n");
  });
});

describe("a fault of the connection", () => {
  const describeFetch = async (send: typeof fetch, url: string) => {
    const reason = ({ name, message, cause }: Error) => [name, message, (cause as { code?: string }).code];
    try {
      const response = await send(url, { headers: bearer() });
      return [response.status, Object.fromEntries(response.headers), await response.text().catch(reason)];
    } catch (error) {
      return reason(error as Error);
    }
  };

  it.each(["CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE", "MALFORMED_RESPONSE_CHUNK", "RANDOM_DATA_THEN_CLOSE"] as const)(
    "%s is visible to fetch",
    async (socket) => {
      const fault: FaultRequest = { on: "GET /api/jobs", first: 2, socket };
      for (const mock of [near, far]) mock.fault(fault);
      const [here, there] = [await describeFetch(near.fetch, "/api/jobs"), await describeFetch(fetch, `${far.api_url}/api/jobs`)];
      // the parser errors of older clients have no code
      const shown = (what: unknown) => JSON.stringify(what).replace(/"HPE_\w+"/, "null");
      expect(shown(here)).toBe(shown(there));
      for (const mock of [near, far]) mock.removeFaults();
    },
  );

  it("delays the head and trickles the body", async () => {
    world.fault({ on: "*", delay: "40ms", bandwidth: 10_000 });
    const begun = performance.now();
    const response = await world.fetch("/api/jobs?limit=1", { headers: bearer(world.keys.full) });
    const head = performance.now() - begun;
    const { length } = await response.text();
    expect(head).toBeGreaterThan(38);
    expect(performance.now() - begun - head).toBeGreaterThan((length / 10_000) * 1000 - 40);
  });

  it("performs a call whose client has closed the connection", async () => {
    world.fault({ on: "*", delay: "30ms" });
    await expect(world.fetch("/api/jobs", { signal: AbortSignal.timeout(5) })).rejects.toThrow(/timeout/);
    await expect(world.fetch("/api/jobs", { signal: AbortSignal.abort("gone") })).rejects.toBe("gone");
    await expect.poll(() => world.journal().length).toBe(1);
  });

  it("ends a cancelled stream", async () => {
    const response = await near.fetch(`/__mock/worlds/${world.id}/journal/stream`);
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toContain(": the journal");
    await world.fetch("/api/jobs");
    expect(Buffer.from((await reader.read()).value!).toString()).toContain("event: call");
    await reader.cancel();
    await world.fetch("/api/jobs");
  });
});
