import { parseBodyJson, type WireResponse } from "../http/exchange.js";
import type { Profile } from "../scenario/effects.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "../target/target.js";
import type { SideEffect, UndoRequest } from "./rules.js";
import { type Credentials, createLeftover, type Leftover, type OpenSideEffect, type SideEffects } from "./side-effects.js";

/** The actions that the runner offers to undo side effects. */
export interface UndoActions {
  /** Sends a request with these credentials; without any, with those of the default role. */
  send(request: UndoRequest, credentials?: Credentials): Promise<UndoResult>;
  /** Calls the tool of a purpose. Resolves to undefined on success, else to the reason why it failed. */
  callTool(purpose: string, given: Record<string, unknown>): Promise<string | undefined>;
  /** Triggers an event of the target. Resolves to undefined on success, else to the reason why it failed. */
  drive(event: string, values: Record<string, unknown>): Promise<string | undefined>;
}

/** The response to a request, or the reason why there is none. */
export type UndoResult = { ok: true; response: WireResponse } | { ok: false; why: string };

/** The profile and the permissions of a run. */
export interface UndoPermissions {
  profile: Profile;
  allow: Target["allow"];
}

const MAX_ATTEMPTS = 3;

/** Stops the work that the server still does because of a scenario. */
export async function stopStartedWork(actions: UndoActions, sideEffects: SideEffects): Promise<void> {
  for (const { work } of sideEffects.open()) {
    const listed = work && (await readObject(actions, work.list));
    if (!work || !listed) continue;
    for (const request of work.stop(listed)) await actions.send(request);
  }
}

/** Undoes the side effects that the scenario's own steps have not undone. Returns those that remain, each with the reason. */
export async function cleanUp(actions: UndoActions, sideEffects: SideEffects, permissions: UndoPermissions): Promise<Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const openSideEffect of sideEffects.open()) {
    const why = explainForbiddenUndo(openSideEffect, permissions) ?? (await undoOne(actions, openSideEffect));
    if (why !== undefined) leftovers.push(createLeftover(openSideEffect, sideEffects.scenario, why));
  }
  return leftovers;
}

/** Returns why a side effect must not be undone; undefined if it may be. */
function explainForbiddenUndo({ undo }: SideEffect, { profile, allow }: UndoPermissions): string | undefined {
  if (undo.way === "none") return undo.why;
  if (undo.way !== "requests" || undo.removes === undefined) return undefined;
  if (profile !== "full") return `the profile ${profile} removes no ${undo.removes}`;
  return allow.destructive ? undefined : "the target file does not allow it (allow.destructive)";
}

/** Undoes one side effect. Returns undefined on success, else the reason why it remains. */
async function undoOne(actions: UndoActions, { undo, credentials }: OpenSideEffect): Promise<string | undefined> {
  switch (undo.way) {
    case "requests":
      for (const request of undo.requests) {
        const why = await sendUndo(actions, request, credentials);
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

/** Sends an undo request, and repeats it after up to three refusals, because another client may have changed the same thing meanwhile. */
async function sendUndo(actions: UndoActions, request: UndoRequest, credentials: Credentials): Promise<string | undefined> {
  let why = "";
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const result = await sendWithFallback(actions, request, credentials);
    if (!result.ok) return result.why;
    const { status } = result.response;
    if (status < 300 || status === 404) return undefined; // 404: the resource no longer exists
    const { alreadyUndone } = request;
    const body = alreadyUndone && (await readObject(actions, alreadyUndone.rest, credentials));
    if (body && alreadyUndone.shows(body)) return undefined;
    why = `${request.rest}: status ${status}`;
  }
  return why;
}

/** Sends with the given credentials. After a 401 or 403, sends again with those of the default role: the key may have been revoked. */
async function sendWithFallback(actions: UndoActions, request: UndoRequest, credentials?: Credentials): Promise<UndoResult> {
  const result = await actions.send(request, credentials);
  const isRefused = result.ok && (result.response.status === 401 || result.response.status === 403);
  return credentials && isRefused ? actions.send(request) : result;
}

/** Returns the JSON object in the response to a read; undefined for any other response. */
async function readObject(
  actions: UndoActions,
  rest: string,
  credentials?: Credentials,
): Promise<Record<string, unknown> | undefined> {
  const result = await sendWithFallback(actions, { rest }, credentials);
  const body = result.ok && result.response.status === 200 ? parseBodyJson(result.response) : undefined;
  return body?.ok && isRecord(body.value) ? body.value : undefined;
}
