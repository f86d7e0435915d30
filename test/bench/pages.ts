import { fileURLToPath } from "node:url";
import { request } from "undici";
import { type Figure, figure, median } from "./figures.js";
import { type Server, startServer } from "./processes.js";
import type { BenchContext, Section } from "./section.js";

/** A page of 100 out of few and many rows. */
export const pages: Section = { name: "pages", title: "A page of 100 observations", measure };

const pageServer = fileURLToPath(new URL("page-server.js", import.meta.url));
const sizes = [1_000, 100_000, 1_000_000];
const samples = 15;
/** The number of pages before the deep page: the last but one of a thousand rows. */
const depth = 8;

/** The query of each filter; the empty one lists everything. `since` is the median time of the rows. */
const queries = [
  "",
  "kind=finding",
  "status=new",
  "status=closed",
  "priority=P1",
  "category=security",
  "domain=security",
  "close_reason=fixed",
  "repo=large-3@main",
  "has_fix_pr=true",
  "easy_wins=true",
  "needs_review=true",
  "since=2025-12-20T00:00:00Z",
  "order=display_rank",
  "order=resolved",
  "status=closed&order=resolved",
  "kind=finding&priority=P1&order=display_rank",
];

interface Times {
  loaded: number;
  memory: number;
  /** By query: the first response ever, the first page again, and a deep one, in milliseconds. */
  ever: Record<string, number>;
  again: Record<string, number>;
  deep: Record<string, number>;
}

async function measure(bench: BenchContext): Promise<Figure[]> {
  const times: [string, Times][] = [];
  for (const size of bench.quick ? sizes.slice(0, 2) : sizes) {
    bench.tell(`pages of ${size} observations`);
    times.push([`of ${size}`, await timeAll(size)]);
  }
  const figureBy = (what: string, unit: string, pick: (of: Times) => number) =>
    figure(what, unit, Object.fromEntries(times.map(([name, one]) => [name, pick(one)])));
  const rows = (["ever", "again", "deep"] as const).flatMap((when) => {
    const all = queries.map((query) =>
      twiceAtMost(figureBy(`${names[when]}: ${query || "all"}`, "ms", (one) => one[when][query]!)),
    );
    return bench.each ? all : [...all.slice(0, 1), ...getWorst(all.slice(1))];
  });
  const load = figureBy("cold start with them", "ms", ({ loaded }) => loaded);
  const memory = figureBy("memory of all processes", "MB", (one) => one.memory);
  return [...rows, ofLargest(load, 10_000), ofLargest(memory, 1536)];
}

const names = { ever: "the first read", again: "the first page", deep: "a deep page" };

/** The filter or order whose cost grows most with the number of rows. */
function getWorst(figures: Figure[]): Figure[] {
  const byReach = figures.toSorted((a, b) => (b.goals[0]?.reached ?? 0) - (a.goals[0]?.reached ?? 0));
  return byReach.slice(0, 1).map((one) => ({ ...one, what: `${one.what} (the worst of ${figures.length} filters and orders)` }));
}

async function timeAll(size: number): Promise<Times> {
  const server = await startServer(
    (port) => [process.execPath, "--max-old-space-size=4096", pageServer, `${port}`, `${size}`],
    "/__mock/health",
  );
  try {
    const { key } = JSON.parse(await server.firstLine) as { key: string };
    const times: Times = { loaded: server.firstResponseMs, memory: Number.NaN, ever: {}, again: {}, deep: {} };
    await timePage(server, key, "?repo=web@main&limit=100"); // the first request pays for the loading
    for (const query of queries) {
      times.ever[query] = (await timePage(server, key, `?${query}&limit=100`)).ms;
      times.again[query] = await middle(server, key, `?${query}&limit=100`);
      times.deep[query] = await middle(server, key, await deepQuery(server, key, query));
    }
    times.memory = server.memory();
    return times;
  } finally {
    await server.stop();
  }
}

async function middle(server: Server, key: string, query: string): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < samples; i++) found.push((await timePage(server, key, query)).ms);
  return median(found);
}

/** Follows the cursors and returns the query of a deep page, or of the last full one. */
async function deepQuery(server: Server, key: string, query: string): Promise<string> {
  let here = `?${query}&limit=100`;
  for (let i = 0; i < depth; i++) {
    const { next } = await timePage(server, key, here);
    if (next === null) break;
    const there = `?${query}&limit=100&cursor=${encodeURIComponent(next)}`;
    if ((await timePage(server, key, there)).rows < 100) break;
    here = there;
  }
  return here;
}

async function timePage({ url }: Server, key: string, query: string): Promise<{ ms: number; rows: number; next: string | null }> {
  const begun = performance.now();
  const { statusCode, body } = await request(`${url}/api/observations${query}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await body.text();
  const ms = performance.now() - begun;
  if (statusCode !== 200) throw new Error(`GET /api/observations${query} gave ${statusCode}: ${text}`);
  const { data, next_cursor } = JSON.parse(text) as { data: unknown[]; next_cursor: string | null };
  return { ms, rows: data.length, next: next_cursor };
}

/** The goal: the largest takes at most twice the smallest. */
function twiceAtMost(one: Figure): Figure {
  const [smallest, ...larger] = Object.values(one.values);
  const reached = larger.at(-1)! / smallest!;
  return { ...one, goals: [{ text: "largest <= 2 x smallest", reached, met: reached <= 2 }] };
}

/** The goal: the largest value is at most this. */
function ofLargest(one: Figure, max: number): Figure {
  const reached = Object.values(one.values).at(-1)!;
  return { ...one, goals: [{ text: `largest <= ${max} ${one.unit}`, reached, met: reached <= max }] };
}
