import { parseArgs } from "node:util";
import { type CallerState, checkRows, closeCaller, control, openCaller } from "./caller.js";
import { getGrowth, type MemorySamples, memorySamples } from "./flat.js";
import { checkJournal } from "./journal.js";
import { type Memory, type Server, startServer } from "./server.js";
import { openDice, openTally, type Tally } from "./tally.js";
import { step } from "./traffic.js";
import { closeConnections } from "./wire.js";

const usage = `npm run soak -- [--minutes N | --requests N] [--worlds N] [--seed N] [--leak]
Loads a mock of its own with mixed traffic: a million requests, or for so many minutes. Exits 1 when an answer is lost or doubled, when a world
shows what the contract does not allow, or when memory has grown. With --leak the mock keeps the worlds that are taken away, so that it must fail.`;

/** The number of callers. Each has some of the worlds. */
const maxCallers = 32;
/** The most calls to a world before another replaces it. Less in a run of a few minutes, so that worlds come and go. */
const longestLife = { long: 300, short: 60 };
const samplesInAll = 50;

const { values: given } = parseArgs({
  options: {
    minutes: { type: "string" },
    requests: { type: "string" },
    worlds: { type: "string" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1e6)) },
    leak: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (given.help) console.log(usage);
else process.exitCode = await soak();

/** Loads the mock until the end or a signal. Returns the exit code. */
async function soak(): Promise<number> {
  const seed = Number(given.seed);
  const max = Number(given.requests ?? (given.minutes === undefined ? 1e6 : Number.POSITIVE_INFINITY));
  const begun = performance.now();
  const endTime = given.minutes === undefined ? Number.POSITIVE_INFINITY : begun + Number(given.minutes) * 60_000;
  const server = await startServer(given.leak);
  const tally = openTally();
  const isShort = (given.minutes !== undefined && Number(given.minutes) < 10) || max < 100_000;
  const life = isShort ? longestLife.short : longestLife.long;
  const worlds = Number(given.worlds ?? (isShort ? 100 : 200));
  const callers = Math.min(maxCallers, worlds);
  let isStopped = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (isStopped = true));
  const isOver = () => isStopped || server.died() || tally.requests >= max || performance.now() >= endTime;
  const part = () =>
    Math.max(tally.requests / max, given.minutes === undefined ? 0 : (performance.now() - begun) / (endTime - begun));
  console.log(`soak: seed ${seed}, ${worlds} worlds at a time, ${callers} callers`);
  const load = Promise.all(
    Array.from({ length: callers }, (_, n) =>
      call({ server, tally, seed: seed + n, count: Math.ceil(worlds / callers), life }, isOver),
    ),
  );
  const samples = await watch(server, tally, part, isOver, begun);
  await load.catch((error: unknown) => tally.broken.push(`the load ended: ${String(error)}`));
  const died = server.died();
  const left = died ? -1 : await worldsLeft(server, tally);
  await closeConnections();
  await server.stop();
  return tell(tally, memorySamples(samples), {
    seconds: (performance.now() - begun) / 1000,
    stopped: isStopped,
    died,
    left,
    worlds,
  });
}

/** A caller: the number of its concurrent worlds, and the most calls to each. */
interface Caller {
  server: Server;
  tally: Tally;
  seed: number;
  count: number;
  life: number;
}

/** One caller: sends one request after another in its worlds, and replaces a world when it is old enough. */
async function call({ server, tally, seed, count, life: longest }: Caller, isOver: () => boolean): Promise<void> {
  const dice = openDice(seed);
  const callers: { caller: CallerState; left: number }[] = [];
  for (let n = 0; n < count && !isOver(); n++) {
    callers.push({ caller: await openCaller(server, dice, tally), left: 1 + dice.below(longest) });
  }
  while (!isOver()) {
    const one = dice.of(callers);
    await step(one.caller);
    if (--one.left > 0) continue;
    await checkAndDelete(one.caller);
    Object.assign(one, { caller: await openCaller(server, dice, tally), left: 1 + dice.below(longest) });
  }
  if (!server.died()) for (const { caller } of callers) await checkAndDelete(caller);
}

/** Checks a world by its lists and its journal, and deletes it. */
async function checkAndDelete(caller: CallerState): Promise<void> {
  await checkRows(caller);
  await checkJournal(caller);
  caller.tally.checked++;
  await closeCaller(caller);
}

/** Measures memory at intervals until the end, and prints the progress. */
async function watch(server: Server, tally: Tally, part: () => number, isOver: () => boolean, begun: number): Promise<Memory[]> {
  const samples: Memory[] = [];
  for (let said = performance.now(); !isOver(); await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (part() * samplesInAll > samples.length) samples.push(await server.memory());
    if (performance.now() - said < 5000) continue;
    said = performance.now();
    const { heap = 0, rss = 0 } = samples.at(-1) ?? {};
    const rate = tally.requests / ((said - begun) / 1000);
    console.error(
      `soak: ${(part() * 100).toFixed(0)} %, ${tally.requests} requests (${rate.toFixed(0)}/s), ${tally.worlds} worlds, heap ${heap.toFixed(0)} MB, rss ${rss.toFixed(0)} MB, ${tally.broken.length} broken`,
    );
  }
  return samples;
}

async function worldsLeft(server: Server, tally: Tally): Promise<number> {
  const { json } = await control({ server, tally }, "GET", "/worlds");
  return (json as { worlds: string[] }).worlds.length - 1;
}

interface End {
  seconds: number;
  stopped: boolean;
  died: boolean;
  left: number;
  /** The number of concurrent worlds. */
  worlds: number;
}

function tell(tally: Tally, course: MemorySamples, { seconds, stopped, died, left, worlds }: End): number {
  // a leak of worlds is visible only after some worlds were deleted
  const isJudged = tally.worlds >= 3 * worlds;
  const grown = isJudged ? getGrowth(course) : [];
  const mb = (what: keyof Memory) =>
    [course.start, course.middle, course.end].map((memory) => memory[what].toFixed(0)).join(", ");
  console.log(
    [
      `${tally.requests} requests in ${seconds.toFixed(0)} s, ${(tally.requests / seconds).toFixed(0)}/s`,
      `worlds made ${tally.worlds}, checked ${tally.checked}, left ${left}`,
      `faults struck ${tally.faults}, clock moves ${tally.moves}, connections dropped ${tally.dropped}, slow readers ${tally.slow}`,
      `answers lost ${tally.lost}, doubled ${tally.doubled}`,
      `heap at start, middle, end: ${mb("heap")} MB; rss: ${mb("rss")} MB`,
      ...tally.broken.slice(0, 20).map((what) => `broken: ${what}`),
      ...(tally.broken.length > 20 ? [`and ${tally.broken.length - 20} more`] : []),
      ...grown,
      ...(isJudged ? [] : ["memory is not judged: too few worlds were deleted"]),
      ...(died ? ["the mock died"] : []),
    ].join("\n"),
  );
  const hasFailed = died || left !== 0 || tally.lost + tally.doubled + tally.broken.length + grown.length > 0;
  if (stopped) console.log("stopped before its end");
  console.log(hasFailed ? "soak: failed" : stopped ? "soak: nothing was found so far" : "soak: passed");
  return hasFailed ? 1 : stopped ? 130 : 0;
}
