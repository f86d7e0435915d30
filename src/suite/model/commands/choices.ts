import { isRoute } from "../../statements/operations.js";
import { DEFAULT_ROLE, invalidCredentials } from "../../statements/roles.js";
import type { Choose } from "../command.js";
import { type Contradiction, hasTool, type ModelRun, nextName, type RequestResult, send } from "../model-run.js";
import type { ModelRequest } from "../request.js";
import type { States } from "../states.js";

/** The names of what is known of one kind, the newest first. */
export function newestFirst(things: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(things).reverse();
}

/** A request by the surface that is chosen, where the target has the tool for it. */
export function bySurface(modelRun: ModelRun, choose: Choose, request: Omit<ModelRequest, "by">): ModelRequest {
  const rest: ModelRequest = { ...request, by: "rest" };
  const tool: ModelRequest = { ...request, by: "tool" };
  const offered = { ...(isRoute(request.what) && { rest }), ...(hasTool(modelRun, tool) && { tool }) };
  return choose<ModelRequest>("surface", offered) ?? rest;
}

/** The caller that is chosen: mostly the one who may do everything, else one of these. */
export function byCaller(modelRun: ModelRun, choose: Choose, others: readonly string[]): string {
  const offered = others.filter((role) => role in invalidCredentials || modelRun.sut.offers(`key.${role}`));
  return choose("as", [DEFAULT_ROLE, ...offered], 5) ?? DEFAULT_ROLE;
}

/** Repositories that are registered, as far as is known, in the workspace of `full`. */
export function registered({ repos }: States, of = DEFAULT_ROLE): string[] {
  return Object.keys(repos).filter(
    (name) => repos[name]?.of === of && repos[name]?.registered.includes(true) && !repos[name]?.deleted,
  );
}

/** Reads one job over REST when more than one status is possible, so that what follows can be judged sharply. */
export async function pinJob(modelRun: ModelRun, job: string | undefined): Promise<RequestResult> {
  if (job === undefined || (modelRun.states.jobs[job]?.possible.length ?? 0) < 2) return {};
  return send(modelRun, { what: "GET /api/jobs/{job_id}", by: "rest", as: DEFAULT_ROLE, job });
}

/** Reads one observation over REST when more than one state is possible. */
export async function pinObservation(modelRun: ModelRun, ref: string | undefined): Promise<RequestResult> {
  if (ref === undefined || (modelRun.states.observations[ref]?.possible.length ?? 0) < 2) return {};
  return send(modelRun, { what: "GET /api/observations/{ref}", by: "rest", as: DEFAULT_ROLE, ref });
}

/** Reads what a write was about, mostly: what one surface does the other shows. */
export async function readBack(
  modelRun: ModelRun,
  choose: Choose,
  request: Omit<ModelRequest, "by" | "as">,
): Promise<Contradiction> {
  if (!choose("back", [true, false], 2)) return undefined;
  return (await send(modelRun, bySurface(modelRun, choose, { ...request, as: DEFAULT_ROLE }))).failure;
}

/** Sends a request that may make a job, under a new name. */
export function requestNamed(modelRun: ModelRun, request: ModelRequest): Promise<RequestResult> {
  return send(modelRun, { ...request, names: nextName(modelRun, "job") });
}

/** Words with one of them first: the one that is taken where nothing is chosen. */
export function plainFirst<T>(words: readonly T[], plain: T): T[] {
  return [plain, ...words.filter((word) => word !== plain)];
}
