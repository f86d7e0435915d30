import { parseBodyJson, type WireResponse } from "../../engine/http/exchange.js";
import { readRpc, readToolResultText } from "../../engine/http/mcp.js";
import type { Failure, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { findToolBindings } from "../request-rules.js";
import { isRefusal } from "../response-rules.js";
import { findOperationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE } from "../statements/roles.js";
import { coverRequest } from "./coverage.js";
import type { Branch } from "./rules/branch.js";
import { findStatesAfterNoResponse, listBranches } from "./rules/branches.js";
import { judge } from "./rules/judge.js";
import { createStep, type ModelRequest } from "./rules/request.js";
import { joinStates, removeJobs, type States } from "./rules/states.js";
import { advanceTime } from "./rules/time.js";

/** A case in progress: its target, and the known states. */
export interface ModelRun {
  sut: SystemUnderTest;
  states: States;
  /** Number of judged responses. */
  subjects: number;
  /** Number of named resources. */
  names: number;
  /** Buckets that requests have counted against. Only an unused bucket can be judged. */
  usedBuckets: Set<string>;
  /** Number of requests without a response. */
  unanswered: number;
}

/** A contradiction, which ends the case; or undefined. */
export type Contradiction = Failure | undefined;

/** The result of a request. */
export interface RequestResult {
  failure?: Failure;
  /** The response; absent when the server sent none. */
  answer?: WireResponse;
}

/** Returns a name for a new resource. */
export function createNextName(modelRun: ModelRun, kind: string): string {
  modelRun.names += 1;
  return `${kind}${modelRun.names}`;
}

/** Sends a request, judges the response by the known states, and updates them. */
export async function send(modelRun: ModelRun, request: ModelRequest): Promise<RequestResult> {
  const statesBefore = modelRun.states;
  const result = await sendStep(modelRun, createStep(request), {
    by: request.by,
    branches: (states) => listBranches(states, request),
    unanswered: (states) => findStatesAfterNoResponse(states, request),
  });
  if (result.answer && !result.failure) {
    await saveCreatedJob(modelRun, request, result.answer);
    coverRequest(modelRun.sut.coverage, request, { before: statesBefore, after: modelRun.states, answer: result.answer });
  }
  return result;
}

/** How the response to a step is judged. */
export interface Expectation {
  by: ModelRequest["by"];
  branches: (states: States) => Branch[];
  unanswered?: (states: States) => States;
}

/** Sends a step and judges its response by the possible outcomes. */
export async function sendStep(
  modelRun: ModelRun,
  step: Step,
  { by, branches, unanswered }: Expectation,
): Promise<RequestResult> {
  const { sut } = modelRun;
  const setup = sut.steps.length;
  const stepResult = await sut.send(step);
  await readClock(modelRun);
  if (!stepResult.ok) {
    modelRun.unanswered += 1;
    if (unanswered) modelRun.states = unanswered(modelRun.states);
    return {};
  }
  const judgement = judge(branches(modelRun.states), { by }, stepResult.response, sut.lookup);
  modelRun.subjects += 1;
  if (judgement.ok) {
    modelRun.states = judgement.states;
    return { answer: stepResult.response };
  }
  const { save: _, saveCredential: __, ...plain } = step;
  const { clauses, why, allows } = judgement;
  const reads = step.rest?.startsWith("GET ") || step.mcp?.effect === "read";
  const last: Step = { ...plain, id: "contradiction", ...allows, ...(reads && { until: { within: "20s", every: "5s" } }) };
  const failure: Failure = {
    verdict: "failed",
    clauses,
    why: `${createTitle(step)}: ${why}`,
    steps: [...sut.steps.slice(0, setup), last],
  };
  return { failure, answer: stepResult.response };
}

/** Reads the target's clock, and updates the states when time has passed. */
export async function readClock(modelRun: ModelRun): Promise<void> {
  const now = (await modelRun.sut.now()).getTime();
  if (now !== modelRun.states.now || !modelRun.states.fresh) modelRun.states = advanceTime(modelRun.states, now);
}

/** Causes an event. When the target reports a failure, both states before and after it are possible. */
export async function drive(
  modelRun: ModelRun,
  { event, values = {}, save }: { event: string; values?: Record<string, unknown>; save?: Record<string, string> },
  then: (states: States) => States,
): Promise<boolean> {
  if (!modelRun.sut.offers(`drive.${event}`)) return false;
  const response = await modelRun.sut.drive(event, values, save);
  await readClock(modelRun);
  const next = then(modelRun.states);
  modelRun.states = response.ok ? next : (joinStates([modelRun.states, next]) ?? next);
  return response.ok;
}

/** Returns whether the target has the tool of a request, with known names. */
export function hasTool(modelRun: ModelRun, request: ModelRequest): boolean {
  const { mcp } = createStep({ ...request, by: "tool" });
  if (findOperationStatement(request.what).tool === undefined || !mcp || !modelRun.sut.offers("surface.mcp")) return false;
  return findToolBindings(mcp).every((binding) => modelRun.sut.offers(`binding.${binding}`));
}

/** Saves the id of a created job under its name. A tool response has no fixed place for the id, so the job is searched over REST. */
async function saveCreatedJob(modelRun: ModelRun, request: ModelRequest, response: WireResponse): Promise<void> {
  const { names } = request;
  if (names === undefined || !(names in modelRun.states.jobs)) return;
  if (request.by === "tool" && !isRefusal(response)) await findCreatedJob(modelRun, names, response);
  const { lookup: value } = modelRun.sut;
  const id = value(names);
  const isKnown = Object.keys(modelRun.states.jobs).some((other) => other !== names && value(other) === id);
  if (id !== undefined && !isKnown) return;
  const { [names]: _, ...jobs } = modelRun.states.jobs;
  const known = Object.entries(jobs).map(([name, job]) => [name, job.child === names ? removeChild(job) : job] as const);
  const keyed = removeJobs(modelRun.states.keyed, (name) => name === names);
  modelRun.states = { ...modelRun.states, jobs: Object.fromEntries(known), keyed };
}

function removeChild<T extends { child?: string }>({ child: _, ...job }: T): Omit<T, "child"> {
  return job;
}

async function findCreatedJob(modelRun: ModelRun, names: string, response: WireResponse): Promise<void> {
  const { sut, states } = modelRun;
  const rpc = readRpc(response);
  const text = rpc.ok ? readToolResultText(rpc.result) : "";
  const list: ModelRequest = {
    what: "GET /api/repos/{owner}/{repo}/{branch}/jobs",
    by: "rest",
    as: DEFAULT_ROLE,
    repo: states.jobs[names]?.repo ?? "repo",
    query: { limit: 100 },
  };
  const stepResult = await sut.send(createStep(list));
  const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
  const rows = body?.ok ? ((body.value as { data?: { id?: unknown }[] }).data ?? []) : [];
  const known = Object.keys(states.jobs).map((name) => sut.lookup(name));
  const index = rows.findIndex(({ id }) => typeof id === "string" && text.includes(id) && !known.includes(id));
  if (index >= 0) await sut.send({ ...createStep(list), save: { [names]: `/data/${index}/id` } });
}

function createTitle({ rest, mcp }: Step): string {
  return rest ?? (mcp?.tool ? `tool ${mcp.tool}` : "a request");
}
