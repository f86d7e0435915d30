import type { WorkflowName } from "../../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import { createJob, dispatch } from "../../../src/service/jobs/jobs.js";
import { drawSpend } from "../../../src/service/limits/spend.js";
import type { Job, Key, Workspace, World } from "../../../src/service/world/world.js";
import { changeMatchingResponses } from "../family.js";
import {
  changeResponses,
  getBody,
  getKey,
  getRepo,
  getRoute,
  param,
  type Shown,
  type WrapCall,
  withBody,
  withTemporaryFields,
  wrapRoute,
} from "../mutant.js";
import { submitRoute } from "./routes.js";

let different = 0;

const reactivatedWorkspaces = new WeakSet<Workspace>();

const suspended = new WeakSet<Workspace>();

export function jobById({ jobs }: World, id: string | null | undefined): Job | undefined {
  return jobs[id ?? ""];
}

export function getJob(world: World, call: IncomingCall): Job | undefined {
  return world.jobs[param(call, "job_id")];
}

/** Starts a job that was just shown. */
export function startShownJob(world: World, shown: unknown): Shown {
  const job = world.jobs[String((shown as Shown).id)]!;
  dispatch(world, job);
  return { status: job.status };
}

/** Changes a new job of one workflow into one of another. */
export function changeWorkflow(world: World, response: ServiceResponse, workflow: string): ServiceResponse {
  const shown = response.body as Shown;
  const job = world.jobs[String(shown?.id)];
  const otherWorkflowName: WorkflowName = workflow === "audit" ? "standard_audit" : "audit";
  if (response.status === 201 && job?.workflow === workflow) job.workflow = shown.workflow = otherWorkflowName;
  return response;
}

/** Creates a job for a submission that starts none. */
export function createUnwantedJob(isMeant: (response: ServiceResponse, call: IncomingCall) => boolean): WrapCall {
  return changeResponses(submitRoute, (response, world, call) => {
    const repo = getRepo(world, call);
    const asked = String(getBody(call).workflow);
    const workflow = (Object.hasOwn(world.runs, asked) ? asked : "audit") as WorkflowName;
    if (repo && isMeant(response, call)) createJob(world, { repo, workflow, params: {} });
    return response;
  });
}

export function getWorkspace(world: World, call: IncomingCall): Workspace | undefined {
  return world.workspaces[getKey(world, call)?.workspace ?? ""];
}

export function isSubmission(call: IncomingCall, workflow: string): boolean {
  return getRoute(call) === submitRoute && getBody(call).workflow === workflow;
}

export function onSubmitted(workflow: string, status: number, change: (job: Shown) => Shown): WrapCall {
  return changeMatchingResponses(
    (response, call) => response.status === status && isSubmission(call, workflow),
    (response) => ({ ...response, body: change(response.body as Shown) }),
  );
}

/** Makes the params of some submissions unique, so that no other job is identical. */
export function makeParamsUnique(isMeant: (call: IncomingCall, world: World) => boolean): WrapCall {
  return wrapRoute(submitRoute, (world, call, perform) => {
    const isFresh = call.idempotencyKey === undefined && isMeant(call, world);
    return perform(world, isFresh ? withBody(call, { params: { paths: [`different-${different++}`] } }) : call);
  });
}

/** A job in flight of the workflow and params of a submission, on the same repository. */
export function getIdenticalJob(world: World, call: IncomingCall): Job | undefined {
  const repo = getRoute(call) === submitRoute ? getRepo(world, call) : undefined;
  const { workflow, params = {} } = getBody(call);
  return Object.values(world.jobs).find(
    (job) =>
      job.repo === repo?.id &&
      job.workflow === workflow &&
      JSON.stringify(job.params) === JSON.stringify(params) &&
      job.finished_at === null,
  );
}

/** Changes the body of a submission. */
export function changeSubmissionBody(read: (body: Shown) => Shown): WrapCall {
  return wrapRoute(submitRoute, (world, call, perform) =>
    perform(world, { ...call, body: { kind: "json", value: read(getBody(call)) } }),
  );
}

/** Cancels scheduled discoveries: of one repository, or of all. */
export function forgetDiscoveries(world: World, id?: string): void {
  world.schedule = world.schedule.filter(
    (dueScheduledEvent) => dueScheduledEvent.event !== "enqueue-discovery" || (id !== undefined && dueScheduledEvent.repo !== id),
  );
}

/** The workspace of a key, and whether it is suspended after having been active again. */
export function getHistory(world: World, key: Key | undefined): { workspace: Workspace | undefined; suspendedBefore: boolean } {
  for (const workspace of Object.values(world.workspaces))
    if (workspace.state === "suspended") suspended.add(workspace);
    else if (suspended.has(workspace)) reactivatedWorkspaces.add(workspace);
  const workspace = world.workspaces[key?.workspace ?? ""];
  return { workspace, suspendedBefore: workspace?.state === "suspended" && reactivatedWorkspaces.has(workspace) };
}

/** Every key of a workspace that was suspended and is active again has other fields. */
export function afterSuspension(change: (key: Key) => Partial<Key>): WrapCall {
  return (world, call, perform) => {
    const key = getKey(world, call);
    const { workspace } = getHistory(world, key);
    const isMeant = key && workspace?.state === "active" && reactivatedWorkspaces.has(workspace);
    return isMeant ? withTemporaryFields(key, change(key), () => perform(world, call)) : perform(world, call);
  };
}

/** Draws the cost of a run for submissions with some status. */
export function drawRunCost(isMeant: (status: number) => boolean): WrapCall {
  return changeResponses(submitRoute, (response, world, call) => {
    const key = getKey(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    const caller = key && workspace && { workspace, key, session: null, scopes: new Set(key.scopes) };
    if (caller && isMeant(response.status)) drawSpend(world, caller, world.runs.standard_audit.cost_usd);
    return response;
  });
}
