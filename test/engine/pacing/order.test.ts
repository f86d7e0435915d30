import { expect, test } from "vitest";
import { openQueue } from "../../../src/engine/pacing/order.js";
import { openThrottle } from "../../../src/engine/pacing/throttle.js";
import type { Demand } from "../../../src/engine/scenario/scenario.js";
import { parseTarget, type Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

function target(...lines: string[]): Target {
  const text = [
    "base_url: http://service.test",
    "exclusive: true",
    "keys: { full: { value: key-full }, viewer: { value: key-viewer } }",
    ...lines,
  ];
  const described = parseTarget(suite.target, "target.yaml", text.join("\n"), {});
  if (!described.ok) throw new Error(described.mistakes.join("\n"));
  return described.target;
}

function scenario(name: string, path: string, count: number, more: Partial<Demand> = {}) {
  const none = { paid: 0, paidIfTaken: 0, tool: false, refused: false };
  const demand: Demand = { ...none, method: "GET", path, role: "full", burst: false, count, ...more };
  return { name, demands: [demand] };
}

/** The order in which scenarios are executed, and at which second each begins. */
function executed(on: Target, scenarios: readonly ReturnType<typeof scenario>[]): [name: string, at: number][] {
  let now = 1000;
  const throttle = openThrottle(suite, on, undefined, () => now);
  now += 60;
  const queue = openQueue(scenarios, { rates: suite.rates, throttle, target: on });
  const order: [string, number][] = [];
  for (let next = queue.next(); next; next = queue.next()) {
    now += throttle.waitForAll(next.demands, on.keys);
    order.push([next.name, now - 1060]);
    for (const { path, role = "", count } of next.demands)
      for (let n = 0; n < count; n++) {
        const authorization = `Bearer ${on.keys[role]}`;
        throttle.note({ method: "GET", url: `http://service.test${path}`, headers: { authorization } });
      }
  }
  return order;
}

const burst = { burst: true };
const all = [
  scenario("free", "/api/jobs", 1),
  scenario("first", "/api/repos", 61, burst),
  scenario("again", "/api/repos", 61, burst),
  scenario("another key", "/api/repos", 61, { ...burst, role: "viewer" }),
  scenario("another limit", "/api/repos/a/b/c/jobs", 121, burst),
];

test("what is shortest is begun with, and others are executed while it fills again", () => {
  expect(executed(target(), all)).toEqual([
    ["first", 0],
    ["another key", 0],
    ["another limit", 0],
    ["free", 0],
    ["again", 60],
  ]);
});

test("where time is moved, and where each has a world of its own, the order is the suite's", () => {
  const names = all.map(({ name }) => name);
  const clock = "clock: { now: { http: GET /now }, advance: { http: POST /move } }";
  for (const line of [clock, "worlds: { create: { http: POST /worlds } }"])
    expect(executed(target(line), all).map(([name]) => name)).toEqual(names);
});
