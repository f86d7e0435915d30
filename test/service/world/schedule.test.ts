import fc from "fast-check";
import { expect, test } from "vitest";
import { showChanges } from "../../../src/mock/journal/changes.js";
import { advance } from "../../../src/service/advance.js";
import { findWorldErrors } from "../../../src/service/fixture/world-validation.js";
import { createJob, moveJob } from "../../../src/service/jobs/jobs.js";
import { setWorkMode } from "../../../src/service/work.js";
import { findRepoByPath } from "../../../src/service/world/lookups.js";
import { listFinishedJobs } from "../../../src/service/world/schedule.js";
import { findNextState } from "../../../src/service/world/state-machine.js";
import type { ScheduledEvent, World } from "../../../src/service/world/world.js";
import { demoWorld } from "../world.js";

/** The actions on a world with a queue, each with the number of a job. */
const weightedRequests: ((world: World, which: number) => unknown)[] = [
  (world) => showChanges(advance(world, { until: "next-event" })),
  (world, which) => showChanges(advance(world, { to: world.now + (which % 3) * 1000 })),
  (world) => showChanges(advance(world, { to: world.now + 600_000 })),
  (world, which) => submit(world, which),
  cancel,
  cancel,
  (world) => showChanges(advance(world, { until: "idle" })),
  (world) => {
    setWorkMode(world, "polls:3");
    setWorkMode(world, "time");
  },
];

test("each started job has one scheduled end, after those of older jobs that end at the same time", () => {
  const world = busy();
  advance(world, { to: world.now + 30_000 });
  const jobs = Object.values(world.jobs).filter(({ started_at }) => started_at === world.now);
  const inOrder = jobs.toSorted((a, b) => a.seconds - b.seconds || a.serial - b.serial).map(({ id }) => id);
  const ends = world.schedule.flatMap((scheduledEvent) =>
    scheduledEvent.event === "finish-job" ? listFinishedJobs(scheduledEvent) : [],
  );
  expect(jobs.length).toBeGreaterThan(39);
  expect(ends.filter((id) => inOrder.includes(id))).toEqual(inOrder);
});

test("jobs that start and end together end as if each had a separate event", () => {
  const some = fc.array(fc.tuple(fc.nat({ max: weightedRequests.length - 1 }), fc.nat({ max: 60 })), {
    minLength: 5,
    maxLength: 25,
  });
  fc.assert(
    fc.property(some, (steps) => {
      const [together, apart] = [busy(), busy()];
      // a move of ten minutes passes a dispatch tick and the ends of the started jobs
      for (const [act, which] of [[2, 0], ...steps, [2, 0], [2, 0]] as const) {
        expect(weightedRequests[act]!(apart, which)).toEqual(weightedRequests[act]!(together, which));
        apart.schedule = oneByOne(apart);
        expect(oneByOne(together).map(withoutNumber)).toEqual(apart.schedule.map(withoutNumber));
      }
      expect({ ...together, schedule: [], serials: {} }).toEqual({ ...apart, schedule: [], serials: {} });
      expect(findWorldErrors(together)).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test("one move of the clock equals several smaller moves", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_200_000 }), { minLength: 1, maxLength: 12 }), (steps) => {
      const [atOnce, bySteps, byEvents] = [busy(), busy(), busy()];
      const to = steps.reduce((sum, step) => sum + step, atOnce.now);
      const happened = advance(atOnce, { to });
      expect(steps.flatMap((step) => advance(bySteps, { to: bySteps.now + step }))).toEqual(happened);
      const events = [];
      while ((byEvents.schedule[0]?.at ?? Number.POSITIVE_INFINITY) <= to)
        events.push(...advance(byEvents, { until: "next-event" }));
      advance(byEvents, { to });
      expect([events, bySteps, byEvents]).toEqual([happened, atOnce, atOnce]);
    }),
    { numRuns: 15 },
  );
});

/** Returns a world with a queue. Runs have equal lengths, so that many end at the same time. */
function busy(): World {
  const world = demoWorld();
  for (let i = 0; i < 40; i++) submit(world, i);
  return world;
}

function submit(world: World, which: number): void {
  const repo = findRepoByPath(world, "acme/web/main")!;
  createJob(world, { repo, workflow: "audit", params: { which } }).seconds = 600 + (which % 3);
}

function cancel(world: World, which: number): string | null {
  const job = Object.values(world.jobs).at(-which - 1);
  const step = job && findNextState("job", job.status, "cancel");
  if (!job || !step) return null;
  moveJob(world, job, step);
  return job.id;
}

/** Returns the schedule with one event per job. */
function oneByOne({ schedule }: World): ScheduledEvent[] {
  return schedule.flatMap((scheduledEvent): ScheduledEvent[] => {
    if (scheduledEvent.event !== "finish-job") return [scheduledEvent];
    const { at, serial, event } = scheduledEvent;
    return listFinishedJobs(scheduledEvent).map((job) => ({ at, serial, event, job }));
  });
}

/** Returns an event without its serial number. */
function withoutNumber({ serial: _, ...event }: ScheduledEvent): object {
  return event;
}
