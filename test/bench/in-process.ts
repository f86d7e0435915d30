import { startMock } from "../../src/mock/server.js";

const requests = 3000;
const rounds = 5;
const atOnce = 16;

/** Requests a second by `fetch` over a socket of this process, and without one, the median of some rounds taken in turn. */
export async function compareInProcess(): Promise<{ socket: number; inProcess: number }> {
  await using mock = await startMock({ clock: "frozen", limits: "off" });
  const perSecond = { socket: [] as number[], inProcess: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    perSecond.socket.push(await rateOf(fetch, mock.api_url, mock.keys.full));
    perSecond.inProcess.push(await rateOf(mock.fetch, mock.api_url, mock.keys.full));
  }
  return { socket: median(perSecond.socket.slice(1)), inProcess: median(perSecond.inProcess.slice(1)) };
}

/** Milliseconds that a mock takes to start, and to found a world, in a process that has done so before. */
export async function timeStarts(): Promise<{ mock: number; world: number }> {
  const times = { mock: [] as number[], world: [] as number[] };
  for (let i = 0; i < 40; i++) {
    const begun = performance.now();
    await using mock = await startMock({ clock: "frozen" });
    const started = performance.now();
    using _ = await mock.world();
    times.mock.push(started - begun);
    times.world.push(performance.now() - started);
  }
  return { mock: median(times.mock), world: median(times.world) };
}

async function rateOf(send: typeof fetch, base: string, key: string | undefined): Promise<number> {
  let left = requests;
  const begun = performance.now();
  const fire = async () => {
    while (left-- > 0) {
      const answer = await send(`${base}/api/jobs?limit=1`, { headers: { authorization: `Bearer ${key}` } });
      if (answer.status !== 200) throw new Error(`GET /api/jobs gave ${answer.status}`);
      await answer.json();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, fire));
  return (requests / (performance.now() - begun)) * 1000;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
