import { describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { advance } from "../../../src/service/advance.js";
import type { Caller } from "../../../src/service/call.js";
import { drawRate } from "../../../src/service/limits/buckets.js";
import type { Options, World } from "../../../src/service/world/world.js";
import { demoWorld } from "../world.js";

const windows: Options["rate_window"][] = ["fixed", "sliding", "token_bucket"];
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";

describe.each(windows)("with a %s window", (rate_window) => {
  const fresh = () => demoWorld({ options: { rate_window } });

  test("passes exactly as many requests as the bucket allows, then gives the wait", () => {
    const world = fresh();
    expect(countPassed(world, 8, reset)).toBe(5);
    expect(draw(world, reset)).toBeGreaterThanOrEqual(1);
  });

  test("lets the next request pass after exactly Retry-After seconds, and not a second earlier", () => {
    const world = fresh();
    countPassed(world, 5, reset);
    const wait = draw(world, reset)!;
    advance(world, { to: world.now + (wait - 1) * 1000 });
    if (wait > 1) expect(draw(world, reset)).toBe(1);
    advance(world, { to: world.now + 1000 });
    expect(draw(world, reset)).toBeNull();
  });

  test("a refused request does not extend the wait", () => {
    const world = fresh();
    countPassed(world, 5, reset);
    const wait = draw(world, reset)!;
    countPassed(world, 50, reset);
    expect(draw(world, reset)).toBe(wait);
  });

  test("counts a combined bucket once for both of its routes", () => {
    const world = fresh();
    expect(countPassed(world, 20, "POST /api/repos/{owner}/{repo}/{branch}/jobs")).toBe(20);
    expect(countPassed(world, 20, "POST /api/jobs/{job_id}/retry")).toBe(10);
  });

  test("a full bucket does not limit other paths or keys", () => {
    const world = fresh();
    countPassed(world, 6, reset);
    expect(draw(world, "GET /api/repos")).toBeNull();
    expect(draw(world, reset, "no_delete")).toBeNull();
  });

  test("the lowest limit decides: a key ceiling below the bucket, or a bucket below the ceiling", () => {
    const world = fresh();
    expect(countPassed(world, 10, "GET /api/repos", "slow")).toBe(5);
    world.keys.key_full!.requests_per_minute = 1000;
    expect(countPassed(world, 10, reset)).toBe(5);
  });

  test("draws from no bucket when one of them refuses", () => {
    const world = fresh();
    countPassed(world, 100, reset);
    world.keys.key_full!.requests_per_minute = 5;
    expect(countPassed(world, 10, "GET /api/jobs")).toBe(5);
  });
});

test.each(Object.entries(contract.limits.buckets))("limits %s to its number a minute", (_, bucket) => {
  expect(countPassed(demoWorld(), bucket.rpm * 2, bucket.routes[0]!)).toBe(bucket.rpm);
});

test.each([
  ["free", 600],
  ["full", 3000],
])("gives a key of role %s a budget of %i a minute", (role, budget) => {
  expect(countPassed(demoWorld(), budget + 10, "GET /api/jobs", role)).toBe(budget);
});

test("limits tool calls to 60 a minute, separate from the REST budget", () => {
  const world = demoWorld();
  const caller = getCaller(world, "full");
  let count = 0;
  while (drawRate(world, caller, "mcp", null) === null) count++;
  expect(count).toBe(60);
  expect(draw(world, "GET /api/jobs")).toBeNull();
});

test("refuses no request when limits are off", () => {
  expect(countPassed(demoWorld({ options: { limits: "off" } }), 5000, reset)).toBe(5000);
});

function draw(world: World, route: Parameters<typeof drawRate>[3], role = "full"): number | null {
  return drawRate(world, getCaller(world, role), "rest", route);
}

function countPassed(world: World, attempts: number, route: Parameters<typeof drawRate>[3], role = "full"): number {
  let count = 0;
  for (let i = 0; i < attempts; i++) if (draw(world, route, role) === null) count++;
  return count;
}

function getCaller(world: World, role: string): Caller {
  const key = world.keys[`key_${role}`]!;
  return { key, session: null, workspace: world.workspaces[key.workspace]!, scopes: new Set(key.scopes) };
}
