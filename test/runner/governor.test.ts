import { describe, expect, test } from "vitest";
import { openGovernor } from "../../src/runner/governor.js";
import { demandsOf } from "../../src/runner/play/demand.js";
import { parseScenario } from "../../src/runner/scenario/parse.js";
import { ledger } from "../../src/runner/suite.js";
import { parseTarget, type Target } from "../../src/runner/target/target.js";
import type { WireRequest } from "../../src/runner/wire/exchange.js";

const CLOCK = "clock: { now: { http: GET /now }, advance: { http: POST /move } }";
const WORLDS = "worlds: { create: { http: POST /worlds } }";
const KEYS = "keys: { full: { value: key-full }, slow: { value: key-slow } }";

function target(...lines: string[]): Target {
  const described = parseTarget("target.yaml", ["base_url: http://service.test/v1", KEYS, ...lines].join("\n"), {});
  if (!described.ok) throw new Error(described.mistakes.join("\n"));
  return described.target;
}

const get = (path: string, key = "key-full"): WireRequest => ({
  method: "GET",
  url: `http://service.test/v1${path}`,
  headers: { authorization: `Bearer ${key}` },
});

/** How many requests a governor lets through at once. */
function throughput(on: Target, request: WireRequest, shard?: { index: number; of: number }): number {
  const governor = openGovernor(on, shard);
  let sent = 0;
  for (; sent < 1000 && governor.wait(request) === 0; sent++) governor.note(request);
  return sent;
}

describe("the governor", () => {
  test.each([
    ["a list with a bucket", get("/api/repos"), undefined, 48],
    ["a read with the key's budget only", get("/api/jobs"), undefined, 480],
    ["a slow key", get("/api/jobs", "key-slow"), undefined, 4],
    ["a tool call", { ...get("/mcp/"), method: "POST" }, undefined, 48],
    ["the third of four shards", get("/api/repos"), { index: 3, of: 4 }, 12],
    ["one of ten shards and a slow key", get("/api/jobs", "key-slow"), { index: 1, of: 10 }, 1],
    ["a request without a key", { method: "GET", url: "http://service.test/v1/api/repos", headers: {} }, undefined, 1000],
  ])("lets so many through at once: %s", (_, request, shard, most) => {
    expect(throughput(target(CLOCK), request, shard)).toBe(most);
  });

  test("holds nothing back where each scenario has a world of its own and a clock", () => {
    expect(throughput(target(CLOCK, WORLDS), get("/api/repos"))).toBe(1000);
  });

  test("counts keys apart, and time by the clock that is moved", () => {
    const governor = openGovernor(target(CLOCK), undefined);
    for (let n = 0; n < 48; n++) governor.note(get("/api/repos"));
    expect([governor.wait(get("/api/repos")), governor.wait(get("/api/repos", "another"))]).toEqual([60, 0]);
    governor.skip(59);
    expect(governor.wait(get("/api/repos"))).toBe(1);
    governor.skip(1);
    expect(governor.wait(get("/api/repos"))).toBe(0);
  });

  test("learns the ceiling of a key that is made", () => {
    const governor = openGovernor(target(CLOCK), undefined);
    const made = { key_id: "k1", key: "a-key-of-its-own" };
    governor.heed({
      request: { ...get("/api/keys"), method: "POST", body: new TextEncoder().encode('{"requests_per_minute":10}') },
      response: { status: 201, headers: {}, body: new TextEncoder().encode(JSON.stringify(made)) },
      startedAt: 0,
      endedAt: 0,
    });
    for (let n = 0; n < 8; n++) governor.note(get("/api/jobs", made.key));
    expect(governor.wait(get("/api/jobs", made.key))).toBe(60);
  });

  test("has a scenario wait before it begins rather than half-way, but not for what is sent in a burst", () => {
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
    const parsed = parseScenario("many.yaml", yaml, ledger);
    if (!parsed.ok) throw new Error(parsed.mistakes.join("\n"));
    const demands = parsed.scenarios.flatMap(demandsOf);
    expect(demands.map(({ count, burst }) => [count, burst])).toEqual([...Array(3).fill([1, false]), [200, true]]);
    const governor = openGovernor(target(CLOCK), undefined);
    const keys = { full: "key-full" };
    const asked: number[] = [];
    for (let n = 0; n < 47; n++) {
      asked.push(governor.waitForAll(demands, keys));
      governor.note(get("/api/repos"));
    }
    expect(asked.filter((seconds) => seconds > 0)).toEqual([60]);
  });
});
