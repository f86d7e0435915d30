import { matchAnswer } from "../expect/answer.js";
import type { Match } from "../expect/match.js";
import { read } from "../expect/pointer.js";
import { type AnswerText, type Step, seconds, withoutTrigger } from "../scenario/format.js";
import { interpolate, interpolateText } from "../scenario/interpolate.js";
import { callHook, type HookAnswer } from "../target/hooks.js";
import type { WireRequest, WireResponse } from "../wire/exchange.js";
import { isRefusal } from "../wire/mcp.js";
import { ask, askRaw } from "./ask.js";
import { failed, inconclusive, inWords, type Outcome, passed } from "./check.js";
import { hookContext, moveClock, pause } from "./clock.js";
import { playEachTool } from "./each-tool.js";
import { effectOf } from "./effects.js";
import type { Play } from "./play.js";
import { prepare } from "./request.js";
import { type Asked, type Sent, sendPatiently, sendWalking, statusesWanted } from "./send.js";
import { playSeries } from "./series.js";

/** Plays one step and says what it came to; what it saves is in the play afterwards. */
export async function playStep(play: Play, step: Step): Promise<Outcome> {
  if (step.drive !== undefined) return drive(play, step, step.drive);
  if (step.clock) return letTimePass(play, step);
  if (!affords(play, step)) return inconclusive("the budget for paid work is used up");
  if (step.burst || step.race) return playSeries(play, step);
  if (step.mcp?.eachTool) return playEachTool(play, step, step.mcp.eachTool);
  return exchange(play, step);
}

/** Whether an answer shows what is expected of it, with the play's variables filled in. */
export function judge(play: Play, expected: AnswerText, response: WireResponse): Match {
  return matchAnswer(interpolate(expected, play.look), response);
}

/** Saves what a step names from its answer. Gives the first place where there was nothing. */
export function save(play: Play, step: Step, response: WireResponse): string | undefined {
  let missing: string | undefined;
  for (const [table, keep] of [
    [step.save, keepVariable],
    [step.saveKey, keepKey],
  ] as const) {
    for (const [name, place] of Object.entries(table ?? {})) {
      const value = read(response, interpolateText(place, play.look));
      if (value === undefined) missing ??= `nothing at "${place}" to save as ${name}`;
      else keep(play, name, value);
    }
  }
  return missing;
}

async function exchange(play: Play, step: Step): Promise<Outcome> {
  const sent = await sendRequest(play, step);
  if (!sent.ok) return inconclusive(sent.why, sent.request);
  const outcome = await settle(play, step, sent);
  const missing = save(play, step, sent.response);
  const stays = outcome.verdict === "failed" || outcome.verdict === "inconclusive";
  return missing === undefined || stays ? outcome : inconclusive(missing, sent.request);
}

/** Sends the request of a rest, repeat or mcp step as the step wants it: patiently, over all pages, until something is so. Judges nothing. */
export async function sendRequest(play: Play, step: Step): Promise<Asked> {
  const repeated = step.repeat === undefined ? undefined : play.sent.get(step.repeat);
  const prepared =
    step.repeat === undefined
      ? prepare(step, play)
      : repeated
        ? { ok: true as const, request: repeated }
        : { ok: false as const, why: `${step.repeat} was never sent` };
  if (!prepared.ok) return prepared;
  if (step.id) play.sent.set(step.id, prepared.request);
  return step.until ? poll(play, step, step.until, prepared.request) : sendStep(play, step, prepared.request);
}

/** Judges the answer: what says nothing, then the precondition, then the check and its control. */
async function settle(play: Play, step: Step, sent: Sent & { ok: true }): Promise<Outcome> {
  const { response, request, exchanges } = sent;
  const says = step.inconclusiveIf?.find((expected) => judge(play, expected, response).mismatches.length === 0);
  if (says) return inconclusive(`the answer was one that says nothing here: ${JSON.stringify(says)}`, request);
  const given = step.given && judge(play, step.given, response);
  if (given && given.mismatches.length > 0) return inconclusive(`not as given: ${inWords(given.mismatches)}`, request);
  if (step.expect) {
    const { mismatches, hollow, items } = judge(play, step.expect, response);
    if (mismatches.length > 0) return failed(mismatches, exchanges + items, request);
    if (hollow.length > 0) return inconclusive(`nothing to judge: ${hollow.join("; ")}`, request);
    return (await contradiction(play, step)) ?? passed(exchanges + items);
  }
  if (step.observe) return observed(step.observe, response);
  if (step.given || isSetUp(step, response)) return passed(exchanges);
  return inconclusive(`set-up was refused: status ${response.status} ${snippet(response)}`, request);
}

function isSetUp({ mcp }: Step, response: WireResponse): boolean {
  return mcp ? !isRefusal(response) : response.status >= 200 && response.status < 300;
}

/** Sends the control: the request without the trigger. Unless it shows what it must, the check proves nothing. */
async function contradiction(play: Play, step: Step): Promise<Outcome | undefined> {
  if (!step.control) return undefined;
  const { expect: expected } = step.control;
  const control = withoutTrigger(step, play.scenario.text.steps);
  const prepared = prepare(control, play);
  if (!prepared.ok) return inconclusive(`no control: ${prepared.why}`);
  if (!affords(play, control)) return inconclusive("no control: the budget for paid work is used up");
  const sent = await send(play, control, prepared.request, statusesWanted([expected]));
  if (!sent.ok) return inconclusive(`no control: ${sent.why}`, sent.request);
  const { mismatches } = judge(play, expected, sent.response);
  return mismatches.length === 0
    ? undefined
    : inconclusive(`the control did not behave otherwise: ${inWords(mismatches)}`, sent.request);
}

async function sendStep(play: Play, step: Step, request: WireRequest): Promise<Sent> {
  const wanted = step.asIs ? new Set([429, 503]) : statusesWanted([step.expect, step.given, ...(step.inconclusiveIf ?? [])]);
  return send(play, step, request, wanted);
}

function send(play: Play, step: Step, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  if (step.mcp) return (step.mcp.raw === undefined ? ask : askRaw)(play, request, wanted);
  return (step.walk ? sendWalking : sendPatiently)(play.run, play.stage, request, wanted);
}

/** Asks until the expectation holds or its time is over; the last answer is the one to judge. */
async function poll(play: Play, step: Step, until: { within: string; every?: string }, request: WireRequest): Promise<Sent> {
  const [within, every] = [until.within, until.every ?? "1s"].map((duration) =>
    seconds(interpolateText(duration, play.look)),
  ) as [number, number];
  const awaited = step.expect ?? step.given ?? {};
  for (let passedSeconds = 0; ; passedSeconds += every) {
    const sent = await sendStep(play, step, request);
    const { mismatches, hollow } = sent.ok ? judge(play, awaited, sent.response) : { mismatches: [], hollow: [] };
    if (!sent.ok || (mismatches.length === 0 && hollow.length === 0) || passedSeconds + every > within) return sent;
    const budget = play.stage.target.clock ? Number.POSITIVE_INFINITY : play.run.maxWaitSeconds;
    if (passedSeconds + every > budget)
      return { ok: false, request, why: `not so within the ${budget} s that a wait may last: ${inWords(mismatches)}` };
    const waited = await pause(play.run, play.stage, every, "the server to come to it");
    if (!waited.ok) return { ok: false, request, why: waited.why };
  }
}

async function drive(play: Play, step: Step, event: string): Promise<Outcome> {
  const answer = await driveEvent(play, step, event);
  if (!answer.ok) return inconclusive(`${event} could not be driven: ${answer.why}`);
  return answer.missing === undefined ? passed(1) : inconclusive(answer.missing);
}

/** Makes an event happen behind the service and saves what the step names from the answer; `missing` says what was not there. */
export async function driveEvent(play: Play, step: Step, event: string): Promise<HookAnswer & { missing?: string | undefined }> {
  const hook = play.stage.target.drive[event];
  if (!hook) return { ok: false, why: "the target has no hook for it" };
  const values = interpolate(step.with ?? {}, play.look);
  const answer = await callHook(hook, values, hookContext(play.run, play.stage));
  if (!answer.ok) return answer;
  play.run.debts?.driven(event, values, answer.value);
  const body = new TextEncoder().encode(JSON.stringify(answer.value));
  return { ...answer, missing: save(play, step, { status: 200, headers: {}, body }) };
}

async function letTimePass(play: Play, { clock }: Step): Promise<Outcome> {
  const change = interpolate(clock, play.look);
  if (!change) return inconclusive("no time was named");
  const moved =
    "by" in change
      ? await pause(play.run, play.stage, seconds(change.by), "time to pass")
      : await moveClock(play.run, play.stage, change);
  return moved.ok ? passed(1) : inconclusive(`time could not pass: ${moved.why}`);
}

function observed(places: readonly string[], response: WireResponse): Outcome {
  const actual = places.map((place) => `${place || "body"}: ${JSON.stringify(read(response, place)) ?? "absent"}`).join("; ");
  return { verdict: "informational", subjects: 0, actual };
}

function keepVariable(play: Play, name: string, value: unknown): void {
  play.saved.set(name, value);
}

function keepKey(play: Play, name: string, value: unknown): void {
  play.run.mask.add(String(value));
  play.keys.set(name, String(value));
}

/** Whether the budget for paid work has room for a step; what it may cost is taken from it at once. */
export function affords({ run, scenario }: Play, step: Step): boolean {
  if (effectOf(step, scenario) !== "paid") return true;
  return run.takePaid(step.burst?.n ?? step.race?.n ?? 1);
}

function snippet(response: WireResponse): string {
  return new TextDecoder().decode(response.body.slice(0, 200));
}
