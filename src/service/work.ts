import { advance } from "./advance.js";
import { completeJob, dispatch, scheduleFinish } from "./jobs/jobs.js";
import { hasPending } from "./world/lookups.js";
import { scheduleDispatch } from "./world/schedule.js";
import type { Change, Job, WorkMode, Workspace, World } from "./world/world.js";

/** Sets when jobs complete. Jobs that are pending or running follow the new mode. */
export function setWorkMode(world: World, work: WorkMode): void {
  world.options.work = work;
  if (hasPending(world)) scheduleDispatch(world);
  for (const job of Object.values(world.jobs)) if (job.status === "running") scheduleFinish(world, job);
}

/** Completes the work that is due, before a call in a world whose work does not follow the clock. Returns the changes. */
export function finishDueWork(world: World): Change[] {
  return advance(world, { to: world.now });
}

/**
 * Counts a read as a poll of the job that it names, or of all the workspace's jobs. Under `polls:N` a pending job starts at the
 * first poll and completes at poll N.
 */
export function countPoll(world: World, workspace: Workspace, jobId: unknown): void {
  const pollsNeeded = readPollLimit(world);
  if (pollsNeeded === null) return;
  const polled = typeof jobId === "string" ? [world.jobs[jobId]] : Object.values(world.jobs);
  for (const job of polled) if (job?.workspace === workspace.id) poll(world, job, pollsNeeded);
}

function poll(world: World, job: Job, pollsNeeded: number): void {
  if (job.status === "pending") dispatch(world, job);
  if (job.status !== "running") return;
  job.polls = (job.polls ?? 0) + 1;
  if (job.polls >= pollsNeeded) completeJob(world, job);
}

function readPollLimit({ options: { work } }: World): number | null {
  return work.startsWith("polls:") ? Number(work.slice("polls:".length)) : null;
}
