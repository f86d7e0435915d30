import { isRoute } from "../../statements/operations.js";
import { DEFAULT_ROLE, invalidCredentials } from "../../statements/roles.js";
import type { Choose } from "../command.js";
import { type Contradiction, createNextName, hasTool, type ModelRun, type RequestResult, send } from "../model-run.js";
import type { ModelRequest } from "../rules/request.js";
import type { States } from "../rules/states.js";

/** Returns the names of known resources, the newest first. */
export function sortNewestFirst(things: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(things).reverse();
}

/** Returns the request on the chosen surface, where the target has the tool. */
export function chooseSurface(modelRun: ModelRun, choose: Choose, request: Omit<ModelRequest, "by">): ModelRequest {
  const rest: ModelRequest = { ...request, by: "rest" };
  const tool: ModelRequest = { ...request, by: "tool" };
  const offered = { ...(isRoute(request.what) && { rest }), ...(hasTool(modelRun, tool) && { tool }) };
  return choose<ModelRequest>("surface", offered) ?? rest;
}

/** Returns the chosen caller: usually `full`, otherwise one of the others. */
export function chooseCaller(modelRun: ModelRun, choose: Choose, others: readonly string[]): string {
  const offered = others.filter((role) => role in invalidCredentials || modelRun.sut.offers(`key.${role}`));
  return choose("as", [DEFAULT_ROLE, ...offered], 5) ?? DEFAULT_ROLE;
}

/** Returns the names of registered repositories in a role's workspace. */
export function listRegisteredRepos({ repos }: States, of = DEFAULT_ROLE): string[] {
  return Object.keys(repos).filter(
    (name) => repos[name]?.of === of && repos[name]?.registered.includes(true) && !repos[name]?.deleted,
  );
}

/** Reads a job over REST when it has several possible statuses, so that later responses can be judged exactly. */
export async function readUncertainJob(modelRun: ModelRun, job: string | undefined): Promise<RequestResult> {
  if (job === undefined || (modelRun.states.jobs[job]?.possible.length ?? 0) < 2) return {};
  return send(modelRun, { what: "GET /api/jobs/{job_id}", by: "rest", as: DEFAULT_ROLE, job });
}

/** Reads an observation over REST when it has several possible states. */
export async function readUncertainObservation(modelRun: ModelRun, ref: string | undefined): Promise<RequestResult> {
  if (ref === undefined || (modelRun.states.observations[ref]?.possible.length ?? 0) < 2) return {};
  return send(modelRun, { what: "GET /api/observations/{ref}", by: "rest", as: DEFAULT_ROLE, ref });
}

/** Reads, in most cases, the resource of a write on the chosen surface. */
export async function readBack(
  modelRun: ModelRun,
  choose: Choose,
  request: Omit<ModelRequest, "by" | "as">,
): Promise<Contradiction> {
  if (!choose("back", [true, false], 2)) return undefined;
  return (await send(modelRun, chooseSurface(modelRun, choose, { ...request, as: DEFAULT_ROLE }))).failure;
}

/** Sends a request that may create a job, under a new name. */
export function sendNamed(modelRun: ModelRun, request: ModelRequest): Promise<RequestResult> {
  return send(modelRun, { ...request, names: createNextName(modelRun, "job") });
}

/** Returns the words with the default one first. */
export function putDefaultFirst<T>(words: readonly T[], plain: T): T[] {
  return [plain, ...words.filter((word) => word !== plain)];
}
