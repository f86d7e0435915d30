import { enqueueDiscovery } from "./jobs/discovery.js";
import { completeJob, dispatchPending } from "./jobs/jobs.js";
import { warnKeyExpiry } from "./keys/keys.js";
import { readRow } from "./world/lookups.js";
import { type TimedEvent, takeDueEvents } from "./world/schedule.js";
import type { Change, World } from "./world/world.js";

/** The end of a clock move: a time in milliseconds, until no work is scheduled, or until the next event. */
export type ClockTarget = { to: number } | { until: "idle" | "next-event" };

/** The most events of one clock move, so that an endless schedule cannot hang the mock. */
const maxEvents = 100_000;

/**
 * Moves the world's clock forward and runs every due event in order, each at its own time. `until: "idle"` also runs the events
 * that those cause; `"next-event"` runs one. A time in the past changes nothing. Returns the state changes.
 */
export function advance(world: World, target: ClockTarget): Change[] {
  world.changes = [];
  const isOne = "until" in target && target.until === "next-event";
  for (let left = isOne ? 1 : maxEvents; left > 0; ) {
    const dueTimedEvents = takeDueEvents(world, findLimit(world, target), left);
    const [first] = dueTimedEvents;
    if (!first) break;
    world.now = Math.max(world.now, first.at);
    for (const event of dueTimedEvents) runEvent(world, event);
    left -= dueTimedEvents.length;
  }
  if ("to" in target) world.now = Math.max(world.now, target.to);
  const changes = world.changes;
  world.changes = [];
  return changes;
}

/** Returns the latest time to run. `"idle"` ignores expiry e-mails, which can lie months ahead. */
function findLimit(world: World, target: ClockTarget): number {
  if ("to" in target) return target.to;
  const work = world.schedule.findLast((event) => event.event !== "warn-key-expiry");
  return work?.at ?? Number.NEGATIVE_INFINITY;
}

function runEvent(world: World, dueTimedEvent: TimedEvent): void {
  switch (dueTimedEvent.event) {
    case "dispatch":
      dispatchPending(world);
      return;
    case "finish-job":
      completeJob(world, readRow(world.jobs, dueTimedEvent.job));
      return;
    case "enqueue-discovery":
      enqueueDiscovery(world, readRow(world.repos, dueTimedEvent.repo));
      return;
    case "warn-key-expiry":
      warnKeyExpiry(world, readRow(world.keys, dueTimedEvent.key));
      return;
    default:
      dueTimedEvent satisfies never;
  }
}
