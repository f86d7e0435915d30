import type { Run } from "../execute/run.js";
import { retryAfterSeconds, sendOnce } from "../execute/send.js";
import type { AnswerRules } from "../http/answer-rules.js";
import { bodyJson, bodyText, type Failure, type WireRequest, type WireResponse } from "../http/exchange.js";
import type { PreflightRules, ServiceRules } from "./rules.js";

/** What a preflight goes by: the run that it precedes, and what the contract says. */
export interface PreflightContext {
  run: Run;
  rules: ServiceRules;
}

/** Why nothing is examined, in a sentence that says what happened, where, and what to do; the exit code is the command line's. */
export interface Stop {
  exitCode: 2 | 3 | 4;
  why: string;
}

/** What a harmless request came to: an answer, none, or one that says to come back later than the run may wait. */
export type ProbeResult = { response: WireResponse } | { failure: Failure } | { stop: Stop };

const MOST_TRIES = 6;

/** Sends a harmless request. A connection that breaks is tried again, and what a busy server asks for is waited out once, if the run may wait so long. */
export async function probe(run: Run, request: WireRequest): Promise<ProbeResult> {
  const { onExchange: _, ...quiet } = run;
  let waited = false;
  for (let attempt = 1; ; attempt++) {
    const { response, failure, endedAt } = await sendOnce(quiet, request);
    if (failure?.kind === "reset" && attempt < MOST_TRIES) continue;
    if (failure) return { failure };
    if (response.status !== 429 && response.status !== 503) return { response };
    const retryAfter = retryAfterSeconds(response, endedAt);
    const seconds = retryAfter ?? (response.status === 429 ? run.target.timing.rateMinuteSeconds : 1);
    if (waited || seconds > run.maxWaitSeconds || run.signal.aborted) return { stop: busy(run, request, response, retryAfter) };
    await run.sleep(seconds, run.signal);
    waited = true;
  }
}

/** The request of a read, with a key or without. */
export function readRequest(base: string, path: string, key?: string): WireRequest {
  const credentials = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return { method: "GET", url: base + path, headers: { accept: "application/json", ...credentials } };
}

/** `GET http://host/path`, for a sentence. */
export function nameOf({ method, url }: WireRequest): string {
  return `${method} ${url.replace(/\?.*/, "")}`;
}

/** What an answer is, for a sentence: `401 (bad_key)`, `404 with an HTML page`. */
export function describeAnswer(answers: AnswerRules, response: WireResponse): string {
  const body = bodyJson(response);
  if (!body.ok) return `${response.status} with ${body.what.replace(/:.*/s, "")}`;
  const code = answers.errorCode(body.value);
  return code === undefined ? `${response.status} with ${describeJson(bodyText(response))}` : `${response.status} (${code})`;
}

/** Whether an answer bears the marks of the service. */
export function isOfService(rules: PreflightRules, response: WireResponse): boolean {
  const body = bodyJson(response);
  return body.ok && rules.isOfService(body.value);
}

function describeJson(text: string): string {
  return `the JSON ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`.replace(/\s+/g, " ");
}

function busy(run: Run, request: WireRequest, { status }: WireResponse, retryAfter: number | undefined): Stop {
  const wait = run.maxWaitSeconds;
  const says = retryAfter === undefined ? "does not say for how long" : `asks to wait ${Math.ceil(retryAfter - 1)} s`;
  const again =
    retryAfter !== undefined && retryAfter > wait
      ? `, and a wait may last ${wait} s: run again later, or with --max-wait ${Math.ceil(retryAfter)}`
      : ": run again later, and alone";
  const what = status === 429 ? "is at its rate limit" : "is not available";
  return { exitCode: 3, why: `The server ${what}: ${nameOf(request)} answered ${status} and ${says}${again}.` };
}
