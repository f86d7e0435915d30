import { Pool } from "undici";
import { debian, end, endAll, freePort, redis, startRedis, startReplica } from "../mock/store/programs.js";
import { countJobs, foundWorld, submitJob } from "../mock/store/writer.js";
import { startChild } from "./child.js";
import { type Load, load, type Shot } from "./load.js";

interface Ready {
  api_url: string;
}

const connections = 16;
const requests = 4000;
const takeovers = 5;
const world = "bench";

/** What it costs to keep the worlds of a mock in a store, a line for each figure; one that says why where there is no store to be had. */
export async function measureStore(): Promise<string[]> {
  if (!debian.found) return [`--store: skipped, as ${debian.name} is not installed`];
  try {
    const store = await startRedis();
    const first = await startReplica(store.port, await freePort(), "--limits", "off");
    const url = `http://127.0.0.1:${first.port}`;
    const alone = await startAlone();
    const rows = [
      await compare("GET a page of one", alone.ready.api_url, url, read),
      await compare("POST a job", alone.ready.api_url, url, post),
    ];
    await alone.stop();
    const bytes = await bytesPerCall(store.port);
    const handed = await handOver(store.port, url);
    await end(first);
    const dead = await outlive(store.port);
    return [
      ...rows,
      `bytes a call in the store: ${bytes}`,
      `a world of ${handed.jobs} jobs handed over, ms: ${Math.round(handed.ms)} (median of ${takeovers})`,
      `first answer of a world whose mock was killed, ms: ${Math.round(dead)}`,
    ];
  } finally {
    await endAll();
  }
}

async function startAlone() {
  const { main } = await import("../cli/counterpart.js");
  const ports = ["--port", "0", "--app-port", "0", "--docs-port", "0"];
  return startChild<Ready>([main, "mock", ...ports, "--limits", "off", "--json"]);
}

async function compare(what: string, alone: string, kept: string, shotOf: (i: number) => Shot): Promise<string> {
  const [without, withStore] = [await measure(alone, shotOf), await measure(kept, shotOf)];
  const show = ({ perSecond, p50, p99 }: Load) =>
    `${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return `${what}: ${show(without)}; with --store ${show(withStore)}: ${(withStore.perSecond / without.perSecond).toFixed(2)}`;
}

async function measure(url: string, shotOf: (i: number) => Shot): Promise<Load> {
  await foundWorld(url, world).catch(() => {}); // it is there already
  const pool = new Pool(url, { connections });
  await load(pool, connections, requests / 4, (i) => shotOf(-1 - i));
  const figures = await load(pool, connections, requests, shotOf);
  await pool.close();
  return figures;
}

const headers = { authorization: `Bearer mock_${world}_full`, "content-type": "application/json" };
const read = (): Shot => ({ method: "GET", path: "/api/repos?limit=1", headers, expect: 200 });
const post = (i: number): Shot => ({
  method: "POST",
  path: "/api/repos/acme/web/main/jobs?force=true",
  headers: { ...headers, "idempotency-key": `bench-${i}` },
  body: '{"workflow":"audit","params":{}}',
  expect: 201,
});

async function bytesPerCall(port: number): Promise<string> {
  const log = `counterpart:world:{${world}}:log`;
  const [bytes, entries] = [await redis(port, "MEMORY", "USAGE", log, "SAMPLES", "0"), await redis(port, "XLEN", log)];
  return Number(entries) === 0 ? "none since the last state" : String(Math.round(Number(bytes) / Number(entries)));
}

/** How long the first answer of another mock takes when one lets go. */
async function handOver(store: number, first: string): Promise<{ ms: number; jobs: number }> {
  const second = await startReplica(store, await freePort(), "--limits", "off");
  const urls = [`http://127.0.0.1:${second.port}`, first];
  const times: number[] = [];
  for (let i = 0; i < takeovers; i++) {
    const begun = performance.now();
    await submitJob(urls[i % 2]!, world, `handed-${i}`);
    times.push(performance.now() - begun);
  }
  const jobs = await countJobs(first, world);
  await end(second);
  return { ms: times.sort((a, b) => a - b)[Math.floor(takeovers / 2)]!, jobs };
}

async function outlive(store: number): Promise<number> {
  const [victim, heir] = [
    await startReplica(store, await freePort(), "--limits", "off"),
    await startReplica(store, await freePort(), "--limits", "off"),
  ];
  await submitJob(`http://127.0.0.1:${victim.port}`, world, "before");
  await end(victim, "SIGKILL");
  const begun = performance.now();
  await submitJob(`http://127.0.0.1:${heir.port}`, world, "after");
  return performance.now() - begun;
}
