import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createMask, type Mask } from "../../common/masking/mask.js";
import { readUserFile } from "../../common/user-file.js";
import type { PaidBudget } from "../execute/cost.js";
import type { Run } from "../execute/run.js";
import { addStopTimeout } from "../http/deadline.js";
import { openWire, type Wire } from "../http/rest.js";
import { openServerClock } from "../http/server-clock.js";
import { openSleep } from "../pacing/sleep.js";
import { openThrottle, type Throttle } from "../pacing/throttle.js";
import { tryWithoutBasePath } from "../preflight/root.js";
import type { Profile } from "../scenario/effects.js";
import type { Suite } from "../suite.js";
import { findShortCredentials, hideCredentials } from "../target/credentials.js";
import { listHookSecrets, spawnCommand } from "../target/hooks.js";
import { findAddressMistake, isLoopback, normalizeAddress } from "../target/normalize.js";
import { createTargetAtUrl, parseTarget, readSelfDescription, type Target, type TargetResult } from "../target/target.js";
import type { RunResult, VerifyOptions } from "./options.js";

const MAX_WAIT_SECONDS = 90;

/** A target with a wire to it. */
export interface Connection {
  target: Target;
  wire: Wire;
}

/** Finds the target that the options name, and opens a wire to it. The caller must close the wire. */
export async function connect(
  suite: Suite,
  options: VerifyOptions,
): Promise<({ ok: true } & Connection) | { ok: false; mistakes: string[] }> {
  const open = (timeoutMs: number) => addStopTimeout(openWire({ timeoutMs }), options.signal);
  const wire = open(10_000);
  const targetResult = await findTarget(suite, options, wire).finally(() => wire.close());
  if (!targetResult.ok) return targetResult;
  const { target } = targetResult;
  const short = findShortCredentials(target);
  if (short.length > 0) return { ok: false, mistakes: short };
  return { ok: true, target, wire: open(target.timing.requestTimeoutSeconds * 1000) };
}

/** Connects to the target, runs a function with it, and closes the wire. */
export async function runWithTarget<T>(
  suite: Suite,
  options: VerifyOptions,
  use: (target: Target, wire: Wire) => Promise<T | RunResult>,
): Promise<T | RunResult> {
  const result = await connect(suite, options);
  if (!result.ok) return { exitCode: 2, messages: result.mistakes };
  return use(result.target, result.wire).finally(() => result.wire.close());
}

/** Returns the state that all scenarios of one run share. Masks the target's credentials. */
export function startRun(suite: Suite, options: VerifyOptions, target: Target, wire: Wire, mask: Mask = createMask()): Run {
  const { env = process.env, signal = new AbortController().signal } = options;
  setMaxListeners(0, signal); // each request in progress adds a listener
  hideCredentials(mask, target);
  for (const [name, value] of listHookSecrets(target, env)) mask.add(value, `env.${name}`);
  const tally = { requests: 0, paid: 0, waitedSeconds: 0 };
  return {
    ...{ suite, target, wire, mask, tally, env },
    hookWire: wire,
    command: spawnCommand,
    sleep: openSleep(tally),
    now: Date.now,
    serverClock: openServerClock(target.urls.api, Date.now),
    budget: createPaidBudget(tally, chooseBudget(options)),
    profile: chooseProfile(options, target),
    maxWaitSeconds: computeMaxWait(options),
    deadline: Date.now() + computeMaxRunTime(options) * 1000,
    deadlineSeconds: computeDeadline(options),
    throttle: createThrottle(suite, target, options),
    open: new Set(),
    bindingsSeen: new Map(),
    shownNeeds: new Set(),
    started: [],
    leftovers: [],
    id: randomBytes(4).toString("hex"),
    signal,
    count: () => {
      tally.requests += 1;
    },
  };
}

/** Returns the profile of a run. The default is `full` on a loopback address and `read-only` elsewhere. */
export function chooseProfile({ profile }: VerifyOptions, target: Target): Profile {
  return profile ?? (isLoopback(new URL(target.urls.api).hostname) ? "full" : "read-only");
}

/**
 * Returns the maximum number of requests that may start paid work. Each shard gets an equal part of the budget, the first shards
 * one more.
 */
export function chooseBudget({
  budgetPaid = Number.POSITIVE_INFINITY,
  shard,
}: Pick<VerifyOptions, "budgetPaid" | "shard">): number {
  if (!shard || budgetPaid === Number.POSITIVE_INFINITY) return budgetPaid;
  return Math.floor(budgetPaid / shard.of) + (shard.index <= budgetPaid % shard.of ? 1 : 0);
}

/** Returns the longest time of a run in seconds. */
export function computeMaxRunTime({ maxTime, deadline }: Pick<VerifyOptions, "maxTime" | "deadline">): number {
  return Math.min(maxTime ?? Number.POSITIVE_INFINITY, deadline ?? Number.POSITIVE_INFINITY);
}

/** Returns the deadline that ends a run, in seconds; undefined if `maxTime` ends it first, which leaves its verdict open. */
export function computeDeadline({ maxTime, deadline }: Pick<VerifyOptions, "maxTime" | "deadline">): number | undefined {
  return deadline !== undefined && maxTime !== undefined && maxTime <= deadline ? undefined : deadline;
}

/** Returns the longest single wait of a run in seconds. */
export function computeMaxWait({ maxWait = MAX_WAIT_SECONDS }: VerifyOptions): number {
  return maxWait;
}

function createThrottle(suite: Suite, target: Target, { throttles, shard }: VerifyOptions): Throttle {
  const throttle = throttles?.get(target.urls.api) ?? openThrottle(suite, target, shard);
  throttles?.set(target.urls.api, throttle);
  return throttle;
}

/** Opens the budget for paid requests. A request that is refused is given back. */
function createPaidBudget(tally: Run["tally"], max: number): PaidBudget {
  const hasRoom = (count: number) => tally.paid + count <= max;
  return {
    hasRoom,
    take() {
      if (!hasRoom(1)) return false;
      tally.paid += 1;
      return true;
    },
    refund() {
      tally.paid -= 1;
    },
  };
}

async function findTarget(suite: Suite, options: VerifyOptions, wire: Wire): Promise<TargetResult> {
  const { url, target: file } = options;
  if (url === undefined && file === undefined)
    return { ok: false, mistakes: ["no server is named. Give its URL or --target FILE."] };
  const mistake = url === undefined ? undefined : findAddressMistake(url);
  if (mistake !== undefined) return { ok: false, mistakes: [mistake] };
  const address = url === undefined ? undefined : normalizeAddress(url);
  if (address && !(/^https?:\/\//.test(address.value) && URL.canParse(address.value)))
    return { ok: false, mistakes: [`"${url}" is not an HTTP or HTTPS address`] };
  const rooted = address && (await tryWithoutBasePath(suite, wire, address.value, options.key));
  const result = await describeTarget(suite, options, rooted?.address, wire);
  if (!result.ok) return result;
  const target = applyOptions(suite, result.target, options, rooted?.address);
  const root = rooted ?? (await tryWithoutBasePath(suite, wire, target.urls.api, target.keys[suite.defaultRole]));
  const corrections = [...(target.corrections ?? []), ...(address?.corrections ?? []), ...(root.corrections ?? [])];
  return { ok: true, target: { ...moveTarget(suite, target, root.address), ...(corrections.length > 0 && { corrections }) } };
}

async function describeTarget(
  { target: rules }: Suite,
  { target, selfDescription = true, describedPorts, env = process.env }: VerifyOptions,
  address: string | undefined,
  wire: Wire,
): Promise<TargetResult> {
  if (target === undefined) {
    const url = address ?? "";
    return (
      (selfDescription ? await readSelfDescription(rules, wire, url, describedPorts) : undefined) ?? createTargetAtUrl(rules, url)
    );
  }
  const file = readUserFile(target);
  return file.ok ? parseTarget(rules, target, file.text, env) : { ok: false, mistakes: [`${target}: ${file.why}`] };
}

/** Returns a target whose API host has a shorter address. The tool server moves with it, unless its address was given. */
function moveTarget({ target: { toolServerPath } }: Suite, target: Target, api: string): Target {
  const { urls, name } = target;
  const mcp = urls.mcp === urls.api + toolServerPath ? api + toolServerPath : urls.mcp;
  return {
    ...target,
    name: name.replace(/(?<!\/)\/+$/, "") === urls.api ? api : name,
    urls: { ...urls, api, ...(mcp !== undefined && { mcp }) },
  };
}

/** Applies the options to a target. A sharded run is not exclusive, because the other shards use the same workspace. */
function applyOptions(
  { defaultRole }: Suite,
  target: Target,
  { key, shard, mcpRevision }: VerifyOptions,
  address?: string,
): Target {
  const api = address ?? target.urls.api;
  return {
    ...target,
    urls: { ...target.urls, api },
    keys: { ...target.keys, ...(key && { [defaultRole]: key }) },
    exclusive: target.exclusive && !shard,
    ...(mcpRevision && { mcpRevision }),
  };
}
