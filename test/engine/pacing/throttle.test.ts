import { describe, expect, test } from "vitest";
import type { WireRequest, WireResponse } from "../../../src/engine/http/exchange.js";
import type { RateRules } from "../../../src/engine/pacing/rates.js";
import { openThrottle } from "../../../src/engine/pacing/throttle.js";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { parseTarget, type Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const CLOCK = "clock: { now: { http: GET /now }, advance: { http: POST /move } }";
const WORLDS = "worlds: { create: { http: POST /worlds } }";
const KEYS = "keys: { full: { value: key-full }, slow: { value: key-slow } }";

function target(...lines: string[]): Target {
  const targetResult = parseTarget(
    suite.target,
    "target.yaml",
    ["base_url: http://service.test/v1", KEYS, ...lines].join("\n"),
    {},
  );
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  return targetResult.target;
}

const response: WireResponse = { status: 201, headers: {}, body: new Uint8Array() };

const get = (path: string, key = "key-full"): WireRequest => ({
  method: "GET",
  url: `http://service.test/v1${path}`,
  headers: { authorization: `Bearer ${key}` },
});

/** Returns how many requests a throttle lets through without a wait. */
function throughput(on: Target, request: WireRequest, shard?: { index: number; of: number }): number {
  const throttle = openThrottle(suite, on, shard);
  let sent = 0;
  for (; sent < 1000 && throttle.wait(request) === 0; sent++) throttle.record(request);
  return sent;
}

describe("the throttle", () => {
  test.each([
    ["a list with a bucket", get("/api/repos"), undefined, 48],
    ["a read with the key's budget only", get("/api/jobs"), undefined, 480],
    ["a slow key", get("/api/jobs", "key-slow"), undefined, 4],
    ["a tool call", { ...get("/mcp/"), method: "POST" }, undefined, 48],
    ["the third of four shards", get("/api/repos"), { index: 3, of: 4 }, 12],
    ["one of ten shards and a slow key", get("/api/jobs", "key-slow"), { index: 1, of: 10 }, 1],
    ["a request without a key", { method: "GET", url: "http://service.test/v1/api/repos", headers: {} }, undefined, 1000],
  ])("lets requests through without a wait: %s", (_, request, shard, max) => {
    expect(throughput(target(CLOCK), request, shard)).toBe(max);
  });

  test("never waits where each scenario has its own world and a clock", () => {
    expect(throughput(target(CLOCK, WORLDS), get("/api/repos"))).toBe(1000);
  });

  test("counts each key separately, and measures time by the clock that is moved", () => {
    const throttle = openThrottle(suite, target(CLOCK), undefined);
    for (let n = 0; n < 48; n++) throttle.record(get("/api/repos"));
    expect([throttle.wait(get("/api/repos")), throttle.wait(get("/api/repos", "another"))]).toEqual([60, 0]);
    throttle.advanceClock(59);
    expect(throttle.wait(get("/api/repos"))).toBe(1);
    throttle.advanceClock(1);
    expect(throttle.wait(get("/api/repos"))).toBe(0);
  });

  test("reads the ceiling of a key that an exchange created", () => {
    const throttle = openThrottle(suite, target(CLOCK), undefined);
    const made = { key_id: "k1", key: "a-newly-created-key" };
    throttle.readRates({
      request: { ...get("/api/keys"), method: "POST", body: new TextEncoder().encode('{"requests_per_minute":10}') },
      response: { status: 201, headers: {}, body: new TextEncoder().encode(JSON.stringify(made)) },
      startedAt: 0,
      endedAt: 0,
    });
    for (let n = 0; n < 8; n++) throttle.record(get("/api/jobs", made.key));
    expect(throttle.wait(get("/api/jobs", made.key))).toBe(60);
  });

  test("lets a burst wait for earlier requests of its limit, and for unknown requests from before the run", () => {
    let now = 1000;
    const throttle = openThrottle(suite, target(), undefined, () => now);
    const waits = (...requests: WireRequest[]) => throttle.waitForBurst(requests, 61);
    const keyless: WireRequest = { ...get("/api/repos"), headers: {} };
    expect([waits(get("/api/repos")), waits(keyless)]).toEqual([60, 60]);
    now += 60;
    expect([waits(get("/api/repos")), waits(keyless)]).toEqual([0, 0]);
    throttle.record(get("/api/repos"));
    now += 7; // the response comes seven seconds later
    throttle.readRates({ request: get("/api/repos"), response, startedAt: 0, endedAt: 0 });
    now += 10;
    const otherWireRequests = [get("/api/repos", "another"), get("/api/repos/a/b/c/jobs"), get("/api/jobs"), keyless];
    expect([waits(get("/api/repos")), ...otherWireRequests.map((otherWireRequest) => waits(otherWireRequest))]).toEqual([
      50, 0, 0, 0, 0,
    ]);
    expect(waits(get("/api/jobs"), get("/api/repos"))).toBe(50);
    const spelled = { ...get("/api/repos"), headers: { authorization: "bearer  key-full" } };
    expect(waits(spelled)).toBe(50);
  });

  test("lets a burst wait for room below a limit that it cannot reach", () => {
    let now = 0;
    const throttle = openThrottle(suite, target(), undefined, () => now);
    now += 100;
    for (let n = 0; n < 450; n++) throttle.record(get("/api/jobs"));
    expect([30, 61, 600].map((count) => throttle.waitForBurst([get("/api/repos")], count))).toEqual([0, 60, 60]);
  });

  test("lets a scenario wait before it begins for all its single requests, but not for those of its bursts", () => {
    const yaml = [
      "scenario: many-lists",
      "title: Three lists and a burst",
      "proves: [JOB-RETRY-NEW]",
      "steps:",
      "  - rest: GET /api/repos",
      "    rows: [{ a: 1 }, { a: 2 }, { a: 3 }]",
      "    expect: { status: 200 }",
      "  - burst: { rest: GET /api/repos, n: 200 }",
      "    expect: { first429: { gte: 1 } }",
    ].join("\n");
    const parseResult = parseScenario("many.yaml", yaml, suite);
    if (!parseResult.ok) throw new Error(parseResult.mistakes.join("\n"));
    const demands = parseResult.scenarios.flatMap(({ demands }) => demands);
    expect(demands.map(({ count, burst: burstTask }) => [count, burstTask])).toEqual([...Array(3).fill([1, false]), [200, true]]);
    const throttle = openThrottle(suite, target(CLOCK), undefined);
    const keys = { full: "key-full" };
    const waits: number[] = [];
    for (let n = 0; n < 47; n++) {
      waits.push(throttle.waitForAll(demands, keys));
      throttle.record(get("/api/repos"));
    }
    expect(waits.filter((seconds) => seconds > 0)).toEqual([60]);
  });

  test("uses the buckets and ceilings of the rules", () => {
    const rates: RateRules = {
      bucketsOf: ({ method, tool }, ceiling) => [
        { name: "a reader", rpm: ceiling },
        { name: tool ? "desk" : method, rpm: 10 },
      ],
      ceilingOf: (role) => (role === "slow" ? 5 : 100),
      ceilingsMadeBy: ({ request }) => new Map(request.method === "PUT" ? [["card", 5]] : []),
    };
    const rules = { rates, target: { toolServerPath: "/desk/", selfDescriptionPath: "/about" } };
    const max = (request: WireRequest, throttle = openThrottle(rules, target(CLOCK), undefined)) => {
      let sent = 0;
      for (; sent < 1000 && throttle.wait(request) === 0; sent++) throttle.record(request);
      return sent;
    };
    expect([max(get("/books")), max(get("/books", "key-slow")), max(get("/desk/"))]).toEqual([8, 4, 8]);
    const throttle = openThrottle(rules, target(CLOCK), undefined);
    expect([max(get("/books"), throttle), max({ ...get("/desk/"), method: "POST" }, throttle)]).toEqual([8, 8]);
    throttle.readRates({ request: { ...get("/cards"), method: "PUT" }, response, startedAt: 0, endedAt: 0 });
    expect(max(get("/books", "card"), throttle)).toBe(4);
  });
});
