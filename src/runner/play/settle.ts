import { ENDED, rowsOf } from "../debts/action.js";
import type { Ask, Debts, Leftover, Owed, UndoKind } from "../debts/debts.js";
import type { Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { callHook } from "../target/hooks.js";
import type { Target } from "../target/target.js";
import { bodyJson, type WireRequest } from "../wire/exchange.js";
import { isRefusal } from "../wire/mcp.js";
import { hookContext } from "./clock.js";
import type { Profile } from "./effects.js";
import type { Play } from "./play.js";
import { prepare } from "./request.js";
import { type Sent, sendPatiently } from "./send.js";

const MOST_TRIES = 3;

/** Work first, since it costs; repositories last, since the rest may lie in them. */
const ORDER = ["job", "observation", "setting", "ticket", "key", "repository"];

/** Cancels whatever still runs in the repositories that a play registered: the discovery that a registration starts, and what nobody knows the id of. */
export async function stopOwnRuns(play: Play): Promise<void> {
  for (const repository of play.run.debts?.repositories() ?? []) {
    const path = repository.split("/").map(encodeURIComponent).join("/");
    const listed = await request(play, { rest: `GET /api/repos/${path}/jobs?limit=200` });
    const body = listed.ok && listed.response.status === 200 ? bodyJson(listed.response) : undefined;
    const jobs = body?.ok && isRecord(body.value) ? rowsOf(body.value) : [];
    for (const { id, status } of jobs)
      if (status === "pending" || status === "running")
        await request(play, { rest: `POST /api/jobs/${encodeURIComponent(String(id))}/cancel` });
  }
}

/** Takes back what a play did and its own tidying up has not taken back; what cannot be is left over, with the reason. */
export async function settleDebts(play: Play): Promise<void> {
  const { run, stage } = play;
  const { debts } = run;
  if (!debts) return;
  const owed = [...debts.owed()].sort((a, b) => rank(a) - rank(b));
  for (const one of owed) {
    const why = impediment(one, run.profile, stage.target) ?? (await takeBack(play, one));
    if (why !== undefined) run.leftovers.push(leftover(one, debts.scenario, why));
  }
  run.open.delete(debts);
}

/** What would be left if nothing more were taken back. */
export function leftNow(books: Iterable<Debts>): Leftover[] {
  return [...books].flatMap((debts) =>
    debts.owed().map((one) => leftover(one, debts.scenario, "the run was ended before it was taken back")),
  );
}

function leftover({ what, id, undo }: Owed, scenario: string, why: string): Leftover {
  return { what, id, scenario, why: undo.way === "none" ? undo.why : why };
}

function rank({ what }: Owed): number {
  return ORDER.findIndex((kind) => what.startsWith(kind));
}

/** Why it must not be tried. */
function impediment({ undo }: Owed, profile: Profile, { allow }: Target): string | undefined {
  if (undo.way === "none") return undo.why;
  if (undo.way !== "requests" || undo.kind !== "repository") return undefined;
  if (profile !== "full") return `the profile ${profile} removes no repository`;
  return allow.destructive ? undefined : "the target file does not allow it (allow.destructive)";
}

/** Undefined when it is taken back, else why not. */
async function takeBack(play: Play, { undo, by }: Owed): Promise<string | undefined> {
  switch (undo.way) {
    case "requests":
      for (const ask of undo.requests) {
        const why = await undoBy(play, ask, by, undo.kind);
        if (why !== undefined) return why;
      }
      return undefined;
    case "drive": {
      const hook = play.stage.target.drive[undo.event];
      const answer = hook && (await callHook(hook, undo.values, hookContext(play.run, play.stage)));
      return !answer ? `the target has no hook for ${undo.event}` : answer.ok ? undefined : answer.why;
    }
    case "tool":
      return clear(play, undo);
    case "none":
      return undo.why;
    default:
      return undo satisfies never;
  }
}

/** Asks again after a refusal, since others may do and undo the same meanwhile. */
async function undoBy(play: Play, ask: Ask, by: Owed["by"], kind: UndoKind): Promise<string | undefined> {
  let why = "";
  for (let number = 1; number <= MOST_TRIES; number++) {
    const sent = await requestByEither(play, ask, by);
    if (!sent.ok) return sent.why;
    const { status } = sent.response;
    if (status < 300 || status === 404) return undefined; // what is gone needs nothing
    if (await isSoAlready(play, ask, by, kind)) return undefined;
    why = `${ask.rest}: status ${status}`;
  }
  return why;
}

/** Tries with the credentials that did it, and where they may not with those of the role `full`. */
async function requestByEither(play: Play, ask: Ask, by: Owed["by"]): Promise<Sent> {
  const sent = await request(play, ask, by);
  return sent.ok && (sent.response.status === 401 || sent.response.status === 403) ? request(play, ask) : sent;
}

/** Whether a refusal means that there is nothing to do any more: the job has ended, somebody else has put the observation back. */
async function isSoAlready(play: Play, { rest }: Ask, by: Owed["by"], kind: UndoKind): Promise<boolean> {
  if (kind === "repository") return false;
  const [, path = "", verb] = /^POST (.*)\/(\w+)$/.exec(rest) ?? [];
  const shown = await request(play, { rest: `GET ${path}` }, by);
  const body = shown.ok && shown.response.status === 200 ? bodyJson(shown.response) : undefined;
  const status = body?.ok && isRecord(body.value) ? String(body.value.status) : "";
  if (kind === "job") return ENDED.includes(status);
  return status === (verb === "reopen" ? "new" : "closed");
}

async function clear(play: Play, { purpose, setting }: { purpose: string; setting: string }): Promise<string | undefined> {
  const { ask } = await import("./ask.js");
  const name = /^setting (.+)$/.exec(setting)?.[1];
  const step: Step = { mcp: { tool: purpose, arguments: name === undefined ? {} : { setting: name } } };
  const prepared = prepare(step, play);
  if (!prepared.ok) return prepared.why;
  const sent = await ask(play, prepared.request, new Set());
  if (!sent.ok) return sent.why;
  return isRefusal(sent.response) ? `the tool for ${purpose} refused` : undefined;
}

function request(play: Play, { rest, json }: Ask, by?: Owed["by"]): Promise<Sent> {
  const { run, stage } = play;
  const [method = "", path] = rest.split(" ");
  const { app, api } = stage.target.urls;
  const full = stage.keys.full;
  const credentials: Record<string, string> = by ?? (full === undefined ? {} : { authorization: `Bearer ${full}` });
  const message: WireRequest = {
    method,
    url: `${"cookie" in credentials ? (app ?? api) : api}${path}`,
    headers: { accept: "application/json", ...(json && { "content-type": "application/json" }), ...credentials },
    ...(json && { body: new TextEncoder().encode(JSON.stringify(json)) }),
  };
  return sendPatiently(run, stage, message, new Set());
}
