import type { WireResponse } from "../../../engine/http/exchange.js";
import type { Failure, SystemUnderTest } from "../../../engine/property/property.js";
import type { AnswerText, Step } from "../../../engine/scenario/format.js";
import { isRefusal } from "../../answer-rules.js";
import { operationAt, operationStatement } from "../../statements/operations.js";
import { SPARE } from "../../statements/setup-steps.js";
import { failed, whereOf } from "../blame.js";
import { prepare } from "../prepare.js";
import { type Answer, type Breach, breachOf } from "./answers.js";
import { inBursts } from "./counterexample.js";
import type { RateLimit } from "./rate.js";
import { codeOf, judgeRefusal, type Shortage } from "./refusal.js";
import { secondsToWait } from "./retry-after.js";

/** When a limit is tried again: seconds after it first refused, and whether it is left alone for two minutes at the end. */
export interface Course {
  gapSeconds: number;
  rests: boolean;
}

/** What must be so at the moment at which the limit has first refused. */
export interface Neighbour {
  step: Step;
  clause: string;
  /** What that covers of the clause: dimension -> values. */
  values?: Readonly<Record<string, readonly string[]>>;
  refused: boolean;
  /** What takes back what it has begun. */
  undo?: Step;
}

/** How a limit is tried. */
interface Trial {
  /** Where none is given, the first refusal is enough. */
  course?: Course;
  /** What was done before, without which a counterexample says nothing. */
  before: readonly Step[];
  neighbours?: readonly Neighbour[];
  /** What changes the key or its workspace before the limit is tried again, and makes no room. */
  between?: readonly Step[];
}

/** What came of trying one limit: what was held against it, or that it says nothing. */
export type RateResult = ({ ok: true } & Findings) | NoResult | Failure;

/** What was seen of a limit, and was as it must be. */
export interface Findings {
  /** Answers. */
  subjects: number;
  /** Whether a 429 said for how long to wait, and whether that helped. */
  told: boolean;
  helped: boolean;
  /** Whatever was asked beside it. */
  neighbours: readonly Neighbour[];
}

/** One limit being tried. */
interface Attempt extends Trial {
  sut: SystemUnderTest;
  limit: RateLimit;
  /** Every request and wait so far, as steps. */
  moves: Step[];
  answers: Answer[];
  /** Where in `moves` each answer's request stands. */
  places: number[];
  bursts: number;
  told: boolean;
  helped: boolean;
  seen: Neighbour[];
}

/** What the coverage calls limits whose whole course was gone through. */
const TRIED_AGAIN = "limits tried again";
/** Requests that may go wrong in some other way before a limit is given up. */
const MOST_OTHERS = 3;
/** Two minutes and a second: by then every window is as at rest. */
export const REST_SECONDS = 121;

/**
 * Uses a limit up again and again, and holds every answer against what all conforming windows have in common (`answers.ts`): at first from rest,
 * then a few seconds later, twice, whatever was changed meanwhile, a minute after that refusal, once Retry-After has been waited out, and after two minutes of rest.
 */
export async function holdRate(sut: SystemUnderTest, limit: RateLimit, trial: Trial): Promise<RateResult> {
  const attempt: Attempt = {
    ...trial,
    sut,
    limit,
    moves: [],
    answers: [],
    places: [],
    bursts: 0,
    told: false,
    helped: false,
    seen: [],
  };
  const first = await useUp(attempt);
  if ("verdict" in first || !first.ok) return first;
  const odd = (await lookAround(attempt)) ?? (await useUpAgain(attempt));
  if (odd && "verdict" in odd) return odd;
  const { told, helped, seen, answers } = attempt;
  return { ok: true, subjects: answers.length, told, helped, neighbours: seen };
}

/** What cannot be done later says nothing, but takes nothing back; the coverage tells which limits were not tried to the end. */
async function useUpAgain(attempt: Attempt): Promise<NoResult | Failure | undefined> {
  const { sut, limit, course } = attempt;
  if (!course) return undefined;
  sut.coverage.expect(TRIED_AGAIN, [limit.name]);
  const odd = await followCourse(attempt, course);
  if (!odd) sut.coverage.reach(TRIED_AGAIN, limit.name);
  return odd;
}

async function followCourse(attempt: Attempt, { gapSeconds, rests }: Course): Promise<NoResult | Failure | undefined> {
  const second = (await wait(attempt, gapSeconds)) ?? (await change(attempt)) ?? (await useUp(attempt));
  if ("verdict" in second || !second.ok) return second;
  const third = (await wait(attempt, gapSeconds)) ?? (await change(attempt)) ?? (await useUp(attempt));
  if ("verdict" in third || !third.ok) return third;
  const fourth = (await waitUntil(attempt, third.fromMs + 60_000)) ?? (await useUp(attempt));
  if ("verdict" in fourth || !fourth.ok) return fourth;
  const odd = await waitAsAsked(attempt, fourth.response);
  if (odd || !rests) return odd;
  const last = (await wait(attempt, REST_SECONDS)) ?? (await useUp(attempt));
  return "verdict" in last || !last.ok ? last : undefined;
}

/** Nothing can be said, and why. */
type NoResult = { ok: false; why: string };

type UsedUp = { ok: true; fromMs: number; response: WireResponse } | NoResult | Failure;

/** Asks until it is refused, and judges all answers so far. */
async function useUp(attempt: Attempt): Promise<UsedUp> {
  const { sut, limit, answers } = attempt;
  const burst = attempt.bursts++;
  const fromMs = (await sut.now()).getTime();
  const begun = answers.length;
  const most = 2 * limit.most + 2;
  let others = 0;
  let refusal: WireResponse | undefined;
  for (let n = 0; n < most && others <= MOST_OTHERS && !refusal; n++) {
    const sent = await ask(attempt, burst, fromMs);
    if (!sent.ok) return sent;
    if (sent.outcome === "refused") refusal = sent.response;
    if (sent.outcome === "other") others += 1;
  }
  const toMs = (await sut.now()).getTime();
  for (const answer of answers.slice(begun)) answer.toMs = toMs;
  const breach = breachOf(answers, limit);
  if (breach) return blame(attempt, breach);
  if (!refusal) return { ok: false, why: `${limit.name}: nothing was refused, for requests were not served or took long` };
  const { moves, before } = attempt;
  const steps = [...before, ...inBursts(moves.slice(0, -1))];
  const untold = judgeRefusal(shortageOf(limit), steps, moves.at(-1) as Step, refusal);
  attempt.told ||= refusal.status === 429;
  return untold ?? { ok: true, fromMs, response: refusal };
}

type AskResult = { ok: true; outcome: Answer["outcome"]; response: WireResponse } | { ok: false; why: string };

/** Sends the next request that draws on the limit, and what makes room for one more. */
async function ask({ sut, limit, answers, moves, places }: Attempt, burst: number, fromMs: number): Promise<AskResult> {
  const served = answers.filter(({ outcome }) => outcome === "served").length;
  const request = requestAt(limit, served);
  const sent = await sut.send(request);
  if (!sent.ok) return sent;
  const outcome = outcomeOf(request, sent.response);
  if (outcome === undefined) return { ok: false, why: `${limit.name}: status ${sent.response.status} came between` };
  places.push(moves.push(request) - 1);
  answers.push({ outcome, fromMs, toMs: fromMs, burst });
  if (outcome === "served" && limit.after) {
    const after = filled(limit.after, served);
    const done = await sut.send(after);
    if (!done.ok) return done;
    moves.push(after);
  }
  return { ok: true, outcome, response: sent.response };
}

/** Undefined for an answer after which nothing more can be told: a fault of the server, or money that is used up. */
function outcomeOf({ mcp, rest = "" }: Step, response: WireResponse): Answer["outcome"] | undefined {
  if (response.status >= 500) return undefined;
  if (mcp) return isRefusal(response) ? "refused" : "served";
  if (response.status === 429) return isForMoney(rest, response) ? undefined : "refused";
  return response.status < 300 ? "served" : "other";
}

/** SPEND-CODE: where paid work is asked for, money may be what is used up. */
function isForMoney(rest: string, response: WireResponse): boolean {
  const [method = "", address = ""] = rest.replace(SPARE, "owner/repo/branch").replace("{repo}", "owner/repo/branch").split(" ");
  const operation = operationAt(method, address);
  const isPaid = operation !== undefined && operationStatement(operation).effect === "paid";
  return isPaid && codeOf(response) === "rate_limit_budget";
}

function requestAt({ requests }: RateLimit, count: number): Step {
  return filled({ ...(requests[count % requests.length] as Step), retry: false }, count);
}

/** A step in which `{i}` is a number. */
function filled(step: Step, i: number): Step {
  return JSON.parse(JSON.stringify(step).replaceAll("{i}", String(i))) as Step;
}

/** What the refusal leaves alone and what it does not, while time stands; whatever is refused says for how long. */
async function lookAround({ sut, limit, moves, before, seen, neighbours = [] }: Attempt): Promise<Failure | undefined> {
  const begun = (await sut.now()).getTime();
  const needed = [...before, ...inBursts(moves)];
  for (const neighbour of neighbours) {
    const { step, clause, refused, undo } = neighbour;
    const sentOnce = { ...step, retry: false };
    const sent = await sut.send(sentOnce);
    if (!sent.ok) continue;
    if (undo && sent.response.status < 300) await sut.send(undo);
    if (sent.response.status === 429 && isForMoney(step.rest ?? "", sent.response)) continue; // that hour is another limit
    const isRefused = step.mcp ? isRefusal(sent.response) : sent.response.status === 429;
    const shortage = refused ? shortageOf(limit) : ({ name: nameOf(step) } as const);
    const untold = judgeRefusal(shortage, needed, sentOnce, sent.response);
    if (untold) return untold;
    if (isRefused === refused) seen.push(neighbour);
    if (isRefused === refused) continue;
    if (refused && (await sut.now()).getTime() !== begun) continue; // there may be room again
    const why = refused ? `goes through though ${limit.name} is used up` : `is refused because ${limit.name} is used up`;
    return failed([clause], `${nameOf(step)} ${why}`, [...needed, { ...sentOnce, expect: expectation(step, refused) }]);
  }
  return undefined;
}

/** BUCKET-CODE, LIMIT-EFFECTIVE-KEY: a rate is told from money by its code. */
function shortageOf({ name, kind }: RateLimit): Shortage {
  const clause = kind === "path bucket" ? "BUCKET-CODE" : "LIMIT-EFFECTIVE-KEY";
  return { name, own: { code: "rate_limit_qps", clause } };
}

/** What an answer must be that is refused for its rate, or is not. */
function expectation({ mcp }: Step, refused: boolean): AnswerText {
  if (mcp) return refused ? { refused: true } : { content: { type: "string" } };
  return { status: refused ? 429 : { not: 429 } };
}

function nameOf(step: Step): string {
  return step.mcp ? `a call of ${step.mcp.tool ?? "the tool server"}` : whereOf(step);
}

/** RETRY-AFTER-HELPS: who waits that long, and a second, is served. */
async function waitAsAsked(attempt: Attempt, refusal: WireResponse): Promise<NoResult | Failure | undefined> {
  const { sut, limit, moves, answers, before } = attempt;
  const seconds = refusal.status === 429 ? secondsToWait(refusal) : undefined;
  if (seconds === undefined) return undefined;
  const refused = moves.at(-1) as Step;
  const earlier = moves.slice(0, -1);
  const waited = await wait(attempt, seconds + 1);
  if (waited) return waited;
  const fromMs = (await sut.now()).getTime();
  const sent = await ask(attempt, attempt.bursts++, fromMs);
  if (!sent.ok) return sent;
  for (const answer of answers.slice(-1)) answer.toMs = (await sut.now()).getTime();
  attempt.helped = sent.outcome !== "refused";
  if (attempt.helped) return undefined;
  return failed(["RETRY-AFTER-HELPS"], `${limit.name}: a request is refused again after Retry-After`, [
    ...before,
    ...inBursts(earlier),
    { ...refused, given: { status: 429 }, save: { wait: "header:retry-after" } },
    { clock: { by: "{wait}s" } },
    { clock: { by: "1s" } },
    { ...(moves.at(-1) as Step), expect: expectation(refused, false) },
  ]);
}

async function change({ sut, moves, between = [] }: Attempt): Promise<NoResult | undefined> {
  if (await prepare(sut, between)) return { ok: false, why: "the key or its workspace could not be changed" };
  moves.push(...between);
  return undefined;
}

async function waitUntil(attempt: Attempt, timeMs: number): Promise<NoResult | undefined> {
  const beforeMs = (await attempt.sut.now()).getTime();
  return wait(attempt, Math.floor((timeMs - beforeMs) / 1000));
}

async function wait({ sut, moves }: Attempt, seconds: number): Promise<NoResult | undefined> {
  if (seconds <= 0) return undefined;
  const waited = await sut.wait(seconds);
  if (!waited.ok) return waited;
  moves.push({ clock: { by: `${seconds}s` } });
  return undefined;
}

/** The counterexample to a figure: everything up to the answer that breaks it, which is judged. */
function blame({ limit, moves, places, before }: Attempt, { index, rightly, why }: Breach): Failure {
  const place = places[index] ?? 0;
  const last = moves[place] as Step;
  return failed(limit.clauses, `${limit.name}: ${nameOf(last)} ${why}`, [
    ...before,
    ...inBursts(moves.slice(0, place)),
    { ...last, expect: expectation(last, rightly === "refused") },
  ]);
}
