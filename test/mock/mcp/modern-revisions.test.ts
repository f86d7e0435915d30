import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";
import { send } from "../client.js";
import { getMessage, initialize, metadata, post, postModern, request, toolCall } from "./messages.js";

const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "counterpart-mock", version: expect.any(String) } };

let mock: Mock;
beforeEach(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterEach(() => mock.close());

const ask = (method: string, params?: object, headers?: Record<string, string | undefined>) =>
  postModern(mock.mcp_url, mock.keys.full, method, params, headers);
const callTool = (name: string, given: object = {}) => ask("tools/call", { name, arguments: given });
const last = () => mock.journal().at(-1)!;

describe("a client without a handshake", () => {
  test("discovers the server", async () => {
    expect(await ask("server/discover")).toMatchObject({
      status: 200,
      json: {
        jsonrpc: "2.0",
        id: 7,
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {}, prompts: {} },
          instructions: expect.any(String),
          ttlMs: 0,
          cacheScope: "public",
          _meta: serverInfo,
        },
      },
    });
  });

  test("lists the tools and prompts that a legacy client lists, with caching hints", async () => {
    for (const method of ["tools/list", "prompts/list"]) {
      const { result } = (await post(mock.mcp_url, mock.keys.full, request(method))).json;
      const hints = { resultType: "complete", ttlMs: 0, cacheScope: "public", _meta: serverInfo };
      expect((await ask(method)).json.result).toEqual({ ...result, ...hints });
    }
  });

  test("gets the same results as a legacy client, with their type", async () => {
    const given = { priority: "P0", limit: 2 };
    const { result } = (await post(mock.mcp_url, mock.keys.full, toolCall("list_observations", given))).json;
    const extra = { resultType: "complete", _meta: serverInfo };
    expect((await callTool("list_observations", given)).json.result).toEqual({ ...result, ...extra });
    const prompt = await ask("prompts/get", { name: "triage_new_findings", arguments: { org: "a", repo: "b", branch: "c" } });
    expect(prompt.json.result).toMatchObject({ messages: [{ role: "user" }], ...extra });
  });

  test("changes what REST returns, and gets a refusal of the service in a tool error", async () => {
    await callTool("acknowledge_observation", { ref: "SERVICE-3" });
    const clientResponse = await send(`GET ${mock.api_url}/api/observations/SERVICE-3`, { key: mock.keys.full });
    expect(clientResponse.json.acknowledged_at).toBe("2026-01-05T09:00:00.000Z");
    expect(last()).toMatchObject({ status: 200, changes: [] });
    expect(mock.journal({ route: "acknowledge_observation" })).toMatchObject([{ changes: [{ id: "SERVICE-3" }], reason: null }]);
    expect((await callTool("explain_observation", { ref: "SERVICE-0" })).json.result).toMatchObject({
      resultType: "complete",
      isError: true,
      structuredContent: { error: { code: "not_found" } },
    });
  });

  test.each(["initialize", "ping", "logging/setLevel", "subscriptions/listen", "toString"])(
    "gets a 404 for the method %s, which the revision or the server does not have",
    async (method) => {
      expect(await ask(method)).toMatchObject({ status: 404, json: { id: 7, error: { code: -32601 } } });
      expect(last()).toMatchObject({ route: method, status: 404, reason: `There is no method ${method}.` });
    },
  );

  test("gets errors of parameters with status 200", async () => {
    const missing = { name: "triage_new_findings", arguments: {} };
    for (const response of [
      await callTool("no_such_tool"),
      await ask("prompts/get", missing),
      await ask("tools/list", { cursor: "x" }),
    ])
      expect(response).toMatchObject({ status: 200, json: { id: 7, error: { code: -32602 } } });
  });

  test("is refused without a valid key", async () => {
    const response = await postModern(mock.mcp_url, "mock_nobody", "server/discover");
    expect(response).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  });

  test("may send a notification, which changes nothing", async () => {
    const headers = { "mcp-protocol-version": "2026-07-28" };
    const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect(await post(mock.mcp_url, mock.keys.full, notification, { headers })).toMatchObject({ status: 202, text: "" });
  });
});

describe("the features of the mock apply to a client without a handshake", () => {
  test("faults", async () => {
    mock.fault({ on: "list_guides", nth: 1, code: "service_unavailable" });
    expect((await callTool("list_guides")).json.result).toMatchObject({
      resultType: "complete",
      isError: true,
      structuredContent: { error: { code: "service_unavailable" } },
    });
    expect(last()).toMatchObject({ route: "list_guides", status: 503, fault: "fault_1" });
    mock.fault({ on: "list_guides", nth: 1, socket: "CONNECTION_RESET_BY_PEER" });
    await expect(callTool("list_guides")).rejects.toThrow();
  });

  test("preferences", async () => {
    const response = await ask("tools/call", { name: "list_guides" }, { prefer: "error=not_found" });
    expect(response).toMatchObject({ headers: { "preference-applied": expect.stringContaining("not_found") } });
    expect(response.json.result).toMatchObject({ resultType: "complete", isError: true });
  });

  test("rate buckets, which both families share", async () => {
    const json = { key: "key_full", bucket: "mcp", used: 58 };
    await send(`PUT ${mock.control_url}/worlds/default/buckets`, { json });
    expect((await ask("server/discover")).status).toBe(200);
    expect((await post(mock.mcp_url, mock.keys.full, request("ping"))).status).toBe(200);
    expect(await ask("tools/list")).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
    expect((await callTool("list_guides")).json.result).toMatchObject({ resultType: "complete", isError: true });
  });

  test("variations: pages of lists, and event streams for successes alone", async () => {
    const world = await mock.world({ variations: ["tool-lists", "tool-events"] });
    const get = (method: string, params: object) => postModern(mock.mcp_url, world.keys.full, method, params);
    const names = new Set<string>();
    for (let cursor: string | undefined; names.size === 0 || cursor !== undefined; ) {
      const { result } = getMessage(await get("tools/list", cursor === undefined ? {} : { cursor }));
      expect(result).toMatchObject({ resultType: "complete", cacheScope: "public", ttlMs: 0 });
      for (const { name } of result.tools) names.add(name);
      cursor = result.nextCursor;
    }
    expect(names.size).toBeGreaterThan(30);
    expect(await get("ping", {})).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
  });

  test("the clock, worlds and fetch in the process", async () => {
    const world = await mock.world();
    const submission = { owner: "acme", repo: "api", branch: "main", workflow: "audit", force: true };
    const sentClientResponse = await postModern(world.mcp_url, world.keys.full, "tools/call", {
      name: "submit_job",
      arguments: submission,
    });
    const { id } = sentClientResponse.json.result.structuredContent;
    world.advance({ until: "idle" });
    const params = { _meta: metadata, name: "get_job_status", arguments: { job_id: id } };
    const response = await mock.fetch(world.mcp_url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.keys.full}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "get_job_status",
      },
      body: JSON.stringify(request("tools/call", params)),
    });
    expect(await response.json()).toMatchObject({ result: { structuredContent: { id, status: "completed" } } });
  });
});

describe("clients of both families on one address", () => {
  test("get the answers of their family, and the journal says that a session id is ignored", async () => {
    const otherDemoMock = await startMock({ clock: "frozen", mcp: { sessions: true, sse: true } });
    const clientResponse = await post(otherDemoMock.mcp_url, otherDemoMock.keys.full, initialize());
    const session = { "mcp-session-id": String(clientResponse.headers["mcp-session-id"]) };
    const modern = await postModern(otherDemoMock.mcp_url, otherDemoMock.keys.full, "tools/list", {}, session);
    expect(getMessage(modern).result.resultType).toBe("complete");
    expect(modern.headers["mcp-session-id"]).toBeUndefined();
    expect(otherDemoMock.journal().at(-1)!.reason).toBe(
      "The header Mcp-Session-Id is ignored: this protocol revision has no sessions.",
    );
    const legacy = await post(otherDemoMock.mcp_url, otherDemoMock.keys.full, request("tools/list"), { headers: session });
    expect(getMessage(legacy).result.resultType).toBeUndefined();
    expect(otherDemoMock.journal().at(-1)!.reason).toBeNull();
    for (const method of ["GET", "DELETE"]) {
      const headers = { ...session, accept: "text/event-stream", "mcp-protocol-version": "2026-07-28" };
      expect((await send(`${method} ${otherDemoMock.mcp_url}`, { key: otherDemoMock.keys.full, headers })).status).toBe(405);
    }
    expect((await send(`DELETE ${otherDemoMock.mcp_url}`, { key: otherDemoMock.keys.full, headers: session })).status).toBe(200);
    await otherDemoMock.close();
  });

  test("a handshake that asks for the newest revision agrees on the newest legacy one", async () => {
    const { json } = await post(mock.mcp_url, mock.keys.full, initialize("2026-07-28"));
    expect(json.result.protocolVersion).toBe("2025-11-25");
  });
});

describe("a mock of one family", () => {
  let modern: Mock;
  let legacy: Mock;
  beforeAll(async () => {
    modern = await startMock({ clock: "frozen", mcp: { sessions: true, sse: false, revisions: ["2026-07-28"] } });
    legacy = await startMock({ clock: "frozen", mcp: { revisions: ["2025-06-18", "2025-03-26"] } });
  });
  afterAll(() => Promise.all([modern.close(), legacy.close()]));

  test.each<[what: string, message: object, headers: Record<string, string>, code: number, data: object | undefined]>([
    ["a handshake", initialize("2025-11-25"), {}, -32022, { supported: ["2026-07-28"], requested: "2025-11-25" }],
    ["a handshake without a version", request("initialize", {}), {}, -32020, undefined],
    ["a request without headers", request("tools/list"), {}, -32020, undefined],
    [
      "a request of an old revision",
      request("tools/list"),
      { "mcp-protocol-version": "2025-06-18" },
      -32022,
      { supported: ["2026-07-28"], requested: "2025-06-18" },
    ],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, {}, -32600, undefined],
  ])("without a handshake refuses %s, and names its revision", async (_, message, headers, code, data) => {
    const { status, json } = await post(modern.mcp_url, modern.keys.full, message, { headers });
    expect({ status, error: json.error }).toEqual({
      status: 400,
      error: { code, message: expect.any(String), ...(data && { data }) },
    });
    if (code !== -32600) expect(json.error.message).toContain("2026-07-28");
    expect(modern.journal().at(-1)!.reason).toBe(json.error.message);
  });

  test.each(["GET", "DELETE"])("without a handshake does not have %s", async (method) => {
    const response = await send(`${method} ${modern.mcp_url}`, {
      key: modern.keys.full,
      headers: { accept: "text/event-stream" },
    });
    expect(response).toMatchObject({ status: 405, headers: { allow: "POST" } });
  });

  test("with a handshake accepts its revisions only, and refuses the newest as an old server does", async () => {
    const agree = async (version: string) =>
      (await post(legacy.mcp_url, legacy.keys.full, initialize(version))).json.result.protocolVersion;
    expect(await agree("2025-03-26")).toBe("2025-03-26");
    expect(await agree("2025-11-25")).toBe("2025-06-18");
    const clientResponse = await postModern(legacy.mcp_url, legacy.keys.full, "server/discover");
    expect(clientResponse).toMatchObject({ status: 400, json: { id: null, error: { code: -32000 } } });
    expect(clientResponse.json.error.message).toBe("Unsupported protocol version; this server supports 2025-06-18, 2025-03-26.");
  });
});
