import { isRecord } from "./call.js";
import type { ClientResponse } from "./edge.js";
import { createObservation, foundWorld } from "./found.js";
import { closeObservation, openObservation } from "./lifecycle.js";
import { createId, getNow, type Observation, type Repo, type Service, type Workspace, type World } from "./state.js";
import { catchUp, endRun, isInFlight } from "./time.js";

type Values = Record<string, unknown>;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Serves the control of the service: it creates and deletes worlds, moves the clock, and drives events. */
export function serveControl(service: Service, worldId: string, verb: string, values: Values): ClientResponse {
  if (verb === "found") return respond(201, describeWorld(service, foundWorld(service)));
  const world = service.worlds.get(worldId) ?? [...service.worlds.values()][0];
  if (!world) return respond(404, { problem: "no such world" });
  catchUp(world);
  if (verb === "leave") return leave(service, world);
  if (verb === "now") return respond(200, { now: new Date(getNow(world)).toISOString() });
  if (verb === "advance") return advance(world, values);
  const home = world.workspaces[0] as Workspace;
  const happened = EVENTS[verb]?.(world, home, values);
  return happened ? respond(200, { result: happened }) : respond(404, { problem: `${verb} cannot be made to happen` });
}

/** A world's credentials by role, and its repositories. */
export function describeWorld(service: Service, world: World) {
  const mine = <Kept extends { world: World }>(all: Map<string, Kept>) => [...all].filter(([, kept]) => kept.world === world);
  const prefix = (workspace: Workspace) => (workspace.name === "home" ? "" : `${workspace.name}_`);
  return {
    id: world.id,
    keys: Object.fromEntries(mine(service.keys).map(([secret, { key }]) => [key.name, secret])),
    sessions: Object.fromEntries(
      mine(service.sessions).map(([cookie, { role, workspace }]) => [prefix(workspace) + role, cookie]),
    ),
    repos: world.choices.repos,
  };
}

function leave(service: Service, world: World): ClientResponse {
  service.worlds.delete(world.id);
  for (const all of [service.keys, service.sessions]) {
    for (const [secret, kept] of all) if (kept.world === world) all.delete(secret);
  }
  return respond(204, undefined);
}

function advance(world: World, { by, to, until }: Values): ClientResponse {
  const now = getNow(world);
  const [, amount, unit] = /^([0-9.]+)(ms|s|m|h|d)$/.exec(String(by ?? "0s")) ?? [];
  const rest = (world.choices.dispatchSeconds + world.choices.runSeconds + 10) * 1000;
  const next =
    to !== undefined
      ? Date.parse(String(to))
      : until !== undefined
        ? now + rest
        : now + Number(amount) * (UNITS[unit ?? ""] ?? 0);
  if (!(next >= now)) return respond(422, { problem: "time only advances" });
  world.clockMs += next - now;
  catchUp(world);
  // a job that waits for a runner gets one after another job has ended
  while (until === "idle" && world.workspaces.some(({ jobs }) => jobs.some(isInFlight))) {
    world.clockMs += rest;
    catchUp(world);
  }
  return respond(200, { now: new Date(getNow(world)).toISOString() });
}

const EVENTS: Record<string, (world: World, home: Workspace, values: Values) => object | undefined> = {
  "finish-job": (world, _, { job_id, outcome }) => {
    const workspace = world.workspaces.find(({ jobs }) => jobs.some(({ id }) => id === job_id));
    const job = workspace?.jobs.find(({ id }) => id === job_id);
    if (!workspace || !job || !isInFlight(job)) return undefined;
    endRun(world, workspace, job, { succeeded: outcome === "success", by: "drive", atMs: getNow(world) });
    return { job: job.id };
  },
  "open-fix-pr": pull("in_review"),
  "revise-fix-pr": pull("revising"),
  "merge-fix-pr": pull("merged"),
  "close-fix-pr": pull("closed"),
  find: (world, _, { repo, observation }) => {
    const found = findRepo(world, repo);
    if (!found) return undefined;
    const { easy_win, needs_review, ...given } = isRecord(observation) ? observation : {};
    const flags = { easy: easy_win === true, exhausted: needs_review === true };
    const one = { ...createObservation(world, found.repo, getNow(world)), ...flags, ...given };
    found.workspace.observations.push(one);
    return { ref: one.ref };
  },
  "seed-observations": (world, _, { repo, count }) => {
    const found = findRepo(world, repo);
    const create = () => found?.workspace.observations.push(createObservation(world, found.repo, getNow(world)));
    Array.from({ length: Number(count) }, create);
    return found && { count };
  },
  rediscover: (world, _, { repo }) => {
    const found = findRepo(world, repo);
    return (
      found && {
        again: found.workspace.observations.filter(
          (observation) => observation.repo === found.repo && findAgain(world, found.workspace, observation),
        ).length,
      }
    );
  },
  "push-commit": (world, _, { repo }) => {
    const found = findRepo(world, repo);
    if (found) found.repo.commit += 1;
    return found && { commit: found.repo.commit };
  },
  "exhaust-fix": onObservation((observation, world, { dismiss }) => {
    observation.exhausted = true;
    if (dismiss !== true) return;
    closeObservation(observation, "dismissed", getNow(world));
    observation.dismissedAs = "exhausted_fix_attempts";
  }),
  "expire-observation": onObservation((observation, world) => closeObservation(observation, "expired", getNow(world))),
  suspend: (_, home) => set(home, { suspended: true }),
  reactivate: (_, home) => set(home, { suspended: false }),
  "revoke-key": (world, _, { key_id }) => {
    const key = world.workspaces.flatMap(({ keys }) => keys).find(({ id }) => id === key_id);
    if (key) key.revoked = true;
    return key && { revoked: key.id };
  },
  "set-credit": (_, home, { usd }) => set(home, { credit: Number(usd) }),
  "set-spend-ceiling": (_, home, { usd }) => set(home, { ceiling: Number(usd) }),
  "pause-spend": (_, home, { on }) => set(home, { spendPaused: on === true }),
  "fail-verification": (_, home, { on, retry_after }) =>
    set(home, { verifies: on !== true, retryAfter: retry_after === undefined ? undefined : Number(retry_after) }),
};

/** The events that can be made to happen. */
export const events = Object.keys(EVENTS);

function set(home: Workspace, settings: Partial<Workspace>): object {
  return Object.assign(home, settings) && settings;
}

function pull(status: "in_review" | "revising" | "merged" | "closed") {
  return onObservation((observation, world) => {
    observation.pull = { number: observation.pull?.number ?? createId(world, "pull"), status };
    observation.updatedMs = getNow(world);
    if (status === "merged") closeObservation(observation, "fixed", getNow(world));
  });
}

function onObservation(make: (observation: Observation, world: World, values: Values) => void) {
  return (world: World, _: Workspace, values: Values): object | undefined => {
    const observation = world.workspaces.flatMap(({ observations }) => observations).find((each) => each.ref === values.ref);
    if (observation) make(observation, world, values);
    return observation && { ref: observation.ref };
  };
}

/** Finds a dismissed observation again: the same one, or a new one. */
function findAgain(world: World, { observations }: Workspace, observation: Observation): boolean {
  const stays = ["false_positive", "wont_fix", "out_of_scope"].includes(observation.dismissedAs ?? "");
  if (observation.status === "new" || observation.closeReason !== "dismissed" || stays) return false;
  if (world.choices.reappears === "same") openObservation(observation, getNow(world));
  else {
    const { kind, title, description, locations, priority, category, domain } = observation;
    observations.push({
      ...createObservation(world, observation.repo, getNow(world)),
      kind,
      title,
      description,
      locations,
      priority,
      category,
      domain,
    });
    observation.dismissedAs = "out_of_scope";
  }
  return true;
}

function findRepo({ workspaces }: World, name: unknown): { workspace: Workspace; repo: Repo } | undefined {
  return workspaces
    .flatMap((workspace) => workspace.repos.map((repo) => ({ workspace, repo })))
    .find(({ repo }) => !repo.deleted && `${repo.owner}/${repo.name}/${repo.branch}` === name);
}

function respond(status: number, value: unknown): ClientResponse {
  return { status, headers: { "content-type": "application/json" }, text: value === undefined ? "" : JSON.stringify(value) };
}
