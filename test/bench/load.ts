import type { Dispatcher, Pool } from "undici";

/** A request of a load, and the status it must be answered with. */
export interface Shot {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
  expect: number;
}

/** What a load showed. Times in milliseconds. */
export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

/** Sends a number of requests over the connections of a pool, each connection busy all the time. Throws on an answer of another status. */
export async function load(pool: Pool, connections: number, count: number, shotOf: (i: number) => Shot): Promise<Load> {
  const times: number[] = [];
  let next = 0;
  const begun = performance.now();
  const fire = async () => {
    while (next < count) times.push(await shoot(pool, shotOf(next++)));
  };
  await Promise.all(Array.from({ length: connections }, fire));
  const elapsed = performance.now() - begun;
  times.sort((a, b) => a - b);
  return {
    perSecond: (count / elapsed) * 1000,
    p50: times[Math.floor(count * 0.5)]!,
    p99: times[Math.floor(count * 0.99)]!,
  };
}

async function shoot(pool: Pool, { expect, body, ...request }: Shot): Promise<number> {
  const begun = performance.now();
  const answer: Dispatcher.ResponseData = await pool.request({ ...request, body: body ?? null });
  if (answer.statusCode !== expect)
    throw new Error(`${request.method} ${request.path} gave ${answer.statusCode}: ${await answer.body.text()}`);
  await answer.body.dump();
  return performance.now() - begun;
}
