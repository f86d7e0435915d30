import { type Call, findRepoInPath, getFields, isRecord } from "./call.js";
import type { Choices } from "./choices.js";
import { fixable } from "./fixable.js";
import { showJob } from "./jobs.js";
import {
  type Fault,
  invalid,
  isRefusal,
  notFoundRefusal,
  type OperationResult,
  type Refusal,
  refuse,
  success,
} from "./operation-result.js";
import { lacks } from "./scopes.js";
import { drawSpend, getPrice } from "./spend.js";
import { createId, type Job, type Observation, type Repo, type Workspace } from "./state.js";
import { isInFlight } from "./time.js";

const DAY_MS = 86_400_000;
/** The workflows that can be submitted. */
export const KNOWN = ["standard_audit", "audit", "discover", "revalidate", "review", "fix", "publish", "task", "suggest"];
const BETA = ["task", "suggest"];
const RETIRED = "mini_audit";

/** A job to run. */
interface Order {
  workflow: string;
  params: string;
  repo: Repo;
  observation?: Observation;
}

/** POST /api/repos/{owner}/{repo}/{branch}/jobs */
export function submitJob(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const { workflow, params = call.choices.paramsRequired ? undefined : {} } = getFields(call);
  if (typeof workflow !== "string" || !isRecord(params)) return invalid(faultsOfSubmission(call));
  if (!KNOWN.includes(workflow)) return refuseUnknown(call, workflow);
  const order = { workflow, params: canonical(params), repo };
  const refusal = lacks(call, workflow) ?? refuseNotEntitled(call, workflow);
  if (refusal) return refusal;
  const observation = readParams(call, workflow, params);
  if (observation && isRefusal(observation)) return observation;
  return sameWork(call, order) ?? start(call, { ...order, ...(observation && { observation }) });
}

/** Returns the mistakes in the body of a submission. */
export function faultsOfSubmission(call: Call): Fault[] {
  const { workflow, params = call.choices.paramsRequired ? undefined : {} } = getFields(call);
  const faults: Fault[] = [];
  if (typeof workflow !== "string") faults.push({ field: "workflow", problem: "must be the name of a workflow" });
  if (!isRecord(params)) faults.push({ field: "params", problem: "must be an object" });
  return faults;
}

/** A retired workflow is no longer valid. The contract leaves open unknown workflows. */
function refuseUnknown({ choices }: Call, workflow: string): Refusal {
  return workflow === RETIRED || choices.unknownWorkflowHttp === 422
    ? invalid([{ field: "workflow", problem: "is none that can be run" }])
    : notFoundRefusal("workflow");
}

function refuseNotEntitled({ choices, workspace }: Call, workflow: string): Refusal | undefined {
  if (BETA.includes(workflow) && !workspace.beta)
    return refuse(403, "permission_error", "feature_not_enabled", "This is in private beta");
  const allowed = getWorkflows(choices, workspace.plan);
  if (BETA.includes(workflow) || allowed.includes(workflow)) return undefined;
  return refuse(402, "billing_error", choices.code("workflow not in plan"), "The plan has no such workflow", {
    extra: { details: { allowed_workflows: allowed, plan: workspace.plan } },
  });
}

/** The workflows of a plan, if plans differ. */
export function getWorkflows({ planGates, free, paid }: Choices, plan: Workspace["plan"]): string[] {
  return planGates ? { free, paid }[plan] : KNOWN.filter((workflow) => !BETA.includes(workflow));
}

/** Params that the workflow does not take are refused in words. A fix has its observation among them. */
function readParams(call: Call, workflow: string, params: Record<string, unknown>): Observation | Refusal | undefined {
  const { texts, fix, task, review } = call.choices.params;
  const must = { fix, task, review }[workflow];
  const invalidParams = (problem: string) => refuse(422, "validation_error", "invalid_payload", `${workflow}: ${problem}`);
  const stranger = Object.keys(params).find((name) => name !== texts && name !== must);
  if (stranger !== undefined) return invalidParams(`${stranger} is not one of its parameters`);
  if (params[texts] !== undefined && !isTexts(params[texts])) return invalidParams(`${texts} must be a list of texts`);
  if (must !== undefined && params[must] === undefined) return invalidParams(`${must} is missing`);
  if (workflow !== "fix" || call.choices.fixJob === "no attempt") return undefined;
  const observation = call.workspace.observations.find(({ ref }) => ref === params[fix]);
  if (!observation)
    return call.choices.fixJob === "attempt" ? invalidParams(`${fix} names no observation`) : notFoundRefusal("observation");
  return fixable(call, observation) ?? observation;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** The job that this submission already has: by its key within a day, in flight, or just completed. */
function sameWork(call: Call, order: Order): OperationResult | undefined {
  const { choices } = call;
  const operationResult = byIdempotencyKey(call, order);
  if (operationResult) return operationResult;
  const same = call.workspace.jobs.filter(
    ({ workflow, params, repo, commit, retryOf, status }) =>
      workflow === order.workflow &&
      params === order.params &&
      repo === order.repo &&
      (commit === repo.commit || (commit === undefined && status === "pending")) &&
      (!retryOf || choices.dedupesRetries),
  );
  const since = call.nowMs - choices.dedupeSeconds * 1000;
  const isForced = call.query.force === "true";
  const job =
    same.find(isInFlight) ?? (isForced ? undefined : same.find((job) => isMatched(choices, job) && (job.endedMs ?? 0) > since));
  if (job && choices.idempotencyKeepsAll) keepKey(call, order, job);
  return job && success(200, showJob(call, job));
}

function isMatched({ dedupeTerminal }: Choices, { status }: Job): boolean {
  return status === "completed" || (dedupeTerminal && (status === "failed" || status === "cancelled"));
}

function byIdempotencyKey(call: Call, { workflow, params }: Order): OperationResult | undefined {
  const kept = call.workspace.idempotency.get(idempotencyName(call));
  if (!kept || kept.atMs <= call.nowMs - DAY_MS) return undefined;
  const sameBody = kept.body === workflow + params;
  const how = sameBody ? "existing" : call.choices.idempotencyOther;
  if (how === "existing") {
    if (call.choices.idempotencyRenews) kept.atMs = call.nowMs;
    return success(200, showJob(call, kept.job));
  }
  const why = "This Idempotency-Key came with another body";
  return how === "conflict"
    ? refuse(409, "conflict", call.choices.code("key reused"), why)
    : refuse(422, "invalid_request_error", call.choices.code("key reused"), why);
}

function idempotencyName({ choices, headers, key, path }: Call): string {
  const name = headers["idempotency-key"];
  if (name === undefined) return "";
  const within = { workspace: "", key: key?.id, repository: JSON.stringify(path) }[choices.idempotencyPer];
  return `${within} ${name}`;
}

function start(call: Call, order: Order): OperationResult {
  const refusal = drawSpend(call, getPrice(order.workflow));
  if (refusal) return refusal;
  const job = enqueue(call, order);
  keepKey(call, order, job);
  return success(201, showJob(call, job));
}

function keepKey(call: Call, { workflow, params }: Order, job: Job): void {
  const name = idempotencyName(call);
  if (name) call.workspace.idempotency.set(name, { atMs: call.nowMs, job, body: workflow + params });
}

/** Adds a run to the queue. */
export function enqueue({ choices, workspace, world, nowMs, key }: Call, { workflow, params, repo, observation }: Order): Job {
  const fixing = observation && { observation, attempt: createId(world, "attempt") };
  const job: Job = {
    ...{ id: createId(world, "job"), workflow, params, repo, status: "pending", createdMs: nowMs },
    commit: choices.commitAt === "start" ? undefined : repo.commit,
    ...fixing,
    ...(choices.drawnAt === "end" && { owes: { key, when: "end" } }),
  };
  workspace.jobs.push(job);
  return job;
}

/** Params with sorted names, so equal ones are equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}
