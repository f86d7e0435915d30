import { advance } from "./advance.js";
import { dispatch, endByItself, planEnd } from "./jobs/jobs.js";
import { scheduleDispatch } from "./world/agenda.js";
import { hasPending } from "./world/lookups.js";
import type { Change, Job, WorkPace, Workspace, World } from "./world/world.js";

/** Says from now on when work is done; what is under way goes on by the new rule. */
export function setWork(world: World, work: WorkPace): void {
  world.options.work = work;
  if (hasPending(world)) scheduleDispatch(world);
  for (const job of Object.values(world.jobs)) if (job.status === "running") planEnd(world, job);
}

/** Completes the work that is due, before a call in a world where work does not follow the clock. Returns the changes. */
export function settle(world: World): Change[] {
  return advance(world, { to: world.now });
}

/**
 * Counts a read as one question after work: after a job that it names, or after all of the workspace's. Where that is what ends work, a
 * waiting job starts with the first question and is done with the last.
 */
export function countPoll(world: World, workspace: Workspace, jobId: unknown): void {
  const most = pollsOf(world);
  if (most === null) return;
  const named = typeof jobId === "string" ? [world.jobs[jobId]] : Object.values(world.jobs);
  for (const job of named) if (job?.workspace === workspace.id) ask(world, job, most);
}

function ask(world: World, job: Job, most: number): void {
  if (job.status === "pending") dispatch(world, job);
  if (job.status !== "running") return;
  job.polls = (job.polls ?? 0) + 1;
  if (job.polls >= most) endByItself(world, job);
}

function pollsOf({ options: { work } }: World): number | null {
  return work.startsWith("polls:") ? Number(work.slice("polls:".length)) : null;
}
