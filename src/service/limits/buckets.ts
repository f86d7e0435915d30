import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";
import type { Caller, KeyCaller } from "../call.js";
import { readRow } from "../world/lookups.js";
import type { Key, RateWindow, World } from "../world/world.js";

/** A limit that counts requests. `name` is the key of its window in `World.rates`. */
interface Meter {
  name: string;
  perMinute: number;
}

/** The requests of a limit that are used, for the control plane. */
interface Level {
  bucket: string;
  requests_per_minute: number;
  used: number;
}

const windowMs = contract.limits.windows.rate_seconds * 1000;

/**
 * Draws one request from every limit that applies: path bucket, plan budget, key ceiling and tool server rate. All must have
 * room, so the smallest decides; a refused request draws from none. LIMIT-EFFECTIVE. Returns null, or the value of
 * `Retry-After`: the whole seconds until the same request passes.
 */
export function drawRate(world: World, caller: Caller, surface: "rest" | "mcp", route: RouteName | null): number | null {
  if (world.options.limits === "off" || !caller.key) return null;
  const windows = world.rates[caller.key.id] ?? {};
  const meters = listMeters(caller, surface, route);
  let waitMs = 0;
  for (const meter of meters) waitMs = Math.max(waitMs, computeWait(world, windows, meter));
  if (waitMs > 0) return Math.ceil(waitMs / 1000);
  world.rates[caller.key.id] = windows;
  for (const meter of meters) count(world, windows, meter);
  return null;
}

/** Returns how many requests of each limit of a key and route are used now. Returns an empty list when limits are off. */
export function readBucketLevels(world: World, key: Key, surface: "rest" | "mcp", route: RouteName | null): Level[] {
  if (world.options.limits === "off") return [];
  const windows = world.rates[key.id] ?? {};
  const meters = listMeters({ key, workspace: readRow(world.workspaces, key.workspace) }, surface, route);
  return meters.map((meter) => ({
    bucket: meter.name,
    requests_per_minute: meter.perMinute,
    used: countUsed(world, windows[meter.name], meter),
  }));
}

function countUsed(world: World, window: RateWindow | undefined, meter: Meter): number {
  if (!window) return 0;
  switch (world.options.rate_window) {
    case "fixed":
      return world.now >= window.since + windowMs ? 0 : window.used;
    case "sliding":
      return window.passed.filter((at) => at > world.now - windowMs).length;
    case "token_bucket":
      return meter.perMinute - Math.floor(computeTokens(world, window, meter) / windowMs);
  }
}

function listMeters(
  { key, workspace }: Pick<KeyCaller, "key" | "workspace">,
  surface: "rest" | "mcp",
  route: RouteName | null,
): Meter[] {
  const meters: Meter[] = [];
  const ceiling = key.requests_per_minute;
  if (ceiling) meters.push({ name: "key", perMinute: ceiling });
  if (surface === "mcp") meters.push({ name: "mcp", perMinute: contract.limits.mcp.requests_per_minute });
  else meters.push({ name: "plan", perMinute: contract.limits.plans[workspace.plan].requests_per_minute });
  const bucket = route && routes[route].bucket;
  if (bucket) meters.push({ name: bucket, perMinute: contract.limits.buckets[bucket].rpm });
  return meters;
}

/** Returns the milliseconds until the limit has room; 0 when it has room now. */
function computeWait(world: World, windows: Record<string, RateWindow>, meter: Meter): number {
  const window = windows[meter.name];
  if (!window) return 0;
  switch (world.options.rate_window) {
    case "fixed":
      return world.now >= window.since + windowMs || window.used < meter.perMinute ? 0 : window.since + windowMs - world.now;
    case "sliding": {
      const inside = window.passed.filter((at) => at > world.now - windowMs);
      const first = inside.at(-meter.perMinute); // the oldest request of a full window
      return first === undefined ? 0 : first + windowMs - world.now;
    }
    case "token_bucket":
      return Math.max(0, Math.ceil((windowMs - computeTokens(world, window, meter)) / meter.perMinute));
  }
}

function count(world: World, windows: Record<string, RateWindow>, meter: Meter): void {
  const window = windows[meter.name] ?? { since: world.now, used: 0, tokens: meter.perMinute * windowMs, passed: [] };
  windows[meter.name] = window;
  switch (world.options.rate_window) {
    case "fixed":
      if (world.now >= window.since + windowMs) {
        window.since = world.now;
        window.used = 0;
      }
      window.used++;
      return;
    case "sliding":
      window.passed = window.passed.filter((at) => at > world.now - windowMs);
      window.passed.push(world.now);
      return;
    case "token_bucket":
      window.tokens = computeTokens(world, window, meter) - windowMs;
      window.since = world.now;
  }
}

/** Returns the tokens left. A request costs `windowMs` tokens, so refilling never produces fractions. */
function computeTokens(world: World, window: RateWindow, meter: Meter): number {
  return Math.min(meter.perMinute * windowMs, window.tokens + (world.now - window.since) * meter.perMinute);
}
