import { afterAll, beforeAll, expect, it } from "vitest";
import { counterpart } from "../../../cli/counterpart.js";
import { describeWith } from "../../../meta/needs.js";
import { exhaustive, sampleSeed } from "../../../meta/sample.js";
import { debian, end, endAll, freePort, type Program, startNginx, startRedis, startReplica } from "./programs.js";
import { beginWriting, foundWorld, getJobs } from "./writer.js";

/** The random moments at which a replica is killed, in milliseconds behind the beginning of the load. */
const moments = Array.from({ length: exhaustive ? 20 : 1 }, (_, i) => 150 + ((sampleSeed * 7919 + i * 104_729) % 900));
const worlds = ["a", "b", "c", "d", "e", "f"];

describeWith(debian, "three replicas behind nginx", () => {
  const replicas: Program[] = [];
  let store: Program;
  let url: string;

  beforeAll(async () => {
    store = await startRedis();
    const [proxy, ...ports] = (await Promise.all(Array.from({ length: 4 }, freePort))) as [number, ...number[]];
    url = `http://127.0.0.1:${proxy}`;
    replicas.push(...(await Promise.all(ports.map((port) => start(port)))));
    await startNginx(ports, proxy);
  });
  afterAll(endAll);

  it.each(moments.map((ms, i) => [i, ms]))(
    "round %i: after a kill %i ms into the load, no answered write is lost or performed twice",
    async (round, ms) => {
      const names = worlds.map((name) => `${name}${round}`);
      await Promise.all(names.map((name) => foundWorld(url, name, { clock: "30x" })));
      const before = await Promise.all(names.map(getState));
      const writers = names.map((name) => beginWriting(url, name));
      await pause(ms);
      const victim = await busiest();
      await end(victim, "SIGKILL");
      replicas[replicas.indexOf(victim)] = await start(victim.port);
      await pause(1800);
      await Promise.all(writers.map((writer) => writer.stop()));
      const after = await Promise.all(names.map(getState));
      for (const [i, { world, jobs, maxCalls, failures, longestMs }] of writers.entries()) {
        const [then, now] = [before[i]!, after[i]!];
        for (const [key, job] of jobs) expect(now.jobs, `${key} was answered`).toContain(job);
        expect(new Set(jobs.values()).size).toBe(jobs.size);
        expect(now.jobs.size - then.jobs.size, `jobs of ${world}`).toBe(jobs.size);
        expect(maxCalls, failures.join("\n")).toBeLessThanOrEqual(2);
        expect(longestMs).toBeLessThan(6000);
        const passed = (now.clock - then.clock) / 30;
        expect(passed).toBeGreaterThan(now.wall[0] - then.wall[1] - 50);
        expect(passed).toBeLessThan(now.wall[1] - then.wall[0] + 50);
      }
      // the killed mock owned the world
      expect(Math.max(...writers.map(({ longestMs }) => longestMs))).toBeGreaterThan(500);
      await Promise.all(names.map((name) => fetch(`${url}/__mock/worlds/${name}`, { method: "DELETE" })));
    },
  );

  it("conforms like one mock", async () => {
    const run = await counterpart(
      "verify",
      url,
      "--profile",
      "full",
      "--only",
      "scenarios/4-jobs/idempotency*",
      "--report",
      "text",
    );
    expect(run.code, run.out + run.err).toBe(0);
  });

  function start(port: number): Promise<Program> {
    return startReplica(store.port, port, "--public-url", url);
  }

  /** The replica that has the most worlds in its hands. */
  async function busiest(): Promise<Program> {
    const counts = await Promise.all(
      replicas.map(({ port }) => json<{ worlds: number }>(`http://127.0.0.1:${port}/__mock/health`)),
    );
    const max = Math.max(...counts.map(({ worlds }) => worlds));
    return replicas[counts.findIndex(({ worlds }) => worlds === max)]!;
  }

  async function getState(world: string): Promise<{ jobs: Set<string>; clock: number; wall: [asked: number, told: number] }> {
    const jobs = await getJobs(url, world);
    const asked = Date.now();
    const { now } = await json<{ now: string }>(`${url}/__mock/worlds/${world}/clock`);
    return { jobs, clock: Date.parse(now), wall: [asked, Date.now()] };
  }
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function json<T>(url: string): Promise<T> {
  return (await fetch(url)).json() as Promise<T>;
}
