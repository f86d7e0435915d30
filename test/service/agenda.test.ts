import fc from "fast-check";
import { expect, test } from "vitest";
import { advance } from "../../src/service/advance.js";
import { schedule, scheduleFinishes } from "../../src/service/agenda.js";
import { createJob } from "../../src/service/jobs.js";
import { repoByPath } from "../../src/service/lookups.js";
import type { Job, World } from "../../src/service/world.js";
import { demoWorld } from "./world.js";

const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 });

test("the ends of many runs are planned as if one by one", () => {
  fc.assert(
    fc.property(lengths, lengths, (before, seconds) => {
      const [together, oneByOne] = [planned(before), planned(before)];
      const jobs = seconds.map((length, i) => ({ id: `job_${i}`, started_at: together.now, seconds: length }) as Job);
      scheduleFinishes(together, jobs);
      for (const { id, seconds } of jobs) schedule(oneByOne, { at: oneByOne.now + seconds * 1000, event: "finish-job", job: id });
      expect(together).toEqual(oneByOne);
    }),
    { numRuns: 50 },
  );
});

test("it does not matter in how many moves the clock gets somewhere", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_200_000 }), { minLength: 1, maxLength: 12 }), (steps) => {
      const [atOnce, bySteps, byEvents] = [busy(), busy(), busy()];
      const to = steps.reduce((sum, step) => sum + step, atOnce.now);
      const happened = advance(atOnce, { to });
      expect(steps.flatMap((step) => advance(bySteps, { to: bySteps.now + step }))).toEqual(happened);
      const events = [];
      while ((byEvents.agenda[0]?.at ?? Number.POSITIVE_INFINITY) <= to)
        events.push(...advance(byEvents, { until: "next-event" }));
      advance(byEvents, { to });
      expect([events, bySteps, byEvents]).toEqual([happened, atOnce, atOnce]);
    }),
    { numRuns: 15 },
  );
});

/** A world in which runs of these seconds end already. */
function planned(seconds: readonly number[]): World {
  const world = demoWorld();
  for (const [i, length] of seconds.entries())
    schedule(world, { at: world.now + length * 1000, event: "finish-job", job: `earlier_${i}` });
  return world;
}

/** A world with a queue. Runs are as long as each other, so that many end at one time. */
function busy(): World {
  const world = demoWorld();
  const repo = repoByPath(world, "acme/web/main")!;
  for (let i = 0; i < 40; i++) createJob(world, { repo, workflow: "audit", params: { i } }).seconds = 600 + (i % 3);
  return world;
}
