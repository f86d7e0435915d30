import { bodyJson, type WireResponse } from "../http/exchange.js";
import type { Profile } from "../scenario/effects.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "../target/target.js";
import type { SideEffect, UndoRequest } from "./rules.js";
import { type Credentials, type Leftover, leftover, type OpenSideEffect, type SideEffects } from "./side-effects.js";

/** What taking back needs of whoever runs the scenario. */
export interface UndoActions {
  /** Sends a request with these credentials, else with those of the default role. */
  send(request: UndoRequest, by?: Credentials): Promise<UndoReply>;
  /** Calls a tool by its purpose. Undefined when it did what it is for, else why not. */
  callTool(purpose: string, given: Record<string, unknown>): Promise<string | undefined>;
  /** Makes an event happen. Undefined when it did, else why not. */
  drive(event: string, values: Record<string, unknown>): Promise<string | undefined>;
}

/** The answer to a request, or why there is none. */
export type UndoReply = { ok: true; response: WireResponse } | { ok: false; why: string };

/** What a run may do to the server. */
export interface UndoPermissions {
  profile: Profile;
  allow: Target["allow"];
}

const MOST_TRIES = 3;

/** Ends the work that goes on at the server because of what a scenario did. */
export async function stopStartedWork(actions: UndoActions, sideEffects: SideEffects): Promise<void> {
  for (const { work } of sideEffects.left()) {
    const listed = work && (await read(actions, work.list));
    if (!work || !listed) continue;
    for (const request of work.stop(listed)) await actions.send(request);
  }
}

/** Takes back what a scenario did and its own steps have not taken back; gives what cannot be, with the reason. */
export async function cleanUp(actions: UndoActions, sideEffects: SideEffects, leave: UndoPermissions): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const one of sideEffects.left()) {
    const why = impediment(one, leave) ?? (await takeBack(actions, one));
    if (why !== undefined) leftovers.push(leftover(one, sideEffects.scenario, why));
  }
  return leftovers;
}

/** Why it must not be tried. */
function impediment({ undo }: SideEffect, { profile, allow }: UndoPermissions): string | undefined {
  if (undo.way === "none") return undo.why;
  if (undo.way !== "requests" || undo.removes === undefined) return undefined;
  if (profile !== "full") return `the profile ${profile} removes no ${undo.removes}`;
  return allow.destructive ? undefined : "the target file does not allow it (allow.destructive)";
}

/** Undefined when it is taken back, else why not. */
async function takeBack(actions: UndoActions, { undo, by }: OpenSideEffect): Promise<string | undefined> {
  switch (undo.way) {
    case "requests":
      for (const request of undo.requests) {
        const why = await undoBy(actions, request, by);
        if (why !== undefined) return why;
      }
      return undefined;
    case "drive":
      return actions.drive(undo.event, undo.values);
    case "tool":
      return actions.callTool(undo.purpose, undo.arguments);
    case "none":
      return undo.why;
    default:
      return undo satisfies never;
  }
}

/** Sends it again after a refusal, since others may do and undo the same meanwhile. */
async function undoBy(actions: UndoActions, request: UndoRequest, by: Credentials): Promise<string | undefined> {
  let why = "";
  for (let number = 1; number <= MOST_TRIES; number++) {
    const reply = await sendByEither(actions, request, by);
    if (!reply.ok) return reply.why;
    const { status } = reply.response;
    if (status < 300 || status === 404) return undefined; // what is gone needs nothing
    const { alreadyUndone } = request;
    const shown = alreadyUndone && (await read(actions, alreadyUndone.rest, by));
    if (shown && alreadyUndone.shows(shown)) return undefined;
    why = `${request.rest}: status ${status}`;
  }
  return why;
}

/** Tries with the credentials that did it, and where they may not (a key may be revoked by now) with those of the default role. */
async function sendByEither(actions: UndoActions, request: UndoRequest, by?: Credentials): Promise<UndoReply> {
  const reply = await actions.send(request, by);
  return by && reply.ok && (reply.response.status === 401 || reply.response.status === 403) ? actions.send(request) : reply;
}

/** The object that a read answers with; undefined when it answers otherwise. */
async function read(actions: UndoActions, rest: string, by?: Credentials): Promise<Record<string, unknown> | undefined> {
  const reply = await sendByEither(actions, { rest }, by);
  const body = reply.ok && reply.response.status === 200 ? bodyJson(reply.response) : undefined;
  return body?.ok && isRecord(body.value) ? body.value : undefined;
}
