import { findLowerBound } from "./arrays.js";
import { takeSerial } from "./ids-and-timestamps.js";
import type { EventDetails, Job, JobsFinish, ScheduledEvent, World } from "./world.js";

/** An event and the time at which it is due, in milliseconds since 1970. */
export type TimedEvent = { at: number } & EventDetails;

/** Jobs that start together, by run time in seconds. */
export type FinishGroups = Map<number, string[]>;

/** Adds an event to the schedule, after all events that are due at the same time. */
export function scheduleEvent(world: World, plan: TimedEvent): void {
  world.schedule.splice(findPositionAfter(world, plan.at), 0, addSerial(world, plan));
}

/** Adds a job that starts now to the group with the same run time. */
export function addToFinishGroup(ends: FinishGroups, { id, seconds }: Job): void {
  const others = ends.get(seconds);
  if (others) others.push(id);
  else ends.set(seconds, [id]);
}

/**
 * Schedules the ends of jobs that start now, one event for each run time. One event for hundreds of jobs keeps a large dispatch
 * fast. Keeps the order of separate events.
 */
export function scheduleFinishGroups(world: World, ends: FinishGroups): void {
  if (ends.size === 0) return;
  const events = [...ends].map(([seconds, jobs]): ScheduledEvent => {
    const at = computeFinishTime({ started_at: world.now, seconds });
    return { at, serial: takeSerial(world, "event"), event: "finish-job", jobs };
  });
  world.schedule = [...world.schedule, ...events].sort((a, b) => a.at - b.at);
}

/** Returns the ids of the jobs that an event finishes, in order. */
export function listFinishedJobs(event: { event: "finish-job"; job: string } | JobsFinish): readonly string[] {
  return "jobs" in event ? event.jobs : [event.job];
}

/** Returns the time at which a started job finishes, in milliseconds since 1970. */
export function computeFinishTime(job: Pick<Job, "started_at" | "seconds">): number {
  return (job.started_at ?? 0) + job.seconds * 1000;
}

/**
 * Schedules the next dispatch, unless it is scheduled already. JOB-STATE-DISPATCH: about every 30 s. Under `at-once` the dispatch
 * is due now; under `polls:N` none is scheduled.
 */
export function scheduleDispatch(world: World): void {
  const { work, dispatch_seconds } = world.options;
  const tickMs = dispatch_seconds * 1000;
  if (work === "at-once") scheduleEvent(world, { at: world.now, event: "dispatch" });
  if (work !== "time") return;
  const ticks = Math.floor((world.now - world.epoch) / tickMs) + 1;
  const at = world.epoch + ticks * tickMs;
  if (findEvent(world, at, (event) => event.event === "dispatch") < 0) scheduleEvent(world, { at, event: "dispatch" });
}

/** Removes and returns up to `max` events that are due at the earliest time. Returns none when that time is later than `by`. */
export function takeDueEvents(world: World, by: number, max: number): TimedEvent[] {
  const first = world.schedule[0];
  if (!first || first.at > by) return [];
  const dueTimedEvents: TimedEvent[] = [];
  let done = 0;
  for (const next of world.schedule) {
    if (next.at > first.at || dueTimedEvents.length >= max) break;
    if ("jobs" in next) {
      const { at, event, jobs } = next;
      for (const job of jobs.splice(0, max - dueTimedEvents.length)) dueTimedEvents.push({ at, event, job });
      if (jobs.length > 0) break;
    } else dueTimedEvents.push(next);
    done++;
  }
  world.schedule.splice(0, done);
  return dueTimedEvents;
}

/** Removes the scheduled end of a job that ended otherwise. */
export function unscheduleFinish(world: World, job: string, at: number): void {
  const place = findEvent(world, at, (event) => event.event === "finish-job" && listFinishedJobs(event).includes(job));
  const event = world.schedule[place];
  if (!event) return;
  if ("jobs" in event && event.jobs.length > 1) event.jobs.splice(event.jobs.indexOf(job), 1);
  else world.schedule.splice(place, 1);
}

function addSerial(world: World, { at, ...happening }: TimedEvent): ScheduledEvent {
  return { at, serial: takeSerial(world, "event"), ...happening };
}

function findEvent(world: World, at: number, isWanted: (event: ScheduledEvent) => boolean): number {
  for (let place = findPositionAfter(world, at) - 1; ; place--) {
    const event = world.schedule[place];
    if (event?.at !== at) return -1;
    if (isWanted(event)) return place;
  }
}

/** Returns the index of the first event that is due later. */
function findPositionAfter(world: World, at: number): number {
  return findLowerBound(world.schedule, (event) => event.at > at);
}
