import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DemoMock, type DemoWorld, type FaultRequest, type MockOptions, startMock } from "../../../src/index.js";
import { HOSTILE, OBEYED } from "../../common/hostile.js";
import { send } from "../client.js";

let mock: DemoMock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

const list = () => send(`GET ${mock.api_url}/api/jobs`, { key: mock.keys.full });

describe("the handle of a world", () => {
  test("restores a snapshot, and later changes are gone", async () => {
    const snapshotBefore = mock.snapshot();
    mock.drive("set-credit", { usd: 0 });
    const submit = () =>
      send(`POST ${mock.api_url}/api/repos/${mock.repos[0]}/jobs`, {
        key: mock.keys.full,
        json: { workflow: "audit", params: {} },
      });
    expect((await submit()).status).toBe(402);
    mock.restore(snapshotBefore);
    expect((await submit()).status).toBe(201);
    mock.restore(snapshotBefore); // the restored snapshot is a copy, so it can be restored again
    expect((await submit()).status).toBe(201);
    expect(() => mock.restore({ ...snapshotBefore, world: { ...snapshotBefore.world, id: "w9" } })).toThrow(/world 'w9'/);
  });

  test("counts calls, shows the most similar ones, and clears them", async () => {
    mock.clearJournal();
    await list();
    expect(mock.verify({ route: "GET /api/jobs", status: 200 }, 1)).toMatchObject({ verified: true, count: 1 });
    const { verified, nearest } = mock.verify({ route: "GET /api/jobs", status: 429 }, 1);
    expect([verified, nearest[0]?.differs]).toEqual([false, ["status"]]);
    mock.clearJournal();
    expect(mock.journal()).toEqual([]);
  });

  test("adds faults, reports what they applied to, and removes them", async () => {
    const fault = mock.fault({ on: "GET /api/jobs", status: 503 });
    mock.fault({ on: "forecast", code: "rate_limit_qps" });
    expect((await list()).status).toBe(503);
    expect(mock.faults()).toMatchObject([{ id: fault.id, hits: 1 }, { on: "get_forecast" }]);
    mock.removeFaults(fault.id);
    expect((await list()).status).toBe(200);
    mock.removeFaults();
    expect(mock.faults()).toEqual([]);
  });

  test("drains a bucket and shows its level", async () => {
    const snapshotBefore = mock.snapshot();
    expect(mock.setBucket({ key: "key_full", bucket: "plan", used: "all" }).used).toBeGreaterThan(0);
    expect((await list()).status).toBe(429);
    expect(Object.keys(mock.buckets().rates.key_full ?? {})).toContain("plan");
    mock.restore(snapshotBefore);
    expect((await list()).status).toBe(200);
  });

  test("returns the time and the next event", () => {
    expect(mock.clock()).toMatchObject({ clock: "frozen" });
    const { now } = mock.advance("30s");
    expect(mock.clock().now).toBe(now);
  });

  test("lists the worlds of the mock", async () => {
    const world = await mock.world();
    expect(mock.worlds()).toEqual(["default", world.id]);
    world.remove();
    expect(mock.worlds()).toEqual(["default"]);
  });
});

test("a function of a deleted world throws", async () => {
  for (const remove of [
    (world: DemoWorld) => world.remove(),
    (world: DemoWorld) => fetch(`${mock.api_url}/__mock/worlds/${world.id}`, { method: "DELETE" }),
  ]) {
    const world = await mock.world();
    await remove(world);
    const functions = Object.entries(world).filter(([name, value]) => typeof value === "function" && name !== "remove");
    expect(functions.length).toBeGreaterThan(15);
    for (const [name, run] of functions)
      await expect.soft((async () => run())(), name).rejects.toThrow(`The world '${world.id}' was deleted.`);
    world.remove();
  }
});

describe("a closed mock", () => {
  const message = "The mock was closed. Start another one.";
  const reading = ["clock", "faults", "journal", "verify", "clientReport", "buckets", "snapshot", "joinedClientReport", "worlds"];

  test.each([true, false])("answers no request and changes nothing, and its history can be read (listen: %s)", async (listen) => {
    const demoMock = await startMock({ clock: "frozen", listen });
    const world = await demoMock.world();
    const client = new Agent().compose(demoMock.interceptor("http://service.test"));
    const byClient = () => request("http://service.test/__mock/health", { dispatcher: client });
    expect((await byClient()).statusCode).toBe(200);
    expect((await world.fetch("/__mock/health")).status).toBe(200);
    await demoMock.close();
    await expect(byClient()).rejects.toThrow(message);
    for (const handle of [demoMock, world]) {
      for (const [name, run] of Object.entries(handle)) {
        if (typeof run !== "function" || ["close", "remove"].includes(name)) continue;
        const call = (async () => run(name === "fetch" ? "/health" : {}, 0))();
        if (reading.includes(name)) await expect.soft(call, name).resolves.toBeDefined();
        else await expect.soft(call, name).rejects.toThrow(message);
      }
    }
  });

  test("an interceptor of a deleted world answers no request", async () => {
    const world = await mock.world();
    const client = new Agent().compose(world.interceptor("http://service.test"));
    world.remove();
    await expect(request("http://service.test/__mock/health", { dispatcher: client })).rejects.toThrow(
      `The world '${world.id}' was deleted.`,
    );
  });
});

describe("a refused value", () => {
  const refusals: [what: string, run: (value: string) => unknown][] = [
    ["an event", (value) => mock.drive(value as "find")],
    ["an argument of an event", (value) => mock.drive("find", { repo: value })],
    ["a duration", (value) => mock.advance(value)],
    ["a fault's id", (value) => mock.removeFaults(value)],
    ["a route", (value) => mock.journal({ route: value })],
    ["a field", (value) => mock.verify({ [value]: 1 }, 1)],
    ["a clock", (value) => mock.setClock(value as "real")],
    ["an option", (value) => mock.world({ [value]: 1 })],
    ["a fixture", (value) => mock.world({ fixture: value })],
    ["a host", (value) => startMock({ host: value })],
    ["a recording", (value) => startMock({ answers: value })],
  ];
  test.each(refusals)("is visible and short in the error: %s", async (_, run) => {
    const long = "x".repeat(100_000);
    for (const [name, value] of Object.entries({ ...HOSTILE, long })) {
      const error = await (async () => run(value))().then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      if (value === long) expect.soft(error, name).toBeInstanceOf(Error);
      expect.soft(OBEYED.exec(error?.message ?? "")?.[0], name).toBeUndefined();
      expect.soft((error?.message ?? "").length, name).toBeLessThan(5000);
    }
  });
});

describe("a misspelled name", () => {
  const mistakes: [what: string, run: () => unknown, description: RegExp][] = [
    // @ts-expect-error there is no such event
    ["of an event", () => mock.drive("finish-jub"), /no event 'finish-jub'; nearest: finish-job/],
    [
      "of an event's argument",
      // @ts-expect-error there is no such argument
      () => mock.drive("suspend", { workspce: "acme" }),
      /'workspce' is not known in the body; nearest: workspace/,
    ],
    ["of an event's value", () => mock.drive("finish-job", { job_id: "j", outcome: "sucess" as "success" }), /nearest: success/],
    // @ts-expect-error there is no such role
    ["of a key", () => mock.keys.fulll, /no key 'fulll'; nearest: full/],
    // @ts-expect-error there is no such role
    ["of a session", () => mock.sessions.ovner, /no session 'ovner'; nearest: owner/],
    [
      "of a route",
      () => mock.fault({ on: "GET /api/job", status: 500 }),
      /no route or tool 'GET \/api\/job'; nearest: GET \/api\/jobs/,
    ],
    ["of a fault's field", () => mock.fault({ on: "GET /api/jobs", sttaus: 500 } as FaultRequest), /nearest: status/],
    // @ts-expect-error there is no such mode
    ["of a clock's mode", () => mock.setClock("frozn"), /nearest: frozen/],
    // @ts-expect-error there is no such field
    ["of a match", () => mock.journal({ satus: 200 }), /'satus' is not known in the body; nearest: status/],
    ["of a bucket", () => mock.setBucket({ key: "key_full", bucket: "pln", used: 1 }), /nearest: plan/],
    ["of a bucket's key", () => mock.setBucket({ key: "key_ful", bucket: "plan", used: 1 }), /nearest: key_full/],
    ["of a fault's id", () => mock.removeFaults("fault_9"), /no fault 'fault_9'/],
  ];
  test.each(mistakes)("%s is refused with the closest name", (_, run, description) => expect(run).toThrow(description));

  const options: [what: string, options: object, description: RegExp][] = [
    ["a mode", { clock: "frozn" }, /clock: "frozn" is not valid; nearest: frozen. Use "real", "frozen", "30x"/],
    ["a plan", { plan: "payed" }, /plan: "payed" is not valid; nearest: paid/],
    ["limits", { limits: "of" }, /limits: "of" is not valid; nearest: off/],
    ["an option", { clok: "frozen" }, /no option 'clok'; nearest: clock/],
    ["a switch", { options: { rate_windw: "fixed" } }, /no option 'options.rate_windw'; nearest: rate_window/],
    [
      "the value of a switch",
      { options: { rate_window: "slding" } },
      /options.rate_window: "slding" is not valid; nearest: sliding/,
    ],
    ["an option of the tool server", { mcp: { sesions: true } }, /no option 'mcp.sesions'; nearest: sessions/],
    ["a tool to rename", { mcp: { names: { get_forcast: "x" } } }, /no tool 'get_forcast' to rename; nearest: forecast/],
    ["a fixture", { fixture: "dmo" }, /no fixture 'dmo'; nearest: demo/],
  ];
  test.each(options)("%s is refused before a mock starts", async (_, given, description) => {
    await expect(startMock(given as MockOptions)).rejects.toThrow(description);
  });
  test("is reported for a world too", async () => {
    await expect(mock.world({ port: 1 } as object)).rejects.toThrow(/no option 'port'/);
  });

  test("is not reported when a value is printed, compared, copied or sent", async () => {
    expect(mock.keys).toEqual({ ...mock.keys });
    expect(JSON.parse(JSON.stringify(mock.keys))).toEqual(mock.keys);
    expect(await Promise.resolve(mock.keys)).toBe(mock.keys);
    expect(`${mock.keys}`).toBe("[object Object]");
  });
});

describe("arguments of a wrong type", () => {
  const wrong = [Number.NaN, -1, [], {}, null, Symbol("x"), () => 1, Object.create(null), new Date(0), 1n];
  const ways: Record<string, (value: never) => unknown> = {
    drive: (value) => mock.drive(value),
    removeFaults: (value) => mock.removeFaults(value),
    rewind: (value) => mock.rewind(value),
    intercept: (value) => mock.intercept(value),
    "intercept with others": (value) => mock.intercept("https://api.example.com", { others: value }),
    interceptor: (value) => mock.interceptor(value),
    "interceptor with others": (value) => mock.interceptor("https://api.example.com", { others: value }),
    advance: (value) => mock.advance(value),
    setClock: (value) => mock.setClock(value),
    fault: (value) => mock.fault(value),
    verify: (value) => mock.verify(value),
    setBucket: (value) => mock.setBucket(value),
  };
  const rows = Object.keys(ways).flatMap((way) => wrong.map((value) => ({ way, value })));
  test.each(rows)("$way refuses $value in a sentence", async ({ way, value }) => {
    const error: unknown = await (async () => ways[way]?.(value as never))().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).name).toBe("Error");
    expect((error as Error).message).toMatch(/[.]$/);
  });

  test.each(["abc", "", "mailto:a@b.test", "//api.example.com"])("intercept refuses the address '%s'", (url) => {
    expect(() => mock.intercept(url)).toThrow("Use an http or https address");
  });
});
