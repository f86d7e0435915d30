import { readFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { verify } from "../../src/index.js";
import type { Cost } from "./runner.js";

/**
 * Examines the server at the address in the first argument, with the key in the second, and writes into the folder in the third. Then sends
 * the same number of requests with the HTTP client alone, and prints the time of each in this process. Runs both once before, so that neither
 * time includes loading.
 */
const [, , url = "", key = "", out = ""] = process.argv;
const only = ["job-*", "idempotency-*", "dedupe-*"];

await examine(["repository-path-parts"]);
await send(200);
const runner = await getCost(() => examine(only));
const raw = await getCost(() => send(runner.requests));
console.log(JSON.stringify({ runner, raw }));

async function examine(scenarios: string[]): Promise<number> {
  const { report, messages } = await verify({ url, key, only: scenarios, runs: 0, out, profile: "full" });
  if (!report) throw new Error(`nothing was examined: ${messages.join(" ")}`);
  return exchangesIn(readFileSync(join(out, "trace.ndjson"), "utf8"));
}

/** Returns the number of exchanges in a trace. It includes requests that create worlds and drive events, which a report does not count. */
function exchangesIn(trace: string): number {
  return trace.split("\n").filter((line) => line.includes('"kind":"exchange"')).length;
}

async function send(count: number): Promise<number> {
  for (let i = 0; i < count; i++) {
    const { body } = await request(`${url}/api/jobs?limit=5`, { headers: { authorization: `Bearer ${key}` } });
    await body.json();
  }
  return count;
}

async function getCost(work: () => Promise<number>): Promise<Cost> {
  const before = process.cpuUsage();
  const begun = performance.now();
  const requests = await work();
  const { user, system } = process.cpuUsage(before);
  return { requests, processor: (user + system) / requests, wall: ((performance.now() - begun) * 1000) / requests };
}
