import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../../../../meta/needs.js";
import { exhaustive, sampleSeed } from "../../../../meta/sample.js";
import { type Member, type Outage, planFaults, randomFrom, runFaults } from "../faults.js";
import { debian, endAll, freePort, type Program, startRedis, startReplica } from "../programs.js";
import { startRelay } from "../relay.js";
import { countJobs, foundWorld, getJobs, submitJob } from "../writer.js";

/** The duration of the faults in seconds. `COUNTERPART_TEST_FAULT_SECONDS=600` runs a long test. */
const seconds = Number(process.env.COUNTERPART_TEST_FAULT_SECONDS ?? (exhaustive ? 60 : 9));
const longestFaultMs = seconds < 30 ? 2500 : 6000;
/** The goal is 5 s. The guard is generous, because the machine may be busy. */
const longestWaitMs = 20_000;
const callTimeoutMs = 1000;
const worlds = ["a", "b", "c"];

/** The observations of the clients of one world. */
interface Observations {
  /** The job that each acknowledged key was answered with. */
  acknowledged: Map<string, string>;
  /** Keys that were sent at least once. */
  sent: number;
  violations: string[];
  waits: Wait[];
}

/** The time from the first attempt of a call to its response. */
interface Wait {
  from: number;
  to: number;
  /** The only mock that was called; null when the client called one after another. */
  mock: number | null;
}

describeWith(debian, "three mocks with random faults of the store, the mocks and the connections between them", () => {
  const members: Member[] = [];
  let store: Program;

  beforeAll(async () => {
    store = await startRedis();
    members.push(
      ...(await Promise.all(
        [0, 1, 2].map(async () => {
          const relay = await startRelay(store.port);
          return { relay, mock: await startReplica(relay.port, await freePort()) };
        }),
      )),
    );
  });
  afterAll(async () => {
    for (const { relay } of members) relay.close();
    await endAll();
  });

  it(`every world answers again, and every answer is consistent (seed ${sampleSeed})`, async () => {
    const urls = members.map(({ mock }) => `http://127.0.0.1:${mock.port}`);
    await Promise.all(worlds.map((world) => foundWorld(urls[0]!, world)));
    const before = await Promise.all(worlds.map((world) => countJobs(urls[0]!, world)));
    const random = randomFrom(sampleSeed);
    const plan = planFaults(random, members.length, seconds * 1000, longestFaultMs);
    console.log(`Random faults with COUNTERPART_TEST_SEED=${sampleSeed}: ${plan.map(faultText).join(", ")}`);
    const clients = worlds.map((world, i) => beginCalling(urls, world, i, before[i]!));
    const outages = await runFaults(plan, store, members);
    const observationLists = await Promise.all(clients.map((stop) => stop()));

    for (const [i, { acknowledged, sent, violations }] of observationLists.entries()) {
      expect(violations, `world ${worlds[i]}`).toEqual([]);
      const jobs = await getJobs(urls[i]!, worlds[i]!);
      for (const [key, job] of acknowledged) expect(jobs.has(job), `${key} was acknowledged`).toBe(true);
      expect(new Set(acknowledged.values()).size).toBe(acknowledged.size);
      expect(acknowledged.size).toBe(sent);
      expect(jobs.size - before[i]!, "jobs that were created once").toBe(acknowledged.size);
    }
    const waits = observationLists.flatMap(({ waits }) => waits);
    const getLongest = (some: Wait[]) => Math.round(Math.max(...some.map((wait) => longestPart(wait, outages))));
    const [any, one] = [waits.filter(({ mock }) => mock === null), waits.filter(({ mock }) => mock !== null)].map(getLongest);
    const beyond = Math.round(Math.max(...waits.map((wait) => timeBeyond(wait, outages))));
    console.log(
      `Longest time without an answer beyond the faults themselves: ${beyond} ms (goal: 5000 ms). ` +
        `Longest while the store was up: ${any} ms for a client that tries every mock, ` +
        `${one} ms for a client of one mock that had no fault; ${waits.length} calls.`,
    );
    expect(Math.max(any!, one!)).toBeLessThan(longestWaitMs);
    expect(beyond).toBeLessThan(longestWaitMs);
  });
});

/** Starts to write to a world and to read from it. Returns a function that stops both after their last responses. */
function beginCalling(urls: readonly string[], world: string, first: number, jobsBefore: number): () => Promise<Observations> {
  const agent = new Agent({ connections: 4 });
  const observations: Observations = { acknowledged: new Map(), sent: 0, violations: [], waits: [] };
  let lastJob: string | null = null;
  let maxSeenCount = 0;
  let goesOn = true;
  /** Repeats a call until it is answered: at the same mock, or at one mock after another. */
  const untilAnswered = async <T>(start: number, stays: boolean, call: (url: string) => Promise<T | null>): Promise<T> => {
    const from = performance.now();
    for (let i = start; ; i += stays ? 0 : 1) {
      const response = await call(urls[i % urls.length]!);
      if (response !== null) {
        observations.waits.push({ from, to: performance.now(), mock: stays ? i % urls.length : null });
        return response;
      }
      await pause(50);
    }
  };
  const write = async () => {
    for (let i = 1; goesOn; i++) {
      const key = `${world}-${i}`;
      observations.sent++;
      const submit = async (url: string) => (await submitJob(url, world, key, agent, callTimeoutMs)).job;
      const job = await untilAnswered(first, false, submit);
      observations.acknowledged.set(key, job);
      lastJob = job;
      await pause(5);
    }
  };
  const read = async (stays: boolean, everyMs: number) => {
    for (let i = first; goesOn; i++) {
      const start = stays ? i : first;
      const [atLeast, job] = [Math.max(maxSeenCount, observations.acknowledged.size), lastJob];
      const count = (await untilAnswered(start, stays, (url) => countOnce(url, world, agent))) - jobsBefore;
      if (count < atLeast) observations.violations.push(`read ${count} jobs after ${atLeast} were acknowledged or read`);
      if (count > observations.sent) observations.violations.push(`read ${count} jobs when ${observations.sent} were sent`);
      maxSeenCount = Math.max(maxSeenCount, count);
      const status = job && (await untilAnswered(start, stays, (url) => statusOnce(url, world, job, agent)));
      if (job && status !== 200)
        observations.violations.push(`GET /api/jobs/${job} answered ${status} after it was acknowledged`);
      await pause(everyMs);
    }
  };
  const done = Promise.all([write(), read(false, 5), read(true, 300)]);
  return async () => {
    goesOn = false;
    await done;
    await agent.close();
    return observations;
  };
}

/** Counts the jobs of a world at one mock; null when it does not answer, or with 503. */
async function countOnce(url: string, world: string, dispatcher: Agent): Promise<number | null> {
  const response = await get(`${url}/__mock/worlds/${world}`, {}, dispatcher);
  return response && response.status === 200 ? (JSON.parse(response.text) as { rows: { jobs: number } }).rows.jobs : null;
}

async function statusOnce(url: string, world: string, job: string, dispatcher: Agent): Promise<number | null> {
  const response = await get(`${url}/api/jobs/${job}`, { authorization: `Bearer mock_${world}_full` }, dispatcher);
  return response && response.status !== 503 ? response.status : null;
}

async function get(
  url: string,
  headers: Record<string, string>,
  dispatcher: Agent,
): Promise<{ status: number; text: string } | null> {
  try {
    const { statusCode, body } = await request(url, { headers, dispatcher, signal: AbortSignal.timeout(callTimeoutMs) });
    return { status: statusCode, text: await body.text() };
  } catch {
    return null;
  }
}

/** Returns the longest part of a wait, in milliseconds, during which the store and the mock that was called had no fault. */
function longestPart({ from, to, mock }: Wait, outages: readonly Outage[]): number {
  const relevant = outages.filter((outage) => outage.mock === null || outage.mock === mock).toSorted((a, b) => a.from - b.from);
  let longest = 0;
  let since = from;
  for (const outage of relevant) {
    if (outage.to <= from || outage.from >= to) continue;
    longest = Math.max(longest, outage.from - since);
    since = Math.max(since, outage.to);
  }
  return Math.max(longest, to - since);
}

/** Returns the part of a wait, in milliseconds, during which no fault was active. */
function timeBeyond({ from, to }: Wait, outages: readonly Outage[]): number {
  let [beyond, since] = [0, from];
  for (const outage of outages.toSorted((a, b) => a.from - b.from)) {
    beyond += Math.max(0, Math.min(outage.from, to) - since);
    since = Math.max(since, outage.to);
  }
  return beyond + Math.max(0, to - since);
}

function faultText({ kind, mock, ms, restMs }: ReturnType<typeof planFaults>[number]): string {
  return `${kind}${mock === null ? "" : ` ${mock}`} ${ms} ms then ${restMs} ms`;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
