import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import { type Call, type Outcome, succeed } from "../call.js";
import { isSubmittable, refuseEntitlement, refuseWorkflow } from "../limits/admission.js";
import { findRepo, listReposBySlug, noSuchRepo } from "../repositories/repos.js";
import { readEntryAt } from "../world/arrays.js";
import { listShort } from "../world/listing.js";
import { type Order, readPage, type View } from "../world/views.js";
import type { Job, Repo, World } from "../world/world.js";

/** The likely cost (US dollars) and duration (seconds) of a run. FORECAST-ORDERED. */
export interface Forecast {
  cost_low: number;
  cost_mid: number;
  cost_high: number;
  duration_low: number;
  duration_mid: number;
  duration_high: number;
  sample_size: number;
  confidence: "low" | "medium" | "high";
}

type Range = readonly [low: number, mid: number, high: number];

/** The number of newest runs in a forecast. Our choice. */
const sampleLimit = 50;
/** The largest relative deviation of a run from its profile. */
const spread = 0.2;
const workflows = Object.keys(contract.workflows);

/**
 * Estimates a workflow from its newest completed runs, in some repositories or (null) the whole workspace. Without any run it
 * uses the workflow's profile (our choice).
 */
export function estimateForecast(world: World, workspace: string, repos: Repo[] | null, workflow: WorkflowName): Forecast {
  const runs = listNewestRuns(world, createRunsView(workspace, repos), workflow);
  const { cost_usd, seconds } = world.runs[workflow];
  const [cost_low, cost_mid, cost_high] =
    runs.length > 0 ? findRange(runs.map((job) => job.cost_usd)) : createRangeAround(cost_usd);
  const [duration_low, duration_mid, duration_high] =
    runs.length > 0 ? findRange(runs.map(estimateDuration)) : createRangeAround(seconds);
  return {
    cost_low,
    cost_mid,
    cost_high,
    duration_low,
    duration_mid,
    duration_high,
    sample_size: runs.length,
    confidence: estimateConfidence(runs.length),
  };
}

/** Lists completed runs by workflow, newest first, so that one view serves every workflow. */
function createRunsView(workspace: string, repos: Repo[] | null): View<"jobs"> {
  const ids = repos && new Set(repos.map((repo) => repo.id));
  return {
    table: "jobs",
    name: `runs ${JSON.stringify([workspace, ids && [...ids]])}`,
    order: byWorkflow,
    includes: (job) => job.status === "completed" && job.workspace === workspace && (!ids || ids.has(job.repo)),
  };
}

const byWorkflow: Order<"jobs"> = {
  name: "by workflow",
  rank: ({ workflow, finished_at, serial }) => [workflows.indexOf(workflow), -(finished_at ?? 0), -serial],
};

function listNewestRuns(world: World, view: View<"jobs">, workflow: WorkflowName): Job[] {
  const beforeNewest = [workflows.indexOf(workflow), Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return readPage(world, view, beforeNewest, sampleLimit).rows.filter((job) => job.workflow === workflow);
}

function estimateDuration({ started_at, finished_at, seconds }: Job): number {
  return started_at === null || finished_at === null ? seconds : (finished_at - started_at) / 1000;
}

function findRange(values: number[]): Range {
  const sortedValues = values.sort((a, b) => a - b);
  const middle =
    (readEntryAt(sortedValues, (sortedValues.length - 1) >> 1) + readEntryAt(sortedValues, sortedValues.length >> 1)) / 2;
  return [round(readEntryAt(sortedValues, 0)), round(middle), round(readEntryAt(sortedValues, sortedValues.length - 1))];
}

function createRangeAround(middle: number): Range {
  return [round(middle * (1 - spread)), round(middle), round(middle * (1 + spread))];
}

/** Returns the confidence band. FORECAST-CONFIDENCE: the bands and their names are our choice. */
function estimateConfidence(sampleSize: number): Forecast["confidence"] {
  if (sampleSize < 3) return "low";
  return sampleSize < 10 ? "medium" : "high";
}

/** Rounds to cents, or to hundredths of a second. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Lists a forecast for every workflow that the workspace may submit. FORECAST-REPO-ROUTE; PAGE-LISTS-UNSHOWN. */
export function listForecasts(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  const { workspace } = call.caller;
  const workflows = Object.keys(contract.workflows)
    .filter(isSubmittable)
    .filter((workflow) => !refuseEntitlement(world, call.caller, workflow));
  return listShort(call, repo.id, workflows, (workflow) => ({
    workflow,
    ...estimateForecast(world, workspace.id, [repo], workflow),
  }));
}

/**
 * Estimates one workflow for the repositories of a slug, or for the workspace. FORECAST-LOOKUP-REPO, FORECAST-LOOKUP-WORKSPACE. A
 * workflow that clients cannot submit is 422; an unknown slug is 404 (our choice).
 */
export function lookupForecast(world: World, call: Call): Outcome {
  const { workflow, repo_name } = call.query as { workflow: string; repo_name?: string };
  const { id } = call.caller.workspace;
  if (!isSubmittable(workflow)) return refuseWorkflow(workflow);
  const repos = repo_name === undefined ? null : listReposBySlug(world, id, repo_name);
  return repos?.length === 0 ? noSuchRepo : succeed(200, estimateForecast(world, id, repos, workflow));
}
