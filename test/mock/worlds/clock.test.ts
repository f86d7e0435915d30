import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import type { Skip } from "../../../src/mock/worlds/clock.js";
import { send } from "../client.js";
import { post, toolCall } from "../mcp/messages.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

const drained = async (skip: Skip): Promise<IsolatedWorld> => {
  const world = await mock.world({ skip });
  await send(`PUT ${mock.control_url}/worlds/${world.id}/buckets`, { json: { key: "key_full", bucket: "plan", used: "all" } });
  return world;
};
const get = (world: IsolatedWorld) => send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full });
const clock = async (world: IsolatedWorld) => (await send(`GET ${mock.control_url}/worlds/${world.id}/clock`)).json;

describe("a client that gets Retry-After", () => {
  it("waits for ever on a frozen clock without a skip", async () => {
    const world = await drained("off");
    expect([(await get(world)).status, (await get(world)).status]).toEqual([429, 429]);
    expect((await clock(world)).now).toBe("2026-01-05T09:00:00.000Z");
  });

  it("passes at once if the wait is skipped, at the named time", async () => {
    const world = await drained("at-once");
    const clientResponse = await get(world);
    expect([clientResponse.status, clientResponse.headers["retry-after"], clientResponse.headers.date]).toEqual([
      429,
      "60",
      "Mon, 05 Jan 2026 09:00:00 GMT",
    ]);
    expect((await clock(world)).now).toBe("2026-01-05T09:01:00.000Z");
    expect((await get(world)).status).toBe(200);
  });

  it("passes after it waited its part of the time, not before, and the clock is at that time again", async () => {
    const world = await drained("100x");
    expect((await get(world)).status).toBe(429);
    await sleep(630);
    expect((await get(world)).status).toBe(200);
    expect((await clock(world)).now).toBe("2026-01-05T09:01:00.000Z");
    await sleep(20);
    expect((await clock(world)).now).toBe("2026-01-05T09:01:00.000Z");
  });

  it("does not pass if the client waits less", async () => {
    const world = await drained("1x");
    expect([(await get(world)).status, (await get(world)).status]).toEqual([429, 429]);
    expect(Date.parse((await clock(world)).now)).toBeLessThan(Date.parse("2026-01-05T09:00:30Z"));
  });

  it("gets it from a tool error or a fault too", async () => {
    const world = await mock.world({ skip: "at-once" });
    world.fault({ on: "*", code: "rate_limit_qps", retry_after: 30 });
    await get(world);
    await post(mock.mcp_url, world.keys.full, toolCall("list_repositories"));
    expect((await clock(world)).now).toBe("2026-01-05T09:01:00.000Z");
  });

  it("sees the events that are due during the wait", async () => {
    const world = await mock.world({ skip: "at-once" });
    const line = `POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`;
    const { json: job } = await send(line, { key: world.keys.full, json: { workflow: "audit", params: {} } });
    await send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full, headers: { prefer: "code=503, retry-after=7200" } });
    expect((await send(`GET ${mock.api_url}/api/jobs/${job.id}`, { key: world.keys.full })).json.status).toBe("completed");
  });

  it("cannot wait beyond the last date", async () => {
    const world = await mock.world({ skip: "at-once" });
    world.fault({ on: "*", code: "rate_limit_qps", retry_after: 999_999_999_999 });
    await get(world);
    expect((await clock(world)).now).toBe("9999-12-31T00:00:00.000Z");
  });
});

describe("the clock of a world", () => {
  it("is set in the configuration and later, one field at a time, and is shown", async () => {
    const response = await send(`POST ${mock.control_url}/worlds`, { json: { clock: "frozen", skip: "60x", work: "polls:2" } });
    const path = `${mock.control_url}/worlds/${response.json.id}/clock`;
    expect((await send(`GET ${path}`)).json).toMatchObject({ clock: "frozen", skip: "60x", work: "polls:2" });
    const set = await send(`POST ${path}`, { json: { skip: "at-once" } });
    expect(set.json).toMatchObject({ clock: "frozen", skip: "at-once", work: "polls:2" });
    expect((await send(`POST ${path}`, { json: { work: "at-once", clock: "real" } })).json).toMatchObject({
      clock: "real",
      skip: "at-once",
      work: "at-once",
    });
  });

  it("has its configured setting after a reset, and its current one after a snapshot", async () => {
    const world = await mock.world({ skip: "at-once", work: "at-once" });
    const here = `${mock.control_url}/worlds/${world.id}`;
    await send(`POST ${here}/clock`, { json: { skip: "5x" } });
    await send(`PUT ${here}/snapshot`, { json: (await send(`GET ${here}/snapshot`)).json });
    expect(await clock(world)).toMatchObject({ skip: "5x", work: "at-once" });
    world.reset();
    expect(await clock(world)).toMatchObject({ skip: "at-once", work: "at-once" });
  });

  it.each<[string, object, string, string]>([
    ["/clock", {}, "", "clock"],
    ["/clock", { skip: "soon" }, "skip", "at-once"],
    ["/clock", { skip: "0x" }, "skip", "at-once"],
    ["/clock", { work: "polls:0" }, "work", "polls:3"],
    ["/clock", { clock: "real", speed: 2 }, "speed", "skip"],
  ])("refuses %s %o, and names the field and what is allowed", async (path, json, field, allowed) => {
    const world = await mock.world();
    const clientResponse = await send(`POST ${mock.control_url}/worlds/${world.id}${path}`, { json });
    expect(clientResponse).toMatchObject({ status: 400, json: { field, allowed: expect.arrayContaining([allowed]) } });
    expect(await clock(world)).toMatchObject({ clock: "frozen", skip: "off", work: "time" });
  });
});
