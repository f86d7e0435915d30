import { countBefore } from "./lists.js";
import { type Appointment, type Happening, type Job, nextSerial, type World } from "./world.js";

/** What is to happen when. */
export type Plan = { at: number } & Happening;

/** Puts something on the agenda, behind everything that is due at the same time. */
export function schedule(world: World, plan: Plan): void {
  world.agenda.splice(placeBehind(world, plan.at), 0, appoint(world, plan));
}

/**
 * Puts the ends of runs on the agenda as `schedule` would one by one; in one go, since each alone moves all that comes behind it. Of many
 * thousands a few hundred end at the same time, so that there is little to sort.
 */
export function scheduleFinishes(world: World, jobs: readonly Job[]): void {
  const byTime = new Map<number, Appointment[]>();
  for (const job of jobs) {
    const at = endOf(job);
    const appointment: Appointment = { at, serial: nextSerial(world, "appointment"), event: "finish-job", job: job.id };
    const others = byTime.get(at);
    if (others) others.push(appointment);
    else byTime.set(at, [appointment]);
  }
  const times = [...byTime].sort(([a], [b]) => a - b);
  // two sorted runs, which are merged in one go
  world.agenda = [...world.agenda, ...times.flatMap(([, appointments]) => appointments)].sort((a, b) => a.at - b.at);
}

/** When a started run will end by itself. */
export function endOf(job: Pick<Job, "started_at" | "seconds">): number {
  return (job.started_at ?? 0) + job.seconds * 1000;
}

/**
 * Makes sure that the dispatcher comes by at its next tick. JOB-STATE-DISPATCH: about every 30 s. Where work is done at once it comes now,
 * and where questions after work do it, not by itself.
 */
export function scheduleDispatch(world: World): void {
  const { work, dispatch_seconds } = world.options;
  const tickMs = dispatch_seconds * 1000;
  if (work === "at-once") schedule(world, { at: world.now, event: "dispatch" });
  if (work !== "time") return;
  const ticks = Math.floor((world.now - world.epoch) / tickMs) + 1;
  const at = world.epoch + ticks * tickMs;
  if (findAt(world, at, (appointment) => appointment.event === "dispatch") < 0) schedule(world, { at, event: "dispatch" });
}

/** Takes what is due at the soonest time off the agenda, so many at most; nothing when that is later than `by`. */
export function takeDue(world: World, by: number, most: number): Appointment[] {
  const first = world.agenda[0];
  if (!first || first.at > by) return [];
  return world.agenda.splice(0, Math.min(placeBehind(world, first.at), most));
}

/** Strikes a run's planned end off the agenda, because it ended otherwise. */
export function forgetFinish(world: World, job: string, at: number): void {
  const place = findAt(world, at, (appointment) => appointment.event === "finish-job" && appointment.job === job);
  if (place >= 0) world.agenda.splice(place, 1);
}

function appoint(world: World, { at, ...happening }: Plan): Appointment {
  return { at, serial: nextSerial(world, "appointment"), ...happening };
}

function findAt(world: World, at: number, isWanted: (appointment: Appointment) => boolean): number {
  for (let place = placeBehind(world, at) - 1; ; place--) {
    const appointment = world.agenda[place];
    if (appointment?.at !== at) return -1;
    if (isWanted(appointment)) return place;
  }
}

/** The first position whose time is later. */
function placeBehind(world: World, at: number): number {
  return countBefore(world.agenda, (appointment) => appointment.at > at);
}
