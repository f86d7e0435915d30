import { enqueueDiscovery } from "./jobs/discovery.js";
import { dispatchPending, endByItself } from "./jobs/jobs.js";
import { warnKeyExpiry } from "./keys/keys.js";
import { type Plan, takeDue } from "./world/agenda.js";
import { rowOf } from "./world/lookups.js";
import type { Change, World } from "./world/world.js";

/** What a move of the clock may aim at. */
export type ClockTarget = { to: number } | { until: "idle" | "next-event" };

/** How many appointments one move may work off, so that no agenda keeps the clock for ever. */
const most = 100_000;

/**
 * Moves the world's clock forward and lets everything due on the way happen, in order and at its own time.
 * `until: "idle"` goes to the last thing on the agenda, and on to whatever that sets off; `"next-event"` to the first.
 * Answers the state changes that happened. A time in the past changes nothing.
 */
export function advance(world: World, target: ClockTarget): Change[] {
  world.changes = [];
  const isOne = "until" in target && target.until === "next-event";
  for (let left = isOne ? 1 : most; left > 0; ) {
    const due = takeDue(world, limitOf(world, target), left);
    const [first] = due;
    if (!first) break;
    world.now = Math.max(world.now, first.at);
    for (const one of due) happen(world, one);
    left -= due.length;
  }
  if ("to" in target) world.now = Math.max(world.now, target.to);
  const changes = world.changes;
  world.changes = [];
  return changes;
}

/** E-mail warnings can lie months ahead: waiting for idleness is waiting for work, not for them. */
function limitOf(world: World, target: ClockTarget): number {
  if ("to" in target) return target.to;
  const work = world.agenda.findLast((appointment) => appointment.event !== "warn-key-expiry");
  return work?.at ?? Number.NEGATIVE_INFINITY;
}

function happen(world: World, due: Plan): void {
  switch (due.event) {
    case "dispatch":
      dispatchPending(world);
      return;
    case "finish-job":
      endByItself(world, rowOf(world.jobs, due.job));
      return;
    case "enqueue-discovery":
      enqueueDiscovery(world, rowOf(world.repos, due.repo));
      return;
    case "warn-key-expiry":
      warnKeyExpiry(world, rowOf(world.keys, due.key));
      return;
    default:
      due satisfies never;
  }
}
