import { describe, expect, test } from "vitest";
import { cleanUp, stopStartedWork, type UndoActions, type UndoPermissions } from "../../../src/engine/cleanup/clean-up.js";
import type { SideEffect, Undo } from "../../../src/engine/cleanup/rules.js";
import type { SideEffects } from "../../../src/engine/cleanup/side-effects.js";

const MAY_ALL: UndoPermissions = { profile: "full", allow: { paid: true, destructive: true } };
const BACK = "DELETE /loans/7";

/** A book in which one thing stands, done by a visitor. */
function bookOf(undo: Undo, work?: SideEffect["work"]): SideEffects {
  const one = { kind: "loan", what: "book lent", id: "7", undo, by: { authorization: "visitor" }, ...(work && { work }) };
  return { scenario: "a visit", record: () => [], driven: () => {}, left: () => [one] };
}

/** Actions that answer with these statuses in turn (0: no answer; the last one for ever), to reads with 200 and this body, and note what was asked. */
function acting(statuses: readonly number[], body: unknown = {}): { actions: UndoActions; seen: string[] } {
  const seen: string[] = [];
  let next = 0;
  const actions: UndoActions = {
    async send({ rest }, by) {
      seen.push(`${rest} by ${by?.authorization ?? "the default role"}`);
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
const unless = (shows: boolean): Undo => ({
  way: "requests",
  requests: [{ rest: BACK, alreadyUndone: { rest: "GET /loans/7", shows: ({ back }) => back === shows } }],
});
const removing: Undo = { way: "requests", requests: [{ rest: BACK }], removes: "book" };

describe("cleaning up", () => {
  test.each<[string, Undo, number[], UndoPermissions, string | undefined, string[]]>([
    ["takes back with the credentials that did it", byRequests(BACK), [204], MAY_ALL, undefined, [`${BACK} by visitor`]],
    [
      "takes the default role where they may not",
      byRequests(BACK),
      [403, 204],
      MAY_ALL,
      undefined,
      [`${BACK} by visitor`, `${BACK} by the default role`],
    ],
    ["is content with what is gone", byRequests(BACK), [404], MAY_ALL, undefined, [`${BACK} by visitor`]],
    ["tries again after a refusal", byRequests(BACK), [409, 204], MAY_ALL, undefined, Array(2).fill(`${BACK} by visitor`)],
    [
      "gives up after three refusals",
      byRequests(BACK),
      [409],
      MAY_ALL,
      `${BACK}: status 409`,
      Array(3).fill(`${BACK} by visitor`),
    ],
    ["gives up at once without an answer", byRequests(BACK), [0], MAY_ALL, "no answer: it is closed", [`${BACK} by visitor`]],
    [
      "looks after a refusal whether somebody else has done it",
      unless(true),
      [409],
      MAY_ALL,
      undefined,
      [`${BACK} by visitor`, "GET /loans/7 by visitor"],
    ],
    [
      "and goes on trying where nobody has",
      unless(false),
      [409, 204],
      MAY_ALL,
      undefined,
      [`${BACK} by visitor`, "GET /loans/7 by visitor", `${BACK} by visitor`],
    ],
    [
      "sends several requests in their order and stops at the first that fails",
      byRequests("POST /desk", BACK),
      [0],
      MAY_ALL,
      "no answer: it is closed",
      ["POST /desk by visitor"],
    ],
    [
      "makes an event happen",
      { way: "drive", event: "closing-time", values: { number: 7 } },
      [204],
      MAY_ALL,
      undefined,
      ['closing-time {"number":7}'],
    ],
    [
      "says why an event did not",
      { way: "drive", event: "closing-time", values: {} },
      [500],
      MAY_ALL,
      "there is no hook",
      ["closing-time {}"],
    ],
    [
      "calls a tool",
      { way: "tool", purpose: "bring_back", arguments: { number: 7 } },
      [204],
      MAY_ALL,
      undefined,
      ['bring_back {"number":7}'],
    ],
    ["tries nothing where nothing helps", { way: "none", why: "ink stays" }, [204], MAY_ALL, "ink stays", []],
    [
      "removes nothing that the profile leaves",
      removing,
      [204],
      { ...MAY_ALL, profile: "safe" },
      "the profile safe removes no book",
      [],
    ],
    [
      "removes nothing that the target file forbids",
      removing,
      [204],
      { ...MAY_ALL, allow: { paid: true, destructive: false } },
      "the target file does not allow it (allow.destructive)",
      [],
    ],
    ["removes what it may", removing, [204], MAY_ALL, undefined, [`${BACK} by visitor`]],
  ])("%s", async (_, undo, statuses, leave, why, expected) => {
    const { actions, seen } = acting(statuses, { back: true });
    const leftovers = await cleanUp(actions, bookOf(undo), leave);
    expect(leftovers).toEqual(why === undefined ? [] : [{ what: "book lent", id: "7", scenario: "a visit", why }]);
    expect(seen).toEqual(expected);
  });

  test("looks by the default role whether it is undone already where the key that did it is revoked", async () => {
    const { actions } = acting([409], { back: true });
    const send: UndoActions["send"] = async (request, by) =>
      by ? { ok: true, response: { status: 401, headers: {}, body: new Uint8Array() } } : actions.send(request);
    expect(await cleanUp({ ...actions, send }, bookOf(unless(true)), MAY_ALL)).toEqual([]);
  });
});

test("work that goes on at the server is listed and stopped, by the default role", async () => {
  const { actions, seen } = acting([204], { reminders: [1, 2] });
  const stop = ({ reminders }: Record<string, unknown>) =>
    (reminders as number[]).map((number) => ({ rest: `POST /reminders/${number}/stop` }));
  await stopStartedWork(actions, bookOf(byRequests(BACK), { list: "GET /loans/7/reminders", stop }));
  expect(seen).toEqual(
    ["GET /loans/7/reminders", "POST /reminders/1/stop", "POST /reminders/2/stop"].map((rest) => `${rest} by the default role`),
  );
});
