import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BareState } from "./bare-service.js";
import { askAll, type Exchanges, type Kind, kinds } from "./exchanges.js";
import { atLeast, atMost, type Figure, figure, median, ours } from "./figures.js";
import { type Load, type LoadRequest, load } from "./load.js";
import { type MockServer, startMockServer } from "./mock.js";
import { type Server, startServer } from "./processes.js";
import { type InstalledRival, installRivals } from "./rivals.js";
import { scratchFolder } from "./scratch.js";
import type { BenchContext, Section } from "./section.js";

/** Throughput under load: one server at a time, alone on its core. */
export const throughput: Section = {
  name: "throughput",
  title: "Under load (16 connections, journal on, --limits off)",
  measure: compare,
};

/** The raw servers: the same bytes are the minimum for node, the same work the minimum for code written by hand. */
export const sameBytes = "raw, same bytes";
export const sameWork = "raw, same work";

const bareServer = fileURLToPath(new URL("bare-server.js", import.meta.url));
const bareService = fileURLToPath(new URL("bare-service.js", import.meta.url));

/** The goals compared with the bare server: a share of its requests per second, and a multiple of its processor time. */
const goals: Partial<Record<Kind, { share: number; cost: number }>> = {
  "GET one observation": { share: 0.65, cost: 1.6 },
  "POST a job": { share: 0.4, cost: 2.6 },
  "a tool call": { share: 0.35, cost: 3 },
};
const maxP99 = 3;

const doubts = {
  "client-bound": "Client-bound: the load was at its limit before the server was, which has more to give",
  "core shared": "Another process used the server's core at times, so compare by processor time",
};

/** The loads of a server by kind, one for each round. */
type Loads = Partial<Record<Kind, Load[]>>;

async function compare(bench: BenchContext): Promise<Figure[]> {
  const mock = await startMockServer();
  try {
    const exchanges = await askAll(mock);
    const loads = await compareWithRaw(bench, mock, exchanges);
    for (const rival of installRivals(bench)) loads[rival.name] = await loadRival(bench, rival, exchanges);
    listDoubts(bench, loads);
    return kinds.flatMap((kind) => getFigures(kind, loads));
  } finally {
    await mock.stop();
  }
}

/** Ours and the raw servers in turn, so that other work of the machine affects all. */
async function compareWithRaw(bench: BenchContext, mock: MockServer, exchanges: Exchanges): Promise<Record<string, Loads>> {
  const bytes = await startServer((port) => [process.execPath, bareServer, `${port}`, writeResponses(exchanges)], "/");
  const work = await startServer((port) => [process.execPath, bareService, `${port}`, writeState(mock, exchanges)], "/");
  const servers: [string, Server][] = [
    [ours, mock],
    [sameBytes, bytes],
    [sameWork, work],
  ];
  const found: Record<string, Loads> = { [ours]: {}, [sameBytes]: {}, [sameWork]: {} };
  try {
    for (const kind of kinds) {
      const { shot } = exchanges[kind];
      for (let round = 0; round <= rounds(bench); round++) {
        bench.tell(`${kind}, round ${round} of ${rounds(bench)}`);
        for (const [name, server] of servers) {
          const one = await load(server, shot, seconds(bench));
          const loads = found[name]![kind] ?? [];
          found[name]![kind] = round > 0 ? [...loads, one] : loads; // the first one warms up
        }
      }
    }
  } finally {
    await Promise.all([bytes.stop(), work.stop()]);
  }
  return found;
}

/** Omits requests that a rival cannot answer. */
async function loadRival(bench: BenchContext, rival: InstalledRival, exchanges: Exchanges): Promise<Loads> {
  const found: Loads = {};
  try {
    const { server, shots } = await startRival(rival, exchanges);
    try {
      for (const [kind, shot] of Object.entries(shots) as [Kind, LoadRequest][]) {
        bench.tell(`${kind} of ${rival.name}`);
        await load(server, shot, seconds(bench));
        found[kind] = [await load(server, shot, seconds(bench))];
      }
    } finally {
      await server.stop();
    }
  } catch (error) {
    bench.note(`${rival.name} is left out from here on: ${(error as Error).message.slice(0, 300)}`);
  }
  return found;
}

/** Starts a rival with its files, and requests the observation until it answers. */
export async function startRival(
  rival: InstalledRival,
  exchanges: Exchanges,
): Promise<{ server: Server; shots: Partial<Record<Kind, LoadRequest>> }> {
  const own = scratchFolder();
  rival.prepare(own, exchanges);
  const shots = rival.shots(exchanges);
  const { path, headers } = shots["GET one observation"]!;
  return { server: await startServer((port) => rival.lineOf(rival.home, own, port), path, headers), shots };
}

function getFigures(kind: Kind, loads: Record<string, Loads>): Figure[] {
  const figureBy = (unit: string, pick: (load: Load) => number) => figure(kind, unit, getValues(kind, loads, pick));
  const goal = goals[kind];
  const rate = figureBy("requests a second", ({ perSecond }) => perSecond);
  const cost = figureBy("processor µs a request", ({ microseconds }) => microseconds);
  const p50 = figureBy("p50 ms", (one) => one.p50);
  const p99 = figureBy("p99 ms", (one) => one.p99);
  if (goal === undefined) return [rate, p50, p99, cost];
  return [withShares(rate, kind, goal.share), p50, atMost(p99, maxP99, sameBytes), atMost(cost, goal.cost, sameBytes)];
}

function withShares(rate: Figure, kind: Kind, share: number): Figure {
  const beside = atLeast(rate, share, sameBytes);
  return kind === "GET one observation" ? atLeast(atLeast(beside, 20, "Prism"), 6, "WireMock") : beside;
}

function getValues(kind: Kind, loads: Record<string, Loads>, pick: (load: Load) => number): Record<string, number> {
  const measured = Object.entries(loads).flatMap(([name, { [kind]: found }]) => (found ? [[name, median(found.map(pick))]] : []));
  return Object.fromEntries(measured);
}

/** Says for which servers the requests a second are limited by something else, and why. */
function listDoubts(bench: BenchContext, loads: Record<string, Loads>): void {
  for (const doubt of ["client-bound", "core shared"] as const) {
    const found = Object.entries(loads).flatMap(([name, of]) => {
      const doubtfulKinds = kinds.filter((kind) => of[kind]?.some((one) => one.doubt === doubt));
      return doubtfulKinds.length > 0 ? [`${name} (${doubtfulKinds.join(", ")})`] : [];
    });
    if (found.length > 0) bench.note(`${doubts[doubt]}: ${found.join("; ")}.`);
  }
}

function writeResponses(exchanges: Exchanges): string {
  const responses = Object.values(exchanges).map(({ shot, answer: response }) => [`${shot.method} ${shot.path}`, response]);
  return write(Object.fromEntries(responses));
}

function writeState({ key }: MockServer, exchanges: Exchanges): string {
  const { data } = JSON.parse(exchanges["a page of 100"].answer.body) as { data: BareState["rows"] };
  const state: BareState = { key, rows: data, job: JSON.parse(exchanges["POST a job"].answer.body) as BareState["job"] };
  return write(state);
}

function write(value: object): string {
  const file = join(scratchFolder(), "data.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

function rounds({ quick }: BenchContext): number {
  return quick ? 1 : 5;
}

function seconds({ quick }: BenchContext): number {
  return quick ? 1 : 3;
}
