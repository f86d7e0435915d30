import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import type { Repo, World } from "../../../src/service/world/world.js";
import {
  changeResponses,
  getBody,
  getRepo,
  getRoute,
  getSession,
  type Mutant,
  param,
  type WrapCall,
  withBody,
  withParams,
  wrapRoute,
} from "../mutant.js";
import { registerRoute } from "./routes.js";

type Triple = Pick<Repo, "owner" | "repo" | "branch">;

type Place = (world: World, name: (part: string) => string, own: string) => string | undefined;

export function getMode(call: IncomingCall): unknown {
  return getBody(call).access_mode ?? "installed";
}

/** Changes the response to a registration by one access mode, or what follows from it. */
export function changeRegistrationBy(
  mode: string,
  status: number,
  change: (response: ServiceResponse, world: World) => ServiceResponse,
): WrapCall {
  return changeResponses(registerRoute, (response, world, call) =>
    response.status === status && getMode(call) === mode ? change(response, world) : response,
  );
}

export function tripleIn(call: IncomingCall): Triple {
  return { owner: param(call, "owner"), repo: param(call, "repo"), branch: param(call, "branch") };
}

/** Changes the body of a registration. */
export function changeRegistrationBody(read: (body: Record<string, unknown>) => Record<string, unknown>): WrapCall {
  return (world, call, perform) => perform(world, getRoute(call) === registerRoute ? withBody(call, read(getBody(call))) : call);
}

/** Does not find some repositories on one route. */
export function hideRepositories(route: string, isMeant: (row: Repo, now: number) => boolean): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const row = getRepo(world, call);
    return perform(world, row && isMeant(row, world.now) ? withParams(call, { owner: "nobody" }) : call);
  });
}

export function useOtherWorkspaceSession(
  name: string,
  route: string,
  place: Place,
  breaks: Mutant["breaks"] = "ERR-TYPE-NOTFOUND",
): Mutant {
  const around: WrapCall = (world, call, perform) => {
    const session = call.authorization === undefined ? getSession(world, call) : undefined;
    if (!session) return perform(world, call);
    const workspace = place(world, (part) => param(call, part), session.workspace);
    const otherSession = Object.values(world.sessions).find((one) => one.workspace === workspace);
    return perform(world, { ...call, cookie: otherSession?.token ?? call.cookie });
  };
  return { name, breaks, around: wrapRoute(route, around) };
}

export function otherWorkspaceThan({ workspaces }: World, _name: unknown, own: string): string | undefined {
  return Object.keys(workspaces).find((id) => id !== own);
}
