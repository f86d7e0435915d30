import { afterAll, beforeAll, expect, it } from "vitest";
import { counterpart } from "../../cli/counterpart.js";
import { describeWith } from "../../needs.js";
import { exhaustive, sampleSeed } from "../../sample.js";
import { debian, end, endAll, freePort, type Program, startNginx, startRedis, startReplica } from "./programs.js";
import { beginWriting, foundWorld, jobsOf } from "./writer.js";

/** The random moments at which a replica is killed, in milliseconds behind the beginning of the load. */
const moments = Array.from({ length: exhaustive ? 20 : 3 }, (_, i) => 150 + ((sampleSeed * 7919 + i * 104_729) % 900));
const worlds = ["a", "b", "c", "d", "e", "f"];

describeWith(debian, "three replicas behind nginx", () => {
  const replicas: Program[] = [];
  let store: Program;
  let url: string;

  beforeAll(async () => {
    store = await startRedis();
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    replicas.push(...(await Promise.all(ports.map((port) => startReplica(store.port, port)))));
    url = `http://127.0.0.1:${(await startNginx(ports)).port}`;
  });
  afterAll(endAll);

  it.each(moments.map((ms, i) => [i, ms]))(
    "round %i: one killed %i ms after the load began, and no answered write is lost or done twice",
    async (round, ms) => {
      const names = worlds.map((name) => `${name}${round}`);
      await Promise.all(names.map((name) => foundWorld(url, name)));
      await foundWorld(url, `clock${round}`, { clock: "30x" });
      const before = await Promise.all(names.map((name) => jobsOf(url, name)));
      const clock = await clockOf(`clock${round}`);
      const writers = names.map((name) => beginWriting(url, name));
      await new Promise((resolve) => setTimeout(resolve, ms));
      const victim = replicas[round % 3]!;
      await end(victim, "SIGKILL");
      replicas[round % 3] = await startReplica(store.port, victim.port);
      await new Promise((resolve) => setTimeout(resolve, 1800));
      await Promise.all(writers.map((writer) => writer.stop()));
      for (const [i, { world, jobs, mostCalls, failures, longestMs }] of writers.entries()) {
        const after = await jobsOf(url, world);
        for (const [key, job] of jobs) expect(after, `${key} was answered`).toContain(job);
        expect(new Set(jobs.values()).size).toBe(jobs.size);
        expect(after.size - before[i]!.size, `jobs of ${world}`).toBe(jobs.size);
        expect(mostCalls, failures.join("\n")).toBeLessThanOrEqual(2);
        expect(longestMs).toBeLessThan(6000);
      }
      expect(writers.some(({ failures }) => failures.length > 0) || writers.some(({ longestMs }) => longestMs > 500)).toBe(true);
      const later = await clockOf(`clock${round}`);
      const pace = (later.world - clock.world) / (later.wall - clock.wall);
      expect(pace).toBeGreaterThan(29);
      expect(pace).toBeLessThan(31);
    },
  );

  it("conforms like one", async () => {
    const run = await counterpart("verify", url, "--profile", "full", "--only", "scenarios/4-keys/**", "--report", "text");
    expect(run.code, run.out + run.err).toBe(0);
  });

  async function clockOf(world: string): Promise<{ world: number; wall: number }> {
    const { now } = (await (await fetch(`${url}/__mock/worlds/${world}/clock`)).json()) as { now: string };
    return { world: Date.parse(now), wall: Date.now() };
  }
});
