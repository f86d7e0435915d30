import { startMock } from "../../src/mock/server.js";
import { atLeast, type Figure, figure, figureWithin, median, ours } from "./figures.js";
import type { BenchContext, Section } from "./section.js";

/** Measures the cost of a mock in the process of a test. */
export const inProcess: Section = { name: "in-process", title: "In the test's own process", measure };

const bySocket = "fetch by socket";
const starts = 40;
const atOnce = 16;

async function measure({ quick, tell }: BenchContext): Promise<Figure[]> {
  tell("mocks in a warm process");
  const listening = await timeStarts(true);
  const silent = await timeStarts(false);
  tell("fetch with a socket and without");
  const rates = await compareFetches(quick ? 1 : 5, quick ? 1000 : 5000);
  return [
    figureWithin(figure("startMock()", "ms", { [ours]: listening.mock }), 10),
    figure("startMock({ listen: false })", "ms", { [ours]: silent.mock }),
    figureWithin(figure("mock.world()", "ms", { [ours]: silent.world }), 1),
    atLeast(figure("mock.fetch", "requests a second", rates), 3, bySocket),
  ];
}

/** Milliseconds in which a mock starts and creates a world, in a process that has done both before. */
async function timeStarts(listen: boolean): Promise<{ mock: number; world: number }> {
  const times = { mock: [] as number[], world: [] as number[] };
  for (let i = 0; i < starts; i++) {
    const begun = performance.now();
    await using mock = await startMock({ clock: "frozen", listen });
    const started = performance.now();
    using _ = await mock.world();
    times.mock.push(started - begun);
    times.world.push(performance.now() - started);
  }
  return { mock: median(times.mock), world: median(times.world) };
}

/** Requests a second of this process to a mock in it, in turn with a socket and without. */
async function compareFetches(rounds: number, requests: number): Promise<Record<string, number>> {
  await using mock = await startMock({ clock: "frozen", limits: "off" });
  const rates = { [ours]: [] as number[], [bySocket]: [] as number[] };
  const url = `${mock.api_url}/api/jobs?limit=1`;
  for (let round = 0; round <= rounds; round++) {
    rates[bySocket]!.push(await getRate(fetch, requests, url, mock.keys.full));
    rates[ours]!.push(await getRate(mock.fetch, requests, url, mock.keys.full));
  }
  return Object.fromEntries(Object.entries(rates).map(([name, found]) => [name, median(found.slice(1))])); // the first round warms up
}

async function getRate(send: typeof fetch, requests: number, url: string, key = ""): Promise<number> {
  let left = requests;
  const begun = performance.now();
  const fire = async () => {
    while (left-- > 0) {
      const response = await send(url, { headers: { authorization: `Bearer ${key}` } });
      if (response.status !== 200) throw new Error(`GET ${url} gave ${response.status}`);
      await response.json();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, fire));
  return (requests / (performance.now() - begun)) * 1000;
}
