import { Agent, request, fetch as undiciFetch } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Interception } from "../../../src/mock/in-process/interception.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";

const real = "https://api.example.com";
let mock: Mock;
let world: IsolatedWorld;
let interception: Interception;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen", listen: false });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});
afterEach(() => interception?.restore());

const bearer = () => ({ authorization: `Bearer ${world.keys.full}` });
const submission = () => ({
  method: "POST" as const,
  headers: { ...bearer(), "content-type": "application/json" },
  body: JSON.stringify({ workflow: "audit", params: {} }),
});
const jobs = () => `${real}/api/repos/${world.repos[0]}/jobs`;
const unreachable = expect.objectContaining({ code: "ENOTFOUND" });

describe("during interception", () => {
  beforeEach(() => {
    interception = world.intercept(real);
  });

  it.each([
    [
      "node's fetch",
      (url: string, init: object) => fetch(url, init).then(async (response) => [response.status, await response.json()]),
    ],
    [
      "undici's fetch",
      (url: string, init: object) => undiciFetch(url, init).then(async (response) => [response.status, await response.json()]),
    ],
    [
      "undici's request",
      (url: string, init: object) =>
        request(url, init).then(async (response) => [response.statusCode, await response.body.json()]),
    ],
  ])("the mock answers %s", async (_, send) => {
    expect(await send(jobs(), submission())).toEqual([201, expect.objectContaining({ status: "pending" })]);
    expect(await send(`${real}/api/jobs`, {})).toEqual([401, expect.anything()]);
    expect(world.journal().map(({ status }) => status)).toEqual([201, 401]);
  });

  it("the mock answers its own addresses too, and redirects are followed", async () => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { ...submission().headers, accept: "application/json, text/event-stream" };
    const response = await fetch(`${mock.api_url}/mcp`, { method: "POST", headers, body: message });
    expect([response.status, response.url]).toEqual([200, `${mock.api_url}/mcp/`]);
  });

  it("a fault breaks the connection", async () => {
    world.fault({ on: "*", first: 2, socket: "CONNECTION_RESET_BY_PEER" });
    await expect(fetch(jobs(), submission())).rejects.toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
    await expect(request(jobs(), submission())).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("a client may abort a wait", async () => {
    world.fault({ on: "*", delay: "100ms" });
    for (const send of [fetch, undiciFetch, request])
      await expect(send(jobs(), { signal: AbortSignal.timeout(5) })).rejects.toThrow(/timeout/);
  });

  it("other addresses are requested as usual, and this one too after the end", async () => {
    await expect(fetch("https://other.invalid/")).rejects.toMatchObject({ cause: unreachable });
    interception.restore();
    await expect(fetch("https://real.invalid/")).rejects.toMatchObject({ cause: unreachable });
  });
});

describe("an interception", () => {
  it("ends with its world or with the mock, in any order", async () => {
    const otherMock = await startMock({ listen: false });
    const address = "https://real.invalid";
    world.intercept(address);
    otherMock.intercept(address);
    expect((await fetch(`${address}/api/jobs`)).status).toBe(401);
    world.remove();
    expect((await fetch(`${address}/api/jobs`)).status).toBe(401);
    await otherMock.close();
    await expect(fetch(`${address}/api/jobs`)).rejects.toMatchObject({ cause: unreachable });
  });

  it("refuses other addresses if it is set to", async () => {
    interception = world.intercept(real, { others: "refuse" });
    const refusal =
      "A request to https://other.invalid was refused: only requests to https://api.example.com are allowed, and a mock answers them.";
    await expect(request("https://other.invalid/")).rejects.toThrow(refusal);
    await expect(fetch("https://other.invalid/")).rejects.toMatchObject({ cause: new Error(refusal) });
  });
});

it("an interceptor serves one dispatcher only", async () => {
  const dispatcher = new Agent().compose(world.interceptor(real));
  const { statusCode, headers, body } = await request(jobs(), { ...submission(), dispatcher, query: { unknown: "1" } });
  expect([statusCode, headers["content-type"]]).toEqual([201, "application/json; charset=utf-8"]);
  expect(await body.json()).toMatchObject({ workflow: "audit" });
  expect(world.journal().at(-1)?.unread).toEqual(["query.unknown"]);
  await expect(request("https://real.invalid/", { dispatcher })).rejects.toMatchObject({ code: "ENOTFOUND" });
});
