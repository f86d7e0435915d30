import { contract } from "../contract/load.js";
import type { DismissalCategory, WorkflowName } from "../contract/types.js";
import { scheduleDispatch } from "./agenda.js";
import { startFix } from "./attempts.js";
import { closeFixPr, mergeFixPr, reviseFixPr } from "./fixes.js";
import { createJob, dispatch, finishJob, moveJob } from "./jobs.js";
import { hasPending, repoByPath } from "./lookups.js";
import { next } from "./machine.js";
import { changeObservation, createObservation } from "./observations.js";
import { draw } from "./random.js";
import { seedObservations } from "./seeding.js";
import type { CloseReason, Job, JobStatus, Observation, Repo, World } from "./world.js";

/** A job of a fixture. */
export interface FixtureJob {
  /** `owner/repo/branch`. */
  repo: string;
  workflow: WorkflowName;
  status: JobStatus;
  params?: Record<string, unknown>;
  /** How long before the world begins it was submitted. */
  age_minutes: number;
}

/** What an observation of a fixture may say about itself; the rest is made up by the seed. */
type Content = Pick<
  Observation,
  "kind" | "priority" | "category" | "domain" | "title" | "description" | "severity" | "locations"
> &
  Pick<Observation, "easy_win" | "needs_review">;

/** An observation of a fixture: open and untouched unless it says otherwise. */
export interface FixtureObservation extends Partial<Content> {
  /** `owner/repo/branch`. */
  repo: string;
  /** Closes it; not beside a fix PR that is open, or merged, which closes it by itself. */
  close_reason?: CloseReason;
  dismissal_category?: DismissalCategory;
  dismissal_note?: string;
  completion?: { url: string | null; note: string | null };
  acknowledged?: true;
  /** Where the pull request of its fix stands. */
  fix_pr?: FixPrStatus;
  /** How long before the world begins it was found; it was dealt with half-way. */
  age_minutes?: number;
}

/** What happened before a world began. */
export interface History {
  jobs?: FixtureJob[];
  /** The N-th becomes SERVICE-N. */
  observations?: FixtureObservation[];
  /** How many more observations each repository gets, made up by the seed. */
  generate?: { observations?: Record<string, number> };
}

type FixPrStatus = NonNullable<Observation["fix_pr"]>["status"];

/** Something that happened at a time, the clock set back to it. */
interface Event {
  at: number;
  happen(): void;
}

const minuteMs = 60_000;
const tickMs = contract.limits.dispatch.tick_seconds * 1000;
const oldestMinutes = 40 * 24 * 60;

/**
 * Plays what happened in a world of repositories before it began, by the functions that the service itself is made of, so that nothing
 * about a row is said twice. The clock stands where it stood when this is done.
 */
export function applyHistory(world: World, { jobs = [], observations = [], generate = {} }: History): void {
  const begin = world.now;
  const events = [
    ...jobs.map((given) => jobEvent(world, begin, given)),
    ...observations.flatMap((given) => listObservation(world, begin, given)),
  ];
  for (const { at, happen } of events.sort((a, b) => a.at - b.at)) {
    world.now = at;
    happen();
  }
  world.now = begin;
  for (const [repo, count] of Object.entries(generate.observations ?? {})) seedObservations(world, repoOf(world, repo), count);
  // the dispatcher has come by for all but those that still wait
  world.agenda = world.agenda.filter((appointment) => appointment.event !== "dispatch");
  if (hasPending(world)) scheduleDispatch(world);
}

function jobEvent(world: World, begin: number, { repo, workflow, status, params = {}, age_minutes }: FixtureJob): Event {
  const happen = () =>
    run(world, begin, createJob(world, { repo: repoOf(world, repo), workflow, params: structuredClone(params) }), status);
  return { at: begin - age_minutes * minuteMs, happen };
}

/** Takes a pending job to a status, as the dispatcher and the run would have. */
function run(world: World, begin: number, job: Job, status: JobStatus): void {
  if (status === "pending") return;
  world.now = Math.min(begin, world.now + tickMs);
  fitRun(job, status, (begin - world.now) / 1000);
  dispatch(world, job);
  if (status === "running") return;
  world.now += job.seconds * (status === "cancelled" ? 500 : 1000);
  if (status !== "cancelled") {
    finishJob(world, job, status === "completed" ? "success" : "failure");
    return;
  }
  const step = next("job", job.status, "cancel");
  if (step) moveJob(world, job, step);
}

/** A run that still goes on ends after the world begins; one that has ended did so before. */
function fitRun(job: Job, status: JobStatus, elapsedSeconds: number): void {
  if (status === "running") job.seconds = Math.max(job.seconds, Math.ceil(elapsedSeconds) + 1);
  else job.seconds = Math.min(job.seconds, Math.floor(elapsedSeconds));
}

/** Adds an observation in the order of the fixture, so that its number can be foretold; answers what is still to happen to it. */
function listObservation(world: World, begin: number, given: FixtureObservation): Event[] {
  const { repo, age_minutes, acknowledged, fix_pr, close_reason, dismissal_category, dismissal_note, completion, ...content } =
    structuredClone(given);
  const age = (age_minutes ?? draw(world) * oldestMinutes) * minuteMs;
  const observation = createObservation(world, repoOf(world, repo), { ...content, created_at: begin - age });
  const at = begin - age / 2;
  const events: Event[] = [];
  if (acknowledged) events.push({ at, happen: () => changeObservation(world, observation, { acknowledged_at: at }) });
  if (fix_pr) events.push({ at, happen: () => applyFix(world, begin, observation, fix_pr) });
  if (close_reason) {
    const dismissal = dismissal_category ? { dismissal_category, dismissal_note: dismissal_note ?? null } : {};
    const closing = { status: "closed", close_reason, resolved_at: at, completion: completion ?? null, ...dismissal } as const;
    events.push({ at, happen: () => changeObservation(world, observation, closing) });
  }
  return events;
}

/** A fix that opened a pull request, and what became of that. */
function applyFix(world: World, begin: number, observation: Observation, status: FixPrStatus): void {
  run(world, begin, startFix(world, observation).job, "completed");
  switch (status) {
    case "in_review":
      return;
    case "revising":
      reviseFixPr(world, observation);
      return;
    case "merged":
      mergeFixPr(world, observation);
      return;
    case "closed":
      closeFixPr(world, observation);
      return;
    default:
      status satisfies never;
  }
}

/** The repository that a row of the fixture is about. */
function repoOf(world: World, path: string): Repo {
  return repoByPath(world, path)!; // `fixtureFaults` refuses a fixture that names a repository it does not list
}
