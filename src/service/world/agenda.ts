import { countBefore } from "./lists.js";
import { nextSerial } from "./stamps.js";
import type { Appointment, Happening, Job, RunEnds, World } from "./world.js";

/** What is to happen when. */
export type Plan = { at: number } & Happening;

/** Runs that begin together, by how many seconds they take. */
export type Ends = Map<number, string[]>;

/** Puts something on the agenda, behind everything that is due at the same time. */
export function schedule(world: World, plan: Plan): void {
  world.agenda.splice(placeBehind(world, plan.at), 0, appoint(world, plan));
}

/** Adds a run that begins now to those that end together with it. */
export function addEnd(ends: Ends, { id, seconds }: Job): void {
  const others = ends.get(seconds);
  if (others) others.push(id);
  else ends.set(seconds, [id]);
}

/**
 * Puts the ends of runs that begin now on the agenda, in the order in which `schedule` would one by one. Of many thousands some hundred end
 * at the same time: those are one appointment.
 */
export function scheduleEnds(world: World, ends: Ends): void {
  if (ends.size === 0) return;
  const appointments = [...ends].map(([seconds, jobs]): Appointment => {
    const at = endOf({ started_at: world.now, seconds });
    return { at, serial: nextSerial(world, "appointment"), event: "finish-job", jobs };
  });
  world.agenda = [...world.agenda, ...appointments].sort((a, b) => a.at - b.at);
}

/** The runs that an appointment ends, in their order. */
export function runsOf(appointment: { event: "finish-job"; job: string } | RunEnds): readonly string[] {
  return "jobs" in appointment ? appointment.jobs : [appointment.job];
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

/** Takes what is due at the soonest time off the agenda, one by one, so many at most; nothing when that is later than `by`. */
export function takeDue(world: World, by: number, most: number): Plan[] {
  const first = world.agenda[0];
  if (!first || first.at > by) return [];
  const due: Plan[] = [];
  let done = 0;
  for (const appointment of world.agenda) {
    if (appointment.at > first.at || due.length >= most) break;
    if ("jobs" in appointment) {
      const { at, event, jobs } = appointment;
      for (const job of jobs.splice(0, most - due.length)) due.push({ at, event, job });
      if (jobs.length > 0) break;
    } else due.push(appointment);
    done++;
  }
  world.agenda.splice(0, done);
  return due;
}

/** Strikes a run's planned end off the agenda, because it ended otherwise. */
export function forgetFinish(world: World, job: string, at: number): void {
  const place = findAt(world, at, (appointment) => appointment.event === "finish-job" && runsOf(appointment).includes(job));
  const appointment = world.agenda[place];
  if (!appointment) return;
  if ("jobs" in appointment && appointment.jobs.length > 1) appointment.jobs.splice(appointment.jobs.indexOf(job), 1);
  else world.agenda.splice(place, 1);
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
