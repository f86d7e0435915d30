import { createObservation } from "./found.js";
import { closeObservation } from "./lifecycle.js";
import { charge, getPrice } from "./spend.js";
import { createId, getNow, type Job, type Workspace, type World } from "./state.js";

const DAY_MS = 86_400_000;
/** The number of jobs that a tick starts, in variants where it starts a few. */
const JOBS_PER_TICK = 12;
/** The number of concurrent jobs, in variants where a job waits for a runner. */
const RUNNERS = 2;

/** Brings a world up to its clock: discoveries get their jobs, pending jobs start at a tick, runs end. */
export function catchUp(world: World): void {
  if (world.choices.clock === "creeps") world.clockMs += 1;
  const now = getNow(world);
  for (const workspace of world.workspaces) {
    discover(world, workspace, now);
    dispatch(world, workspace, now);
    for (const job of workspace.jobs) if (isInFlight(job)) progress(world, workspace, job, now);
    expire(world, workspace, now);
  }
}

/** Whether a job has not ended. */
export function isInFlight({ status }: Job): boolean {
  return status === "pending" || status === "running";
}

/** The end of a run: with success or without, by time or by a driven event. */
interface RunEnd {
  succeeded: boolean;
  by: "time" | "drive";
  atMs: number;
}

/** Ends a run. */
export function endRun(world: World, workspace: Workspace, job: Job, { succeeded, by, atMs }: RunEnd): void {
  if (job.status === "pending") start(world, workspace, job, atMs);
  job.status = succeeded ? "completed" : "failed";
  job.endedMs = atMs;
  settleDebt(workspace, job, "end", atMs);
  if (succeeded) yieldFix(world, job, atMs);
  const { finds } = world.choices;
  if (succeeded && (finds === "always" || (finds === "timed" && by === "time")) && job.workflow.endsWith("audit"))
    workspace.observations.push({ ...createObservation(world, job.repo, atMs), kind: world.choices.auditFinds });
}

/** Applies the result of a successful fix. */
function yieldFix(world: World, { observation }: Job, atMs: number): void {
  if (!observation) return;
  const { lateFix, prMergesOnSuccess } = world.choices;
  if (observation.status === "new" && prMergesOnSuccess) {
    observation.pull ??= { number: createId(world, "pull"), status: "merged" };
    closeObservation(observation, "fixed", atMs);
  } else if (observation.status === "closed" && lateFix === "opens")
    observation.pull ??= { number: createId(world, "pull"), status: "closed" };
}

function discover(world: World, workspace: Workspace, now: number): void {
  const dueDiscoveries = workspace.discoveries.filter(({ atMs }) => atMs <= now);
  workspace.discoveries = workspace.discoveries.filter(({ atMs }) => atMs > now);
  for (const { repo, atMs, by } of dueDiscoveries) {
    if (repo.deleted) continue;
    const { drawAt, drawnAt, commitAt } = world.choices;
    const atEnd = drawAt === "registration" && drawnAt === "end"; // then nothing was charged at the registration
    const job: Job = {
      ...{ id: createId(world, "job"), workflow: "discover", params: "{}", repo, status: "pending", createdMs: atMs },
      commit: commitAt === "start" ? undefined : repo.commit,
      ...(drawAt === "start" && { owes: { key: by, when: "start" } }),
      ...(atEnd && { owes: { key: by, when: "end" } }),
    };
    workspace.jobs.push(job);
    if (drawAt === "row") charge(workspace, by, getPrice("discover"), atMs);
  }
}

/** Starts pending jobs at each tick, the oldest first: all, a few, or as many as there are free runners. */
function dispatch(world: World, workspace: Workspace, now: number): void {
  const { choices } = world;
  const tickMs = choices.dispatchSeconds * 1000;
  const pendingJobs = workspace.jobs.filter(({ status }) => status === "pending");
  const began = workspace.jobs.filter(({ startedMs }) => startedMs !== undefined);
  const getEnd = (job: Job) => job.endedMs ?? endOfRun(world, job, now);
  const hasRoom = (atMs: number) => {
    if (choices.dispatches === "all") return true;
    if (choices.dispatches === "as runners are free")
      return began.filter((job) => (job.startedMs ?? now) <= atMs && getEnd(job) > atMs).length < RUNNERS;
    return began.filter(({ startedMs }) => startedMs === atMs).length < (choices.dispatches === "a few" ? JOBS_PER_TICK : 5);
  };
  for (const job of pendingJobs) {
    let atMs = (Math.floor(job.createdMs / tickMs) + 1) * tickMs;
    while (atMs <= now && !hasRoom(atMs)) atMs += tickMs;
    if (atMs > now || (job.cancelsMs ?? Number.POSITIVE_INFINITY) <= atMs) continue;
    start(world, workspace, job, atMs);
    began.push(job);
  }
}

function endOfRun({ choices }: World, { startedMs, runsMs }: Job, now: number): number {
  return (startedMs ?? now) + (runsMs ?? choices.runSeconds * 1000);
}

function start({ choices }: World, workspace: Workspace, job: Job, atMs: number): void {
  job.status = "running";
  job.runsMs = choices.runSeconds * choices.runFactor * 1000;
  job.startedMs = atMs;
  job.commit ??= job.repo.commit;
  settleDebt(workspace, job, "start", atMs);
}

function progress(world: World, workspace: Workspace, job: Job, now: number): void {
  const endMs = endOfRun(world, job, now);
  const isLate = world.choices.lateFix === "cancelled" && job.observation?.status === "closed";
  const cancelMs = job.cancelsMs ?? (isLate ? Math.max(job.createdMs, job.observation?.closedMs ?? now) : undefined);
  if (cancelMs !== undefined && cancelMs <= now && (job.status === "pending" || cancelMs < endMs)) {
    job.status = "cancelled";
    job.endedMs = cancelMs;
  } else if (job.status === "running" && endMs <= now)
    endRun(world, workspace, job, { succeeded: !world.choices.runFails, by: "time", atMs: endMs });
}

function settleDebt(workspace: Workspace, job: Job, when: "start" | "end", atMs: number): void {
  if (job.owes?.when !== when) return;
  charge(workspace, job.owes.key, getPrice(job.workflow), atMs);
  delete job.owes;
}

/** Closes observations that were not changed for long. */
function expire({ choices }: World, { observations }: Workspace, now: number): void {
  const days = choices.expiresAfterDays;
  if (days === undefined) return;
  for (const observation of observations) {
    const atMs = observation.updatedMs + days * DAY_MS;
    if (observation.status === "new" && !observation.pull && atMs <= now) closeObservation(observation, "expired", atMs);
  }
}
