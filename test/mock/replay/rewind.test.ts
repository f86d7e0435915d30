import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { isFull, minKept, push } from "../../../src/mock/worlds/log/append.js";
import { openLog } from "../../../src/mock/worlds/log/log.js";
import { send } from "../client.js";
import { mixedTraffic } from "./mixed-traffic.js";

let mock: Mock;
let world: IsolatedWorld;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});

const at = (path: string) => `${mock.control_url}/worlds/${world.id}${path}`;
const get = (path: string) => send(`GET ${mock.api_url}${path}`, { key: world.keys.full });
const numberOfLast = async () => (await send(`GET ${at("/log")}`)).json.total as number;

describe("POST …/rewind", () => {
  test("takes a world and its journal back to before any entry of its log", async () => {
    await mixedTraffic(mock, world);
    world.setClock({ clock: "frozen", skip: "off" });
    const states: { number: number; state: unknown; calls: unknown }[] = [];
    const look = async () =>
      states.push({
        number: (await numberOfLast()) + 1,
        state: world.snapshot(),
        calls: world.journal().map(({ request }) => request),
      });
    await look();
    for (const path of ["/api/repos", "/api/jobs", "/api/observations?limit=1"]) {
      await get(path);
      await look();
      world.advance("31s");
      await look();
      world.drive("seed-observations", { repo: world.repos[0]!, count: 3 });
      await look();
    }
    for (const { number, state, calls } of states.reverse()) {
      const { status, json } = await send(`POST ${at("/rewind")}`, { json: { to: number } });
      expect(status).toBe(200);
      expect(json.entries).toBe(number - 1);
      expect(world.snapshot()).toEqual(state);
      expect(world.journal().map(({ request }) => request)).toEqual(calls);
    }
  });

  test("replays the log from the world's configuration: every step of a session back to the first", async () => {
    await mixedTraffic(mock, world);
    const total = await numberOfLast();
    const first = (await mock.world()).snapshot().world;
    for (const to of [total, Math.ceil(total / 2), 5, 1]) await world.rewind(to);
    const { world: state } = world.snapshot();
    expect(Object.keys(state.jobs)).toEqual(Object.keys(first.jobs));
    expect(state.random).toBe(first.random);
    expect(world.journal()).toEqual([]);
    await get("/api/repos");
    expect(await numberOfLast()).toBe(1);
  });

  test("lets the world continue as if the removed calls had never been", async () => {
    await get("/api/repos");
    world.drive("suspend");
    expect((await get("/api/repos")).status).toBe(401);
    await world.rewind(2);
    const { status, headers } = await get("/api/repos");
    expect([status, headers["x-request-id"]]).toEqual([200, "req_00000002"]);
    expect(world.journal().map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [2, 200],
    ]);
  });

  test("ends calls that a fault delays", async () => {
    world.fault({ on: "*", delay: "80ms" });
    const lost = get("/api/repos").then(
      () => "answered",
      () => "cut off",
    );
    while ((await numberOfLast()) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await world.rewind(1);
    expect(await lost).toBe("cut off");
    expect(world.journal()).toEqual([]);
  });

  test.each([
    [{ to: 3 }, 400, "to"],
    [{ to: 0 }, 400, "to"],
    [{ to: "1" }, 400, "to"],
    [{}, 400, "to"],
  ])("refuses %j", async (json, status, field) => {
    await get("/api/repos");
    const snapshotBefore = world.snapshot();
    const clientResponse = await send(`POST ${at("/rewind")}`, { json });
    expect([clientResponse.status, clientResponse.json.field]).toEqual([status, field]);
    expect(world.snapshot()).toEqual(snapshotBefore);
  });

  test("goes back to the start of the log, and reports where that is", async () => {
    for (let i = 0; i < 2 * minKept + 1; i++) world.clearJournal();
    const { json } = await send(`GET ${at("/log")}?limit=1`);
    expect(json).toMatchObject({ total: 2 * minKept + 1, oldest: minKept + 1 });
    const clientResponse = await send(`POST ${at("/rewind")}`, { json: { to: minKept } });
    expect(clientResponse.json.detail).toContain(`oldest entry in the log is ${minKept + 1}`);
    expect((await world.rewind(minKept + 1)).entries).toBe(minKept);
  });
});

test("a log copies a large world after as many calls as it has rows, and a small one after the minimum", () => {
  const log = openLog({ wall: 0 }, {});
  for (let number = 1; number <= minKept; number++) push(log, { number, at: 0, refused: "outside" }, 0);
  const holding = (rows: number) => ({ serials: { job_row: rows, observation: 0 } }) as never;
  expect([holding(10), holding(minKept), holding(minKept + 1)].map((world) => isFull(log, world))).toEqual([true, true, false]);
});
