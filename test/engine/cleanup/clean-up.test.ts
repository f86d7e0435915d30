import { describe, expect, test } from "vitest";
import { cleanUp, stopStartedWork, type UndoActions, type UndoPermissions } from "../../../src/engine/cleanup/clean-up.js";
import type { SideEffect, Undo } from "../../../src/engine/cleanup/rules.js";
import type { SideEffects } from "../../../src/engine/cleanup/side-effects.js";

const FULL_PERMISSIONS: UndoPermissions = { profile: "full", allow: { paid: true, destructive: true } };
const RETURN_LOAN = "DELETE /loans/7";

/** Returns one open side effect, caused by a visitor. */
function getSideEffects(undo: Undo, work?: SideEffect["work"]): SideEffects {
  const one = {
    kind: "loan",
    what: "book lent",
    id: "7",
    undo,
    credentials: { authorization: "visitor" },
    ...(work && { work }),
  };
  return { scenario: "a visit", record: () => [], recordEvent: () => {}, open: () => [one] };
}

/**
 * Returns actions that record each call in `seen`. Writes get the statuses in turn, and the last status again and again; 0 means no response. Reads get 200
 * with this body.
 */
function recordingActions(statuses: readonly number[], body: unknown = {}): { actions: UndoActions; seen: string[] } {
  const seen: string[] = [];
  let next = 0;
  const actions: UndoActions = {
    async send({ rest }, credentials) {
      seen.push(`${rest} by ${credentials?.authorization ?? "the default role"}`);
      const status = rest.startsWith("GET ") ? 200 : (statuses[Math.min(next++, statuses.length - 1)] ?? 204);
      if (status === 0) return { ok: false, why: "no answer: it is closed" };
      return { ok: true, response: { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) } };
    },
    async callTool(purpose, given) {
      seen.push(`${purpose} ${JSON.stringify(given)}`);
      return statuses[0] === 204 ? undefined : "the tool refused";
    },
    async drive(event, values) {
      seen.push(`${event} ${JSON.stringify(values)}`);
      return statuses[0] === 204 ? undefined : "there is no hook";
    },
  };
  return { actions, seen };
}

const byRequests = (...rests: string[]): Undo => ({ way: "requests", requests: rests.map((rest) => ({ rest })) });
const withAlreadyUndone = (shows: boolean): Undo => ({
  way: "requests",
  requests: [{ rest: RETURN_LOAN, alreadyUndone: { rest: "GET /loans/7", shows: ({ back }) => back === shows } }],
});
const removing: Undo = { way: "requests", requests: [{ rest: RETURN_LOAN }], removes: "book" };

describe("cleaning up", () => {
  test.each<[string, Undo, number[], UndoPermissions, string | undefined, string[]]>([
    [
      "undoes with the credentials of the first request",
      byRequests(RETURN_LOAN),
      [204],
      FULL_PERMISSIONS,
      undefined,
      [`${RETURN_LOAN} by visitor`],
    ],
    [
      "uses the default role after a 403",
      byRequests(RETURN_LOAN),
      [403, 204],
      FULL_PERMISSIONS,
      undefined,
      [`${RETURN_LOAN} by visitor`, `${RETURN_LOAN} by the default role`],
    ],
    ["accepts a 404", byRequests(RETURN_LOAN), [404], FULL_PERMISSIONS, undefined, [`${RETURN_LOAN} by visitor`]],
    [
      "tries again after a refusal",
      byRequests(RETURN_LOAN),
      [409, 204],
      FULL_PERMISSIONS,
      undefined,
      Array(2).fill(`${RETURN_LOAN} by visitor`),
    ],
    [
      "stops after three refusals",
      byRequests(RETURN_LOAN),
      [409],
      FULL_PERMISSIONS,
      `${RETURN_LOAN}: status 409`,
      Array(3).fill(`${RETURN_LOAN} by visitor`),
    ],
    [
      "stops after a request without an answer",
      byRequests(RETURN_LOAN),
      [0],
      FULL_PERMISSIONS,
      "no answer: it is closed",
      [`${RETURN_LOAN} by visitor`],
    ],
    [
      "reads after a refusal whether another client has undone it",
      withAlreadyUndone(true),
      [409],
      FULL_PERMISSIONS,
      undefined,
      [`${RETURN_LOAN} by visitor`, "GET /loans/7 by visitor"],
    ],
    [
      "tries again if no other client has undone it",
      withAlreadyUndone(false),
      [409, 204],
      FULL_PERMISSIONS,
      undefined,
      [`${RETURN_LOAN} by visitor`, "GET /loans/7 by visitor", `${RETURN_LOAN} by visitor`],
    ],
    [
      "sends several requests in their order and stops at the first that fails",
      byRequests("POST /desk", RETURN_LOAN),
      [0],
      FULL_PERMISSIONS,
      "no answer: it is closed",
      ["POST /desk by visitor"],
    ],
    [
      "triggers an event",
      { way: "drive", event: "closing-time", values: { number: 7 } },
      [204],
      FULL_PERMISSIONS,
      undefined,
      ['closing-time {"number":7}'],
    ],
    [
      "reports why an event failed",
      { way: "drive", event: "closing-time", values: {} },
      [500],
      FULL_PERMISSIONS,
      "there is no hook",
      ["closing-time {}"],
    ],
    [
      "calls a tool",
      { way: "tool", purpose: "bring_back", arguments: { number: 7 } },
      [204],
      FULL_PERMISSIONS,
      undefined,
      ['bring_back {"number":7}'],
    ],
    [
      "tries nothing for a side effect that cannot be undone",
      { way: "none", why: "ink stays" },
      [204],
      FULL_PERMISSIONS,
      "ink stays",
      [],
    ],
    [
      "removes nothing that the profile protects",
      removing,
      [204],
      { ...FULL_PERMISSIONS, profile: "safe" },
      "the profile safe removes no book",
      [],
    ],
    [
      "removes nothing that the target file forbids",
      removing,
      [204],
      { ...FULL_PERMISSIONS, allow: { paid: true, destructive: false } },
      "the target file does not allow it (allow.destructive)",
      [],
    ],
    ["removes what profile and target file allow", removing, [204], FULL_PERMISSIONS, undefined, [`${RETURN_LOAN} by visitor`]],
  ])("%s", async (_, undo, statuses, permissions, why, expected) => {
    const { actions, seen } = recordingActions(statuses, { back: true });
    const leftovers = await cleanUp(actions, getSideEffects(undo), permissions);
    expect(leftovers).toEqual(why === undefined ? [] : [{ what: "book lent", id: "7", scenario: "a visit", why }]);
    expect(seen).toEqual(expected);
  });

  test("reads with the default role whether a side effect is undone if the key is revoked", async () => {
    const { actions } = recordingActions([409], { back: true });
    const send: UndoActions["send"] = async (request, credentials) =>
      credentials ? { ok: true, response: { status: 401, headers: {}, body: new Uint8Array() } } : actions.send(request);
    expect(await cleanUp({ ...actions, send }, getSideEffects(withAlreadyUndone(true)), FULL_PERMISSIONS)).toEqual([]);
  });
});

test("work in progress at the server is listed and stopped with the default role", async () => {
  const { actions, seen } = recordingActions([204], { reminders: [1, 2] });
  const stop = ({ reminders }: Record<string, unknown>) =>
    (reminders as number[]).map((number) => ({ rest: `POST /reminders/${number}/stop` }));
  await stopStartedWork(actions, getSideEffects(byRequests(RETURN_LOAN), { list: "GET /loans/7/reminders", stop }));
  expect(seen).toEqual(
    ["GET /loans/7/reminders", "POST /reminders/1/stop", "POST /reminders/2/stop"].map((rest) => `${rest} by the default role`),
  );
});
