import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openGovernor } from "./governor.js";
import { createMask, hideCredentials, type Mask } from "./mask.js";
import type { RunResult, VerifyOptions } from "./options.js";
import type { Profile } from "./play/effects.js";
import type { Run } from "./play/run.js";
import { openServerClock } from "./server-clock.js";
import { hookSecrets, spawnCommand } from "./target/hooks.js";
import { askTarget, bareTarget, type Described, parseTarget, type Target } from "./target/target.js";
import { openWire, type Wire } from "./wire/rest.js";

const MAX_WAIT_SECONDS = 90;

/** A target with a wire to it. */
export interface Opened {
  ok: true;
  target: Target;
  wire: Wire;
}

/** Finds the target that the options name and opens a wire to it, which the caller closes. */
export async function openTarget(options: VerifyOptions): Promise<Opened | { ok: false; mistakes: string[] }> {
  const asking = openWire({ timeoutMs: 10_000 });
  const described = await findTarget(options, asking).finally(() => asking.close());
  if (!described.ok) return described;
  const target = withOptions(described.target, options);
  return { ok: true, target, wire: openWire({ timeoutMs: target.timing.requestTimeoutSeconds * 1000 }) };
}

/** Opens a wire to the target, uses it and closes it. */
export async function onTarget<T>(
  options: VerifyOptions,
  use: (target: Target, wire: Wire) => Promise<T | RunResult>,
): Promise<T | RunResult> {
  const opened = await openTarget(options);
  if (!opened.ok) return { exitCode: 2, messages: opened.mistakes };
  return use(opened.target, opened.wire).finally(() => opened.wire.close());
}

/** What the plays of one run share, with the target's credentials masked. */
export function startRun(options: VerifyOptions, target: Target, wire: Wire, mask: Mask = createMask()): Run {
  const { env = process.env } = options;
  hideCredentials(mask, target);
  for (const [name, value] of hookSecrets(target, env)) mask.add(value, `env.${name}`);
  const { shard, maxTime = Number.POSITIVE_INFINITY } = options;
  const tally = { requests: 0, paid: 0, waitedSeconds: 0 };
  const budgetPaid = budgetOf(options);
  return {
    target,
    wire,
    hookWire: wire,
    command: spawnCommand,
    sleep: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }).catch(() => {}),
    now: Date.now,
    serverClock: openServerClock(target.urls.api, Date.now),
    takePaid: (count) => {
      if (tally.paid + count > budgetPaid) return false;
      tally.paid += count;
      return true;
    },
    mask,
    profile: profileOf(options, target),
    env,
    maxWaitSeconds: longestWait(options),
    deadline: Date.now() + maxTime * 1000,
    governor: openGovernor(target, shard),
    open: new Set(),
    leftovers: [],
    id: randomBytes(4).toString("hex"),
    signal: options.signal ?? new AbortController().signal,
    count: () => {
      tally.requests += 1;
    },
    tally,
  };
}

/** What may be done to a target: what the options say, else everything on a loopback address and reads elsewhere. */
export function profileOf({ profile }: VerifyOptions, target: Target): Profile {
  return profile ?? (isLoopback(new URL(target.urls.api).hostname) ? "full" : "read-only");
}

/** Most requests that may start paid work: a shard gets its part of the budget, the first shards what does not divide. */
export function budgetOf({ budgetPaid = Number.POSITIVE_INFINITY, shard }: Pick<VerifyOptions, "budgetPaid" | "shard">): number {
  if (!shard || budgetPaid === Number.POSITIVE_INFINITY) return budgetPaid;
  return Math.floor(budgetPaid / shard.of) + (shard.index <= budgetPaid % shard.of ? 1 : 0);
}

/** The longest single wait of a run in seconds. */
export function longestWait({ maxWait = MAX_WAIT_SECONDS }: VerifyOptions): number {
  return maxWait;
}

async function findTarget({ url, target, env = process.env }: VerifyOptions, wire: Wire): Promise<Described> {
  if (target !== undefined) {
    try {
      return parseTarget(target, readFileSync(target, "utf8"), env);
    } catch (error) {
      return { ok: false, mistakes: [`${target}: cannot be read (${(error as { code?: string }).code ?? "unknown fault"})`] };
    }
  }
  if (url === undefined) return { ok: false, mistakes: ["no server is named: give its URL or --target FILE"] };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return { ok: false, mistakes: [`"${url}" is no http or https address`] };
  return (await askTarget(wire, url, env)) ?? bareTarget(url);
}

/** The other shards of a run act on the same workspace, so none of them is alone there. */
function withOptions(target: Target, { url, key, shard }: VerifyOptions): Target {
  const api = url?.replace(/\/+$/, "") ?? target.urls.api;
  return {
    ...target,
    urls: { ...target.urls, api },
    keys: { ...target.keys, ...(key && { full: key }) },
    exclusive: target.exclusive && !shard,
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}
