import type { ClauseId } from "../../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import type { World } from "../../../src/service/world/world.js";
import { getBody, getKey, getRoute, type Mutant, param, type WrapCall, wrapRoute } from "../mutant.js";
import { resetRoute } from "./routes.js";

/** A fault that looks like a legal choice of a server. `looksLike` is the sentence of the choice, in `src/suite/legal-choices.ts`. */
export type Disguised = Mutant & { looksLike: string };

export type IsMeant = (world: World, call: IncomingCall) => boolean;

/** Refuses calls of a route that the contract serves, with the status and error of a legal choice. */
export function refuse(
  route: string,
  isMeant: IsMeant,
  status: number,
  error: { type: string; code: string; details?: object },
): WrapCall {
  return wrapRoute(route, (world, call, perform) =>
    isMeant(world, call) ? refusal(perform(world, { ...call, target: "unknown-path" }), status, error) : perform(world, call),
  );
}

export function refusal(response: ServiceResponse, status: number, error: object): ServiceResponse {
  const body = { error: { message: "The request is refused.", request_id: "req_refused", ...error } };
  return response.status === 401 || response.status === 429 ? response : { ...response, status, body };
}

export const getJob = ({ jobs }: World, call: IncomingCall) => jobs[param(call, "job_id")];
export const isCancelled: IsMeant = (world, call) => getJob(world, call)?.status === "cancelled";
export const isOnFree: IsMeant = (world, call) => world.workspaces[getKey(world, call)?.workspace ?? ""]?.plan === "free";
export const isForced: IsMeant = (_, { query }) => query.force?.[0] === "true";
export const isAnonymous: IsMeant = (_, call) => getBody(call).access_mode === "anonymous";
export const isOtherBranch: IsMeant = (world, call) => {
  const { owner, repo } = getBody(call);
  const workspace = getKey(world, call)?.workspace;
  return Object.values(world.repos).some(
    (row) => row.workspace === workspace && !row.deleted_at && row.owner === owner && row.repo === repo,
  );
};

export function disguised(looksLike: string, breaks: ClauseId, name: string, around: WrapCall): Disguised {
  return { looksLike, breaks, name, around };
}

/** Resets a repository a second time, but answers as if it had refused the body. */
export function refuseSecondReset(): WrapCall {
  const reset = new WeakMap<World, Set<string>>();
  return wrapRoute(resetRoute, (world, call, perform) => {
    const done = reset.get(world) ?? new Set();
    reset.set(world, done);
    const path = ["owner", "repo", "branch"].map((part) => param(call, part)).join("/");
    const response = perform(world, call);
    if (!done.has(path) || response.status >= 300) {
      if (response.status < 300) done.add(path);
      return response;
    }
    return refusal(response, 422, { type: "validation_error", code: "invalid_payload" });
  });
}

/** Answers 404 for every job in flight once any repository was reset. */
export function hideJobsAfterReset(): WrapCall {
  const reset = new WeakSet<World>();
  return (world: World, call: IncomingCall, perform: Parameters<WrapCall>[2]) => {
    const response = perform(world, call);
    if (getRoute(call) === resetRoute && response.status < 300) reset.add(world);
    const isHidden = getRoute(call) === "GET /api/jobs/{job_id}" && reset.has(world) && !getJob(world, call)?.finished_at;
    return isHidden && response.status === 200 ? refusal(response, 404, { type: "not_found", code: "not_found" }) : response;
  };
}
