import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import { entryAt } from "../world/lists.js";
import { type Order, page, type View } from "../world/views.js";
import type { Job, Repo, World } from "../world/world.js";

/** What a run is likely to cost (USD) and to take (seconds). FORECAST-ORDERED. */
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

/** How many of the newest runs a forecast looks at. Ours. */
const sampled = 50;
/** How far a run may lie from its profile: the spread of a run by the seed. */
const spread = 0.2;
const workflows = Object.keys(contract.workflows);

/**
 * Estimates a workflow from its newest completed runs, in some repositories or (null) the whole workspace; from the workflow's profile
 * where there are none (our choice).
 */
export function forecast(world: World, workspace: string, repos: Repo[] | null, workflow: WorkflowName): Forecast {
  const runs = newestRuns(world, runsView(workspace, repos), workflow);
  const { cost_usd, seconds } = world.runs[workflow];
  const [cost_low, cost_mid, cost_high] = runs.length > 0 ? observed(runs.map((job) => job.cost_usd)) : expected(cost_usd);
  const [duration_low, duration_mid, duration_high] = runs.length > 0 ? observed(runs.map(estimateDuration)) : expected(seconds);
  return {
    cost_low,
    cost_mid,
    cost_high,
    duration_low,
    duration_mid,
    duration_high,
    sample_size: runs.length,
    confidence: confidenceIn(runs.length),
  };
}

/** Completed runs, workflow by workflow and newest first, so that one view serves every workflow. */
function runsView(workspace: string, repos: Repo[] | null): View<"jobs"> {
  const ids = repos && new Set(repos.map((repo) => repo.id));
  return {
    table: "jobs",
    name: `runs ${JSON.stringify([workspace, ids && [...ids]])}`,
    order: byWorkflow,
    holds: (job) => job.status === "completed" && job.workspace === workspace && (!ids || ids.has(job.repo)),
  };
}

const byWorkflow: Order<"jobs"> = {
  name: "by workflow",
  rank: ({ workflow, finished_at, serial }) => [workflows.indexOf(workflow), -(finished_at ?? 0), -serial],
};

function newestRuns(world: World, view: View<"jobs">, workflow: WorkflowName): Job[] {
  const beforeNewest = [workflows.indexOf(workflow), Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return page(world, view, beforeNewest, sampled).rows.filter((job) => job.workflow === workflow);
}

function estimateDuration({ started_at, finished_at, seconds }: Job): number {
  return started_at === null || finished_at === null ? seconds : (finished_at - started_at) / 1000;
}

function observed(values: number[]): Range {
  const sorted = values.sort((a, b) => a - b);
  const middle = (entryAt(sorted, (sorted.length - 1) >> 1) + entryAt(sorted, sorted.length >> 1)) / 2;
  return [round(entryAt(sorted, 0)), round(middle), round(entryAt(sorted, sorted.length - 1))];
}

function expected(middle: number): Range {
  return [round(middle * (1 - spread)), round(middle), round(middle * (1 + spread))];
}

/** FORECAST-CONFIDENCE: banded; the bands and their names are ours. */
function confidenceIn(sampleSize: number): Forecast["confidence"] {
  if (sampleSize < 3) return "low";
  return sampleSize < 10 ? "medium" : "high";
}

/** Cents, or hundredths of a second. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
