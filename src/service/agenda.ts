import { countBefore } from "./lists.js";
import { type Appointment, type Happening, nextSerial, type World } from "./world.js";

/** What is to happen when. */
export type Plan = { at: number } & Happening;

/** Puts something on the agenda, behind everything that is due at the same time. */
export function schedule(world: World, plan: Plan): void {
  world.agenda.splice(placeBehind(world, plan.at), 0, appoint(world, plan));
}

/** Puts many things on the agenda as `schedule` would one by one; in one go, since each alone moves all that comes behind it. */
export function scheduleAll(world: World, plans: readonly Plan[]): void {
  const appointments = plans.map((plan) => appoint(world, plan));
  world.agenda = [...world.agenda, ...appointments].sort((a, b) => a.at - b.at);
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

/** Takes what is due by a time off the agenda, soonest first; null when nothing is. */
export function takeDue(world: World, by: number): Appointment | null {
  const first = world.agenda[0];
  if (!first || first.at > by) return null;
  world.agenda.shift();
  return first;
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
