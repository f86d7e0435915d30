import { request as open } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { countSessions, maxSessions, openSession, useSession } from "../../../src/mock/worlds/tool-sessions.js";
import { demoWorld } from "../../service/world.js";
import { send } from "../client.js";
import { initialize, post, request } from "../mcp/messages.js";

const list = request("tools/list");
let mock: Mock;

beforeEach(async () => {
  mock = await startMock({ clock: "frozen", mcp: { sessions: true, sse: true } });
});
afterEach(() => mock.close());

async function begin(key = mock.keys.full): Promise<string> {
  return (await post(mock.mcp_url, key, initialize())).headers["mcp-session-id"] as string;
}

const within = (id: string) => ({ headers: { "mcp-session-id": id } });

/** Opens the standing stream; `ended` settles when it is over. */
function listen(
  id: string,
  key = mock.keys.full,
): Promise<{ status: number; type: string | undefined; ended: Promise<void>; drop(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", "mcp-session-id": id };
    const asked = open(mock.mcp_url, { headers }, (response) => {
      const ended = new Promise<void>((end) =>
        response
          .on("close", end)
          .on("error", () => {})
          .resume(),
      );
      resolve({ status: response.statusCode!, type: response.headers["content-type"], ended, drop: () => void asked.destroy() });
    });
    asked.on("error", reject).end();
  });
}

describe("a session", () => {
  test("starts with the handshake, is required afterwards, and ends when its client ends it", async () => {
    const id = await begin();
    expect(id).toMatch(/^[\x21-\x7e]{16,}$/);
    expect((await post(mock.mcp_url, mock.keys.full, list, within(id))).status).toBe(200);
    expect((await send(`DELETE ${mock.mcp_url}`, { key: mock.keys.full, ...within(id) })).status).toBe(200);
    expect((await post(mock.mcp_url, mock.keys.full, list, within(id))).status).toBe(404);
    expect((await send(`DELETE ${mock.mcp_url}`, { key: mock.keys.full, ...within(id) })).status).toBe(404);
  });

  test.each([
    ["none", {}, 400],
    ["an unknown one", within("made-up"), 404],
    ["one of another form", within("__proto__"), 404],
  ])("is required: %s is refused", async (_, more, status) => {
    await begin();
    expect(await post(mock.mcp_url, mock.keys.full, list, more)).toMatchObject({ status, json: { jsonrpc: "2.0", id: null } });
  });

  test("belongs to its key only", async () => {
    const id = await begin();
    expect((await post(mock.mcp_url, mock.keys.viewer, list, within(id))).status).toBe(404);
    expect((await post(mock.mcp_url, mock.keys.full, list, within(id))).status).toBe(200);
  });

  test("belongs to its world only", async () => {
    const otherIsolatedWorld = await mock.world();
    const id = await begin();
    expect((await post(mock.mcp_url, otherIsolatedWorld.keys.full, list, within(id))).status).toBe(404);
  });

  test("does not start if the handshake fails", async () => {
    expect((await post(mock.mcp_url, mock.keys.full, request("initialize"))).headers["mcp-session-id"]).toBeUndefined();
  });

  test("ends after a day of the world's clock without use", async () => {
    const [used, unused] = [await begin(), await begin()];
    mock.advance("23h");
    expect((await post(mock.mcp_url, mock.keys.full, list, within(used))).status).toBe(200);
    mock.advance("1h");
    expect((await post(mock.mcp_url, mock.keys.full, list, within(used))).status).toBe(200);
    expect((await post(mock.mcp_url, mock.keys.full, list, within(unused))).status).toBe(404);
  });

  test("ends when its world starts again", async () => {
    const id = await begin();
    mock.reset();
    expect((await post(mock.mcp_url, mock.keys.full, list, within(id))).status).toBe(404);
  });
});

describe("the sessions of a world", () => {
  test("are limited: the one unused for longest ends", () => {
    const world = demoWorld();
    const ids = Array.from({ length: maxSessions }, () => openSession(world, "key_full").id);
    useSession(world, ids[0]!, "key_full");
    openSession(world, "key_full");
    expect(countSessions(world)).toBe(maxSessions);
    expect([ids[0]!, ids[1]!].map((id) => useSession(world, id, "key_full") !== null)).toEqual([true, false]);
  });

  test("that have ended do not count", () => {
    const world = demoWorld();
    for (let i = 0; i < 10; i++) openSession(world, "key_full");
    world.now += 86_400_000;
    openSession(world, "key_full");
    expect(countSessions(world)).toBe(1);
  });
});

describe("a session's standing stream", () => {
  test("stays open, once, and ends with the session", async () => {
    const id = await begin();
    const stream = await listen(id);
    expect(stream).toMatchObject({ status: 200, type: "text/event-stream" });
    expect((await listen(id)).status).toBe(409);
    await send(`DELETE ${mock.mcp_url}`, { key: mock.keys.full, ...within(id) });
    await stream.ended;
  });

  test("can be opened again by a client that dropped it", async () => {
    const id = await begin();
    const stream = await listen(id);
    stream.drop();
    await stream.ended;
    await expect.poll(async () => (await listen(id)).status).toBe(200);
  });

  test.each([
    ["without a session", { accept: "text/event-stream" }, 400],
    ["with an unknown session", { accept: "text/event-stream", "mcp-session-id": "made-up" }, 404],
    ["for a client that accepts no streams", { accept: "application/json" }, 406],
    ["for an unknown revision", { accept: "text/event-stream", "mcp-protocol-version": "2099-01-01" }, 400],
  ])("is refused %s", async (_, headers, status) => {
    expect((await send(`GET ${mock.mcp_url}`, { key: mock.keys.full, headers })).status).toBe(status);
  });

  test("other methods are refused with the allowed ones", async () => {
    expect(await send(`PUT ${mock.mcp_url}`, { key: mock.keys.full })).toMatchObject({
      status: 405,
      headers: { allow: "POST, DELETE, GET" },
    });
  });
});
