import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { submission } from "./exchanges.js";
import { atMost, type Figure, figure, figureWithin, ours } from "./figures.js";
import { type Load, load } from "./load.js";
import { type MockServer, startMockServer } from "./mock.js";
import type { BenchContext, Section } from "./section.js";

/** Measures which costs grow with the number of jobs in a world. */
export const growth: Section = { name: "growth", title: "As state grows", measure };

const begin = "at the start";
const full = 100_000;
const settlingMs = 1000;

async function measure(bench: BenchContext): Promise<Figure[]> {
  const goal = bench.quick ? full / 10 : full;
  const mock = await startMockServer("--clock", "frozen");
  try {
    const atRest = await getMemory(mock);
    const post = (seconds: number) => load(mock, submission(mock), seconds);
    let jobs = (await post(bench.quick ? 1 : 3)).requests; // warms up
    const first = await post(1);
    jobs += first.requests;
    while (jobs < goal) {
      bench.tell(`${jobs} of ${goal} jobs`);
      jobs += (await post(2)).requests;
    }
    const last = await post(1);
    bench.tell(`a dispatch tick of ${jobs} jobs`);
    const tick = await timeTick(mock);
    return [
      compareCosts(first, last, goal),
      figureWithin(figure(`longest wait of others while ${goal} jobs are dispatched`, "ms", { [ours]: tick }), 20),
      figure(`memory, and after ${goal} jobs`, "MB", { [begin]: atRest, [ours]: await getMemory(mock) }),
    ];
  } finally {
    await mock.stop();
  }
}

/** The cost with this many jobs compared with the cost at the start. A tenth more counts as equal, because measurements vary. */
function compareCosts(first: Load, last: Load, jobs: number): Figure {
  const costs = { [begin]: first.microseconds, [ours]: last.microseconds };
  return atMost(figure(`POST a job after ${jobs} of them`, "processor µs a request", costs), 1.1, begin);
}

/** Runs the dispatcher, and returns the longest time that a small request waited meanwhile. */
async function timeTick({ url, key }: MockServer): Promise<number> {
  let over = false;
  let longest = 0;
  const ask = async () => {
    while (!over) {
      const begun = performance.now();
      await (await request(`${url}/api/jobs?limit=1`, { headers: { authorization: `Bearer ${key}` } })).body.dump();
      longest = Math.max(longest, performance.now() - begun);
    }
  };
  const asking = ask();
  await sleep(200);
  longest = 0;
  const moved = await request(`${url}/__mock/worlds/default/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ by: "30s" }),
  });
  await moved.body.dump();
  await sleep(100);
  over = true;
  await asking;
  return longest;
}

async function getMemory(mock: MockServer): Promise<number> {
  await sleep(settlingMs);
  return mock.memory();
}
