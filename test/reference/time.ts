import { closeObservation } from "./lifecycle.js";
import { type Job, mint, nowOf, type Workspace, type World } from "./state.js";

/** Brings a world up to its clock: discoveries get their jobs, pending jobs start at a tick, runs end. */
export function settle(world: World): void {
  if (world.choices.clock === "creeps") world.clockMs += 1;
  const now = nowOf(world);
  for (const workspace of world.workspaces) {
    discover(world, workspace, now);
    for (const job of workspace.jobs) if (isInFlight(job)) progress(world, job, now);
  }
}

/** Whether a job has not ended. */
export function isInFlight({ status }: Job): boolean {
  return status === "pending" || status === "running";
}

/** Ends a run. */
export function endRun(world: World, job: Job, succeeded: boolean, atMs: number): void {
  job.status = succeeded ? "completed" : "failed";
  job.startedMs ??= atMs;
  job.endedMs = atMs;
  const { observation } = job;
  if (succeeded && observation?.status === "new" && world.choices.prMergesOnSuccess) {
    observation.pull ??= { number: mint(world, "pull"), status: "merged" };
    closeObservation(observation, "fixed", atMs);
  }
}

function discover(world: World, workspace: Workspace, now: number): void {
  const due = workspace.discoveries.filter(({ atMs }) => atMs <= now);
  workspace.discoveries = workspace.discoveries.filter(({ atMs }) => atMs > now);
  for (const { repo, atMs } of due) {
    if (repo.deleted) continue;
    workspace.jobs.push({
      id: mint(world, "job"),
      workflow: "discover",
      params: "{}",
      repo,
      commit: repo.commit,
      status: "pending",
      createdMs: atMs,
    });
  }
}

function progress(world: World, job: Job, now: number): void {
  const tick = world.choices.dispatchSeconds * 1000;
  const startMs = (Math.floor(job.createdMs / tick) + 1) * tick;
  if (job.status === "pending" && startMs <= now) {
    job.status = "running";
    job.startedMs = startMs;
  }
  if (job.cancelsMs !== undefined && job.cancelsMs <= now && isInFlight(job)) {
    job.status = "cancelled";
    job.endedMs = job.cancelsMs;
  }
  const endMs = (job.startedMs ?? now) + world.choices.runSeconds * 1000;
  if (job.status === "running" && endMs <= now) endRun(world, job, true, endMs);
}
