import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { RouteName } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import { createWorldFromFixture, type Fixture, type WorldSettings } from "../../src/service/fixture/fixture.js";
import type { World } from "../../src/service/world/world.js";

/** Reads a shipped fixture by name. Each call returns a new value. */
export function readFixture(name: "demo" | "empty" | "free" | "strict"): Fixture {
  return JSON.parse(readFileSync(join(packageRoot, "fixtures", `${name}.json`), "utf8")) as Fixture;
}

const demo = readFixture("demo");

/** Returns a new default world of the demo fixture. */
export function demoWorld(overrides: Partial<WorldSettings> = {}): World {
  return createWorldFromFixture(demo, { id: "default", seed: 1, ...overrides });
}

/** The parts of a call that a test sets. The others are those of a valid call of role `full`. */
export interface CallParts {
  /** The role of the key to send; null sends none. */
  as?: string | null;
  /** The web-app session to send instead of a key. */
  session?: string;
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[]>;
  /** JSON; undefined sends no body. */
  body?: unknown;
  idempotencyKey?: string;
  ip?: string | null;
  surface?: "rest" | "mcp";
}

/** Returns a call of a route on the default world, as the HTTP layer passes it. */
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
