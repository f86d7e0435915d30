import { Agent, request } from "undici";
import { waitUntil } from "./programs.js";

/** A client of one world. It submits jobs one after the other and repeats each submission until it gets a response. */
export interface Writer {
  world: string;
  /** The job that each key was answered with, in their order. */
  jobs: Map<string, string>;
  /** The most attempts for one call, and the responses to failed attempts. */
  maxCalls: number;
  failures: string[];
  /** The longest time between the first attempt of a call and its response, in milliseconds. */
  longestMs: number;
  stop(): Promise<void>;
}

const path = "/api/repos/acme/web/main/jobs?force=true";

/** The result of a call. It has no status if the connection broke. */
export interface Submitted {
  status: number | null;
  job: string | null;
  text: string;
}

/** Begins to write in a world. */
export function beginWriting(url: string, world: string): Writer {
  const agent = new Agent({ connections: 2, headersTimeout: 20_000 });
  let goesOn = true;
  const writer: Writer = { world, jobs: new Map(), maxCalls: 0, failures: [], longestMs: 0, stop };
  const submit = async (key: string): Promise<void> => {
    const began = performance.now();
    for (let calls = 1; calls < 20; calls++) {
      const response = await submitJob(url, world, key, agent);
      if (response.job) {
        writer.jobs.set(key, response.job);
        writer.maxCalls = Math.max(writer.maxCalls, calls);
        writer.longestMs = Math.max(writer.longestMs, performance.now() - began);
        return;
      }
      writer.failures.push(
        `${key} ${Math.round(performance.now() - began)} ms: ${response.status} ${response.text.slice(0, 100)}`,
      );
    }
    writer.maxCalls = 20;
  };
  const done = (async () => {
    for (let i = 1; goesOn; i++) await submit(`${world}-${i}`);
  })();
  async function stop(): Promise<void> {
    goesOn = false;
    await done;
    await agent.close();
  }
  return writer;
}

/** Submits a job once; with `timeoutMs` the call is given up after that time. */
export async function submitJob(url: string, world: string, key: string, agent?: Agent, timeoutMs?: number): Promise<Submitted> {
  try {
    const { statusCode, body } = await request(url + path, {
      method: "POST",
      headers: { authorization: `Bearer mock_${world}_full`, "content-type": "application/json", "idempotency-key": key },
      body: '{"workflow":"audit","params":{}}',
      ...(agent && { dispatcher: agent }),
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
    });
    const text = await body.text();
    const job = statusCode < 300 ? (JSON.parse(text) as { id: string }).id : null;
    return { status: statusCode, job, text };
  } catch (error) {
    return { status: null, job: null, text: String(error) };
  }
}

/** Creates a world that completes jobs at once and has no rate limits. */
export async function foundWorld(url: string, id: string, more: object = {}): Promise<void> {
  const { statusCode, body } = await request(`${url}/__mock/worlds`, {
    method: "POST",
    body: JSON.stringify({ id, limits: "off", work: "at-once", ...more }),
  });
  if (statusCode !== 201) throw new Error(`${statusCode} ${await body.text()}`);
  await body.dump();
}

/** Returns the number of jobs of a world, with those of its fixture. */
export async function countJobs(url: string, world: string): Promise<number> {
  const { body } = await request(`${url}/__mock/worlds/${world}`);
  return ((await body.json()) as { rows: { jobs: number } }).rows.jobs;
}

/** Returns the ids of all jobs of a world. Repeats the request while the response is 503, because another mock is acquiring the world. */
export async function getJobs(url: string, world: string): Promise<Set<string>> {
  let jobs: object = {};
  await waitUntil(async () => {
    const { statusCode, body } = await request(`${url}/__mock/worlds/${world}/snapshot`);
    if (statusCode >= 500) return body.dump().then(() => false);
    if (statusCode !== 200) throw new Error(`the snapshot of ${world}: ${statusCode} ${await body.text()}`);
    ({ jobs } = ((await body.json()) as { world: { jobs: object } }).world);
    return true;
  });
  return new Set(Object.keys(jobs));
}
