import { hideCredentials } from "../mask.js";
import { hookContext, pause, readClock } from "../play/clock.js";
import { isMet } from "../play/needs.js";
import { lookAtClock, openPlay, type Play, tidyUp } from "../play/play.js";
import { prepare } from "../play/request.js";
import type { Run } from "../play/run.js";
import { type Asked, sendOnce } from "../play/send.js";
import { affords, driveEvent, save, sendRequest } from "../play/step.js";
import { type Step, unfiled } from "../scenario/format.js";
import { closeStage, openStage } from "../target/stage.js";
import type { Target } from "../target/target.js";
import type { WireRequest, WireResponse } from "../wire/exchange.js";
import { isRefusal } from "../wire/mcp.js";
import type { Coverage } from "./coverage.js";
import type { Scene } from "./property.js";

/** A scene with the count of its requests; `close` tidies up and gives its world back. */
export interface OpenScene {
  scene: Scene;
  requests(): number;
  /** Masks the credentials of its world: before anything that was seen here is told. */
  conceal(): void;
  close(): Promise<void>;
}

/** Opens the scene of one case. `name` is the property's; `unique` tells the case apart from every other. */
export async function openScene(
  run: Run,
  { name, unique, coverage }: { name: string; unique: string; coverage: Coverage },
): Promise<({ ok: true } & OpenScene) | { ok: false; why: string }> {
  const hooks = hookContext(run, { world: "" });
  const opened = await openStage(run.target, undefined, hooks);
  if (!opened.ok) return opened;
  const { stage } = opened;
  const played: Step[] = [];
  const { play, requests } = openPlay(run, stage, unfiled({ scenario: name, title: name, proves: [], steps: played }), unique);
  const close = async () => {
    await tidyUp(play, unique);
    await closeStage(stage, hooks);
  };
  const scene = sceneOf(play, played, { unique, coverage });
  return { ok: true, scene, requests, conceal: () => hideCredentials(run.mask, stage), close };
}

function sceneOf(play: Play, played: Step[], { unique, coverage }: { unique: string; coverage: Coverage }): Scene {
  const { run, stage } = play;
  return {
    fresh: stage.fresh,
    played,
    coverage,
    look: (name) => play.look(name),
    offers: (need) => isMet(need, stage.target, stage),
    async send(step) {
      await lookAtClock(play, step, unique);
      return send(play, played, step);
    },
    tools: () => listTools(play, played),
    together: (steps) => Promise.all(steps.map((step) => sendOnce(play.run, requestOf(play, step)))),
    async drive(event, values, saved) {
      const step: Step = { drive: event, with: values, ...(saved && { save: saved }) };
      const answer = await driveEvent(play, step, event);
      if (answer.ok) played.push(step);
      return answer;
    },
    async wait(seconds) {
      const passed = await pause(run, stage, seconds, "time to pass");
      if (passed.ok) played.push({ clock: { by: `${seconds}s` } });
      return passed;
    },
    now: () => readClock(run, stage),
  };
}

/** What targets without worlds have listed: their tools stay, and each page of the list counts against the rate of tool calls. */
const listed = new WeakMap<Target, Asked>();

async function listTools(play: Play, played: Step[]): Promise<Asked> {
  const { fresh, target } = play.stage;
  const known = fresh ? undefined : listed.get(target);
  const asked = known ?? (await send(play, played, { mcp: { list: "tools" } }));
  if (asked.ok && !fresh) listed.set(target, asked);
  return asked;
}

/** The request of a step of many; one that lacks a variable is a fault of its property. */
function requestOf(play: Play, step: Step): WireRequest {
  const prepared = prepare(step, play);
  if (!prepared.ok) throw new Error(prepared.why);
  return prepared.request;
}

async function send(play: Play, played: Step[], step: Step): Promise<Asked> {
  if (!affords(play, step)) return { ok: false, why: "the budget for paid work is used up" };
  const sent = await sendRequest(play, step);
  if (!sent.ok) return sent;
  const missing = save(play, step, sent.response) !== undefined;
  played.push(asSetUp(step, sent.response, missing));
  return sent;
}

/** A step as it must stand in a scenario to be played again: a refusal was meant, and what was not there cannot be saved. */
function asSetUp({ save: saved, saveKey, ...step }: Step, response: WireResponse, missing: boolean): Step {
  const refused = step.mcp ? isRefusal(response) : response.status < 200 || response.status >= 300;
  const given = step.mcp ? { refused: true as const } : { status: response.status };
  const kept = !missing && !refused && { ...(saved && { save: saved }), ...(saveKey && { saveKey }) };
  return { ...step, ...(refused && { given }), ...kept };
}
