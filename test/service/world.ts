import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { RouteName } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import { type Fixture, type WorldSettings, worldFromFixture } from "../../src/service/fixture/fixture.js";
import type { World } from "../../src/service/world/world.js";

/** Reads a fixture that ships with the package, by its name. Each call gives a value of its own. */
export function readFixture(name: "demo" | "empty" | "free" | "strict"): Fixture {
  return JSON.parse(readFileSync(join(packageRoot, "fixtures", `${name}.json`), "utf8")) as Fixture;
}

const demo = readFixture("demo");

/** A fresh default world of the demo fixture. */
export function demoWorld(overrides: Partial<WorldSettings> = {}): World {
  return worldFromFixture(demo, { id: "default", seed: 1, ...overrides });
}

/** What a test may say about a call; the rest is a well-formed call of role `full`. */
export interface CallParts {
  /** The role whose key is sent; null sends none. */
  as?: string | null;
  /** The web-app session whose cookie is sent instead of a key. */
  session?: string;
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[]>;
  /** JSON; undefined sends no body. */
  body?: unknown;
  idempotencyKey?: string;
  ip?: string | null;
  surface?: "rest" | "mcp";
}

/** A call of a route as a shell would hand it over, on the default world. */
export function call(route: RouteName, parts: CallParts = {}): IncomingCall {
  const { session, params = {}, body, idempotencyKey, ip = "198.51.100.7", surface = "rest" } = parts;
  const role = parts.as === undefined && session === undefined ? "full" : parts.as;
  return {
    surface,
    target: { route, params },
    authorization: role ? `Bearer mock_${role}` : undefined,
    cookie: session,
    idempotencyKey,
    ip,
    query: Object.fromEntries(Object.entries(parts.query ?? {}).map(([name, value]) => [name, [value].flat().map(String)])),
    body: body === undefined ? { kind: "none" } : { kind: "json", value: body },
  };
}
