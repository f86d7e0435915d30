import { describeUnknownName, formatProblem, isProblem, type Problem } from "../../common/problem.js";
import type { MockContext } from "../context.js";
import type { ControlResponse } from "../control/endpoint.js";
import { runControl } from "../control/endpoints.js";
import type { ControlResults } from "../control/results.js";
import { toJson } from "../input/plain-json.js";
import type { Match } from "../journal/matching.js";
import type { VerificationRequest } from "../journal/verification.js";
import type { DriveResult } from "../worlds/drive.js";
import { buildWorldInfo, removeWorld, type WorldEntry } from "../worlds/worlds.js";
import { createInProcessApi, endInterceptions, requireWorld } from "./fetch-and-intercept.js";
import type { IsolatedWorld, MockWorld } from "./mock-world.js";

/** Functions that still work when the mock was closed: they read what happened before. */
const readingFunctions = ["clock", "faults", "journal", "verify", "clientReport", "buckets", "snapshot"];

/**
 * Returns the handle by which a program in the same process controls a world. It can do what the control plane can. When the world is deleted,
 * its functions throw: nobody would notice an event without a world, and a journal that gets no more calls would confirm that no call came.
 * When the mock is closed, those throw that do more than read.
 */
export function createHandle(context: MockContext, worldEntry: WorldEntry): MockWorld {
  const handle = createUnguardedHandle(context, worldEntry);
  const guard = (name: string) =>
    requireWorld(readingFunctions.includes(name) ? { ...context, isClosed: false } : context, worldEntry);
  const members = Object.entries(handle).map(([name, value]) => [
    name,
    typeof value !== "function"
      ? value
      : (...given: unknown[]) => {
          guard(name);
          return value(...given);
        },
  ]);
  const { fetch, rewind } = handle;
  return {
    ...(Object.fromEntries(members) as MockWorld),
    fetch: async (...given) => {
      guard("fetch");
      return fetch(...given);
    },
    rewind: async (to) => {
      guard("rewind");
      return rewind(to);
    },
  };
}

function createUnguardedHandle(context: MockContext, worldEntry: WorldEntry): MockWorld {
  const ask = <On extends keyof ControlResults>(on: On, body?: unknown, params: Record<string, string> = {}) =>
    callControl(context, worldEntry, on, body, params) as ControlResults[On];
  const { keys, sessions, ...info } = buildWorldInfo(worldEntry);
  return {
    ...context.addresses,
    ...info,
    ...createInProcessApi(context, worldEntry),
    keys: indexByName("key", keys),
    sessions: indexByName("session", sessions),
    advance: (move) => ask("POST /worlds/{id}/clock/advance", typeof move === "string" ? { by: move } : move),
    clock: () => ask("GET /worlds/{id}/clock"),
    setClock: (setting) => ask("POST /worlds/{id}/clock", typeof setting === "string" ? { clock: setting } : setting),
    drive: (event, args) => ask("POST /worlds/{id}/drive/{event}", args ?? {}, { event }) as DriveResult<typeof event>,
    fault: (request) => ask("POST /worlds/{id}/faults", request),
    faults: () => ask("GET /worlds/{id}/faults").faults,
    removeFaults: (fault) =>
      fault === undefined ? ask("DELETE /worlds/{id}/faults") : ask("DELETE /worlds/{id}/faults/{fault}", undefined, { fault }),
    journal: (match = {}) => ask("POST /worlds/{id}/journal/find", match).entries,
    verify: (asked: Match | VerificationRequest, count?: number) =>
      ask("POST /worlds/{id}/journal/verify", count === undefined ? asked : { match: asked, count }),
    clearJournal: () => ask("DELETE /worlds/{id}/journal"),
    clientReport: () => ask("GET /worlds/{id}/client-report"),
    buckets: () => structuredClone(ask("GET /worlds/{id}/buckets")),
    setBucket: (preset) => ask("PUT /worlds/{id}/buckets", preset),
    snapshot: () => structuredClone(ask("GET /worlds/{id}/snapshot")),
    restore: (snapshot) => ask("PUT /worlds/{id}/snapshot", structuredClone(snapshot)),
    rewind: async (to) => unwrap(await context.rewind(worldEntry, to)),
    reset: () => ask("POST /worlds/{id}/reset"),
  };
}

/** Returns the handle of a world besides the default world. */
export function createIsolatedHandle(context: MockContext, worldEntry: WorldEntry): IsolatedWorld {
  const remove = () => {
    endInterceptions(context, worldEntry);
    removeWorld(context.worlds, worldEntry);
  };
  return {
    ...createHandle(context, worldEntry),
    remove,
    [Symbol.dispose]: remove,
    [Symbol.asyncDispose]: async () => remove(),
  };
}

/** Returns a value, or throws the problem. */
export function unwrap<T extends object>(outcome: T): Exclude<T, Problem> {
  if (!isProblem(outcome)) return outcome as Exclude<T, Problem>;
  const { problem, allowed = [] } = outcome;
  throw new Error(
    formatProblem(allowed.length > 0 ? { ...outcome, problem: `${problem} Allowed: ${allowed.join(", ")}.` } : outcome),
  );
}

/** Calls the control plane for one world. */
function callControl(
  context: MockContext,
  worldEntry: WorldEntry,
  on: string,
  body: unknown,
  params: Record<string, string>,
): unknown {
  const wrong = Object.entries(params).find(([, value]) => typeof value !== "string");
  if (wrong) unwrap({ problem: `${wrong[0]} must be a text.`, field: wrong[0] });
  // a snapshot is long, and validated completely when it is restored
  const sent = on === "PUT /worlds/{id}/snapshot" ? { value: body } : unwrap(toJson(body));
  const response = runControl(on, { context, worldEntry, params: { id: worldEntry.id, ...params }, query: {}, body: sent.value });
  return unwrap(response as ControlResponse & { body?: unknown }).body; // requests about a world are answered synchronously
}

/** The form of a role name. Tools that print or compare the object read other names. */
const roleLike = /^[a-z]+(_[a-z]+)*$/;
const readByTools = ["then", "length", "size"];

/** Returns secrets by role. An unknown role throws an error: `undefined` would be sent as a wrong key. */
function indexByName(what: string, secrets: Record<string, string>): Record<string, string> {
  return new Proxy(secrets, {
    get(target, name, receiver) {
      if (typeof name === "string" && !(name in target) && roleLike.test(name) && !readByTools.includes(name))
        return unwrap(describeUnknownName(what, name, Object.keys(target)));
      return Reflect.get(target, name, receiver);
    },
  });
}
