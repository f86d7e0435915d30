import type { Program } from "./programs.js";
import { redis } from "./programs.js";
import type { Relay } from "./relay.js";

/** A mock of a cluster, and the relay between it and the store. */
export interface Member {
  mock: Program;
  relay: Relay;
}

/** One fault of a schedule. `mock` is the index of the mock, or null for a fault of the store. */
export interface PlannedFault {
  kind: FaultKind;
  mock: number | null;
  ms: number;
  /** The pause before the next fault begins; negative: the next fault begins while this one lasts. */
  restMs: number;
}

/** A time during which a mock, or with null every mock, cannot answer, in milliseconds of `performance.now()`. */
export interface Outage {
  mock: number | null;
  from: number;
  to: number;
}

export const faultKinds = ["stop-store", "pause-store", "full-store", "stop-mock", "hold-connection", "cut-connection"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Returns a generator of numbers from 0 (inclusive) to 1 (exclusive) that depends on the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plans faults that last about `totalMs` together; every kind occurs before one occurs again. */
export function planFaults(random: () => number, mocks: number, totalMs: number, longestMs: number): PlannedFault[] {
  const plan: PlannedFault[] = [];
  let kinds: FaultKind[] = [];
  for (let sum = 0; sum < totalMs; ) {
    if (kinds.length === 0) kinds = [...faultKinds];
    const [kind] = kinds.splice(Math.floor(random() * kinds.length), 1) as [FaultKind];
    const isStore = kind.endsWith("-store");
    const ms = Math.round(500 + random() * ((isStore ? Math.min(3000, longestMs) : longestMs) - 500));
    const overlaps = !isStore && random() < 0.3;
    const restMs = overlaps ? -Math.round(ms / 2) : Math.round(200 + random() * 800);
    plan.push({ kind, mock: isStore ? null : Math.floor(random() * mocks), ms, restMs });
    sum += ms + restMs;
  }
  return plan;
}

/** Replays a schedule. At every time, one mock at least has no fault. Returns the outages. */
export async function runFaults(plan: readonly PlannedFault[], store: Program, members: readonly Member[]): Promise<Outage[]> {
  const outages: Outage[] = [];
  const disturbed = new Set<number>();
  const ends: Promise<void>[] = [];
  for (const { kind, mock, ms, restMs } of plan) {
    if (mock === null || disturbed.has(mock) || disturbed.size + 1 >= members.length) await Promise.all(ends.splice(0));
    const from = performance.now();
    if (mock !== null) disturbed.add(mock);
    const stop = await begin(kind, store, mock === null ? undefined : members[mock], ms);
    const end = (async () => {
      await pause(ms);
      await stop();
      outages.push({ mock, from, to: performance.now() });
      if (mock !== null) disturbed.delete(mock);
    })();
    ends.push(end);
    await pause(ms + restMs);
  }
  await Promise.all(ends);
  return outages;
}

/** Begins a fault. Returns the function that ends it. */
async function begin(kind: FaultKind, store: Program, member: Member | undefined, ms: number): Promise<() => unknown> {
  switch (kind) {
    case "stop-store":
      store.process.kill("SIGSTOP");
      return () => store.process.kill("SIGCONT");
    case "pause-store":
      await redis(store.port, "CLIENT", "PAUSE", String(ms), "ALL");
      return () => {};
    case "full-store":
      await redis(store.port, "CONFIG", "SET", "maxmemory", "1mb");
      return () => redis(store.port, "CONFIG", "SET", "maxmemory", "0");
    case "stop-mock":
      member!.mock.process.kill("SIGSTOP");
      return () => member!.mock.process.kill("SIGCONT");
    case "hold-connection":
    case "cut-connection":
      member!.relay.set(kind === "hold-connection" ? "held" : "cut");
      return () => member!.relay.set("open");
    default:
      throw new Error(`unknown fault ${kind satisfies never}`);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
