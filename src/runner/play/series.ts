import type { Mismatch } from "../expect/match.js";
import { matchSeries } from "../expect/series.js";
import type { RequestText, SeriesRequest, SeriesText, Step } from "../scenario/format.js";
import { interpolate, type Lookup } from "../scenario/interpolate.js";
import { gatewayWord, type WireRequest, type WireResponse } from "../wire/exchange.js";
import { isRefusal } from "../wire/mcp.js";
import { ask } from "./ask.js";
import { failed, inconclusive, type Outcome, passed } from "./check.js";
import { pause } from "./clock.js";
import { isAlone } from "./confirm.js";
import type { Play } from "./play.js";
import { prepare } from "./request.js";
import { sendOnce } from "./send.js";
import { save } from "./step.js";

/** The most bytes of answers that a burst keeps: they are kept as they came, and read one by one. */
const MOST_BYTES = 64 * 1024 * 1024;

/** `seconds` is how long the series took. */
type Answers = { ok: true; responses: WireResponse[]; last: WireRequest; seconds: number } | { ok: false; why: string };

/** Plays a burst (one request after another, up to the first 429 or, of tool calls, refusal) or a race (all at once) and judges the answers as a series. */
export async function playSeries(play: Play, step: Step): Promise<Outcome> {
  const answers = step.burst ? await burst(play, step.burst) : step.race ? await race(play, step.race) : undefined;
  if (!answers?.ok) return inconclusive(answers?.why ?? "no request");
  const { responses, last } = answers;
  const { mismatches, hollow, items } = matchSeries(interpolate((step.expect ?? {}) as SeriesText, play.look), responses);
  const final = responses.at(-1);
  const missing = final && save(play, step, final);
  const refused = step.burst && final && isOver(step.burst, final);
  if (mismatches.length > 0 && step.burst && !refused && answers.seconds > play.stage.target.timing.rateMinuteSeconds)
    return inconclusive(`the burst took ${Math.round(answers.seconds)} s, longer than the minute its bucket counts`, last);
  const doubt = step.burst && mismatches.length > 0 ? doubtOf(play, step.burst, refused === true, mismatches) : undefined;
  if (doubt !== undefined) return inconclusive(doubt, last);
  if (mismatches.length > 0)
    return step.race && unasked(step.expect as SeriesText, responses)
      ? inconclusive("a 429 came between", last)
      : failed(mismatches, responses.length, last);
  if (hollow.length > 0) return inconclusive(`nothing to judge: ${hollow.join("; ")}`, last);
  return missing === undefined ? passed(responses.length + items) : inconclusive(missing, last);
}

/** Why the end of a burst may be somebody else's doing; undefined where it can only be the server's. */
function doubtOf(play: Play, { as = "" }: SeriesRequest, refused: boolean, mismatches: readonly Mismatch[]): string | undefined {
  const { stage } = play;
  const own = play.keys.has(as) && !(as in stage.keys); // BUCKET-PER-KEY: nobody else has the key
  const counted = mismatches.every(({ at }) => /^(position|answers)/.test(at));
  if (isAlone(stage.target) || !counted) return undefined;
  if (refused && !own)
    return "the limit was reached early, which others who use the same key may have done (exclusive is not set)";
  return !refused && stage.target.clock
    ? "nothing was refused, but others may have moved the clock meanwhile (exclusive is not set)"
    : undefined;
}

async function burst(play: Play, request: SeriesRequest): Promise<Answers> {
  const { run, stage } = play;
  // What was sent before may still fill the bucket, unless nobody could have sent anything.
  const empty = stage.fresh
    ? { ok: true as const }
    : await pause(run, stage, stage.target.timing.rateMinuteSeconds, "an empty bucket");
  if (!empty.ok) return { ok: false, why: `the bucket may not be empty: ${empty.why}` };
  const begun = play.run.now();
  const responses: WireResponse[] = [];
  let last: WireRequest | undefined;
  let bytes = 0;
  for (let n = 1; n <= request.n && !isOver(request, responses.at(-1)); n++) {
    const prepared = prepareNth(play, request, n);
    if (!prepared.ok) return prepared;
    last = prepared.request;
    const { response, why } = await sendNth(play, request, last);
    const word = response ? gatewayWord(response) : why;
    if (!response || word !== undefined) return { ok: false, why: `request ${n} got no answer: ${word}` };
    responses.push(response);
    bytes += response.body.length;
    if (bytes > MOST_BYTES) return { ok: false, why: `the answers are larger than ${MOST_BYTES} bytes together` };
  }
  return last ? { ok: true, responses, last, seconds: (play.run.now() - begun) / 1000 } : { ok: false, why: "no request" };
}

async function sendNth(
  play: Play,
  { mcp }: SeriesRequest,
  request: WireRequest,
): Promise<{ response?: WireResponse; why?: string }> {
  if (mcp) {
    const sent = await ask(play, request, new Set([429, 503]));
    return sent.ok ? { response: sent.response } : { why: sent.why };
  }
  const { response, failure } = await sendOnce(play.run, request);
  return response ? { response } : { why: failure.message };
}

/** A burst ends at the refusal it is after; the form of the tool server's is open (MCP-RATE-SHARED). */
function isOver({ mcp }: SeriesRequest, last: WireResponse | undefined): boolean {
  return last !== undefined && (mcp ? isRefusal(last) : last.status === 429);
}

async function race(play: Play, request: SeriesRequest): Promise<Answers> {
  const requests: WireRequest[] = [];
  const texts = request.requests ?? [request];
  for (let n = 1; n <= request.n; n++) {
    const prepared = prepareNth(play, texts[(n - 1) % texts.length] ?? request, n);
    if (!prepared.ok) return prepared;
    requests.push(prepared.request);
  }
  const exchanges = await Promise.all(requests.map((each) => sendOnce(play.run, each)));
  const [lost] = exchanges.flatMap(({ response, failure }) => (failure ? failure.message : (gatewayWord(response) ?? [])));
  if (lost !== undefined) return { ok: false, why: `a request got no answer: ${lost}` };
  const [first] = requests;
  return first
    ? { ok: true, responses: exchanges.flatMap(({ response }) => (response ? [response] : [])), last: first, seconds: 0 }
    : { ok: false, why: "no request" };
}

function prepareNth(play: Play, request: RequestText, n: number) {
  const look: Lookup = (name) => (name === "n" ? n : play.look(name));
  return prepare(request, { ...play, target: play.target, look });
}

function unasked(expected: SeriesText, responses: readonly WireResponse[]): boolean {
  return !asksForRefusal(expected) && responses.some(({ status }) => status === 429);
}

function asksForRefusal({ statuses = {}, answers = [], oneOf = [] }: SeriesText): boolean {
  const named = [...Object.keys(statuses), ...answers.flatMap(({ status }) => [status].flat().map(String))];
  return named.includes("429") || named.includes("4xx") || oneOf.some(asksForRefusal);
}
