import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import { readRpc, toolResultText } from "../../engine/http/mcp.js";
import type { Failure, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRefusal } from "../answer-rules.js";
import { bindingsOfTool } from "../request-rules.js";
import { operationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE } from "../statements/roles.js";
import type { Branch } from "./branch.js";
import { afterLost, branchesOf } from "./branches.js";
import { coverRequest } from "./coverage.js";
import { judge } from "./judge.js";
import { type ModelRequest, stepOf } from "./request.js";
import { joinStates, type States, withoutJobs } from "./states.js";
import { letTimePass } from "./time.js";

/** One case on its way: where it is played, and what is known so far. */
export interface ModelRun {
  sut: SystemUnderTest;
  states: States;
  /** Answers judged. */
  subjects: number;
  /** Things named so far. */
  names: number;
  /** Buckets that requests have drawn on, where only an untouched one can be judged. */
  usedBuckets: Set<string>;
  /** Requests that were not answered. */
  lost: number;
}

/** A contradiction, which ends the run, or nothing. */
export type Contradiction = Failure | undefined;

/** What became of a request. */
export interface RequestResult {
  failure?: Failure;
  /** The answer; none where the request was lost. */
  answer?: WireResponse;
}

/** A name for a thing that is yet to be made. */
export function nextName(modelRun: ModelRun, kind: string): string {
  modelRun.names += 1;
  return `${kind}${modelRun.names}`;
}

/** Sends a request, judges the answer by what is known, and keeps what it tells. */
export async function send(modelRun: ModelRun, request: ModelRequest): Promise<RequestResult> {
  const before = modelRun.states;
  const result = await sendStep(modelRun, stepOf(request), {
    by: request.by,
    branches: (states) => branchesOf(states, request),
    lost: (states) => afterLost(states, request),
  });
  if (result.answer && !result.failure) {
    await nameWhatWasMade(modelRun, request, result.answer);
    coverRequest(modelRun.sut.coverage, request, { before, after: modelRun.states, answer: result.answer });
  }
  return result;
}

/** What a step's answer is judged by. */
export interface Expectation {
  by: ModelRequest["by"];
  branches: (states: States) => Branch[];
  lost?: (states: States) => States;
}

/** Sends any step and judges its answer by the ways in which it may come out. */
export async function sendStep(modelRun: ModelRun, step: Step, { by, branches, lost }: Expectation): Promise<RequestResult> {
  const { sut } = modelRun;
  const setUp = sut.steps.length;
  const sent = await sut.send(step);
  await readClock(modelRun);
  if (!sent.ok) {
    modelRun.lost += 1;
    if (lost) modelRun.states = lost(modelRun.states);
    return {};
  }
  const judged = judge(branches(modelRun.states), { by }, sent.response, sut.lookup);
  modelRun.subjects += 1;
  if (judged.ok) {
    modelRun.states = judged.states;
    return { answer: sent.response };
  }
  const { save: _, saveCredential: __, ...plain } = step;
  const { clauses, why, allows } = judged;
  const reads = step.rest?.startsWith("GET ") || step.mcp?.effect === "read";
  const last: Step = { ...plain, id: "contradiction", ...allows, ...(reads && { until: { within: "20s", every: "5s" } }) };
  const failure: Failure = {
    verdict: "failed",
    clauses,
    why: `${titleOf(step)}: ${why}`,
    steps: [...sut.steps.slice(0, setUp), last],
  };
  return { failure, answer: sent.response };
}

/** Reads the target's clock: where it has moved, much may have happened. */
export async function readClock(modelRun: ModelRun): Promise<void> {
  const now = (await modelRun.sut.now()).getTime();
  if (now !== modelRun.states.now || !modelRun.states.fresh) modelRun.states = letTimePass(modelRun.states, now);
}

/** Makes an event happen. When the target says that it could not, it may have happened all the same. */
export async function drive(
  modelRun: ModelRun,
  { event, values = {}, save }: { event: string; values?: Record<string, unknown>; save?: Record<string, string> },
  then: (states: States) => States,
): Promise<boolean> {
  if (!modelRun.sut.offers(`drive.${event}`)) return false;
  const answer = await modelRun.sut.drive(event, values, save);
  await readClock(modelRun);
  const next = then(modelRun.states);
  modelRun.states = answer.ok ? next : (joinStates([modelRun.states, next]) ?? next);
  return answer.ok;
}

/** Whether the target has the tool that does this, under names that are known. */
export function hasTool(modelRun: ModelRun, request: ModelRequest): boolean {
  const { mcp } = stepOf({ ...request, by: "tool" });
  if (operationStatement(request.what).tool === undefined || !mcp || !modelRun.sut.offers("surface.mcp")) return false;
  return bindingsOfTool(mcp).every((binding) => modelRun.sut.offers(`binding.${binding}`));
}

/** Gives a job that was made its name. A tool does not say where its id stands, so the job is looked up over REST by what the tool said. */
async function nameWhatWasMade(modelRun: ModelRun, request: ModelRequest, answer: WireResponse): Promise<void> {
  const { names } = request;
  if (names === undefined || !(names in modelRun.states.jobs)) return;
  if (request.by === "tool" && !isRefusal(answer)) await findMade(modelRun, names, answer);
  const { lookup: value } = modelRun.sut;
  const id = value(names);
  const twin = Object.keys(modelRun.states.jobs).some((other) => other !== names && value(other) === id);
  if (id !== undefined && !twin) return;
  const { [names]: _, ...jobs } = modelRun.states.jobs;
  const known = Object.entries(jobs).map(([name, job]) => [name, job.child === names ? withoutChild(job) : job] as const);
  const keyed = withoutJobs(modelRun.states.keyed, (name) => name === names);
  modelRun.states = { ...modelRun.states, jobs: Object.fromEntries(known), keyed };
}

function withoutChild<T extends { child?: string }>({ child: _, ...job }: T): Omit<T, "child"> {
  return job;
}

async function findMade(modelRun: ModelRun, names: string, answer: WireResponse): Promise<void> {
  const { sut, states } = modelRun;
  const rpc = readRpc(answer);
  const said = rpc.ok ? toolResultText(rpc.result) : "";
  const list: ModelRequest = {
    what: "GET /api/repos/{owner}/{repo}/{branch}/jobs",
    by: "rest",
    as: DEFAULT_ROLE,
    repo: states.jobs[names]?.repo ?? "repo",
    query: { limit: 100 },
  };
  const listed = await sut.send(stepOf(list));
  const body = listed.ok ? bodyJson(listed.response) : undefined;
  const rows = body?.ok ? ((body.value as { data?: { id?: unknown }[] }).data ?? []) : [];
  const known = Object.keys(states.jobs).map((name) => sut.lookup(name));
  const index = rows.findIndex(({ id }) => typeof id === "string" && said.includes(id) && !known.includes(id));
  if (index >= 0) await sut.send({ ...stepOf(list), save: { [names]: `/data/${index}/id` } });
}

function titleOf({ rest, mcp }: Step): string {
  return rest ?? (mcp?.tool ? `tool ${mcp.tool}` : "a request");
}
