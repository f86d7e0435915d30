import type { Run } from "../play/run.js";
import { retryAfterSeconds, sendOnce } from "../play/send.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyJson, bodyText, type Failure, type WireRequest, type WireResponse } from "../wire/exchange.js";

/** Why nothing is examined, in a sentence that says what happened, where, and what to do; the exit code is the command line's. */
export interface Stop {
  exitCode: 2 | 3 | 4;
  why: string;
}

/** What a harmless request came to: an answer, none, or one that says to come back later than the run may wait. */
export type Probed = { response: WireResponse } | { failure: Failure } | { stop: Stop };

const MOST_TRIES = 6;

/** A list that each of these roles may be asked for; a read that changes nothing. */
export const READS = ["/api/repos?limit=1", "/api/jobs?limit=1", "/api/observations?limit=1"] as const;

/** Sends a harmless request. A connection that breaks is tried again, and what a busy server asks for is waited out once, if the run may wait so long. */
export async function probe(run: Run, request: WireRequest): Promise<Probed> {
  const { onExchange: _, ...quiet } = run;
  let waited = false;
  for (let attempt = 1; ; attempt++) {
    const { response, failure, endedAt } = await sendOnce(quiet, request);
    if (failure?.kind === "reset" && attempt < MOST_TRIES) continue;
    if (failure) return { failure };
    if (response.status !== 429 && response.status !== 503) return { response };
    const asked = retryAfterSeconds(response, endedAt);
    const seconds = asked ?? (response.status === 429 ? run.target.timing.rateMinuteSeconds : 1);
    if (waited || seconds > run.maxWaitSeconds || run.signal.aborted) return { stop: busy(run, request, response, asked) };
    run.tally.waitedSeconds += seconds;
    await run.sleep(seconds, run.signal);
    waited = true;
  }
}

/** A request of a read without a body, with a key or without. */
export function readOf(base: string, path: string, key?: string): WireRequest {
  const credentials = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return { method: "GET", url: base + path, headers: { accept: "application/json", ...credentials } };
}

/** `GET http://host/api/repos`, for a sentence. */
export function nameOf({ method, url }: WireRequest): string {
  return `${method} ${url.replace(/\?.*/, "")}`;
}

/** What an answer is, for a sentence: `401 (invalid_key)`, `404 with an HTML page`. */
export function describeAnswer(response: WireResponse): string {
  const body = bodyJson(response);
  if (!body.ok) return `${response.status} with ${body.what.replace(/:.*/s, "")}`;
  const code = errorOf(response)?.code;
  return typeof code === "string"
    ? `${response.status} (${code})`
    : `${response.status} with ${describeJson(bodyText(response))}`;
}

/** Whether an answer bears the marks of the service: its error envelope, or a page of a list. */
export function isOfService(response: WireResponse): boolean {
  const body = bodyJson(response);
  if (!body.ok || !isRecord(body.value)) return false;
  const error = errorOf(response);
  return typeof error?.type === "string" || typeof error?.code === "string" || Array.isArray(body.value.data);
}

function errorOf(response: WireResponse): Record<string, unknown> | undefined {
  const body = bodyJson(response);
  return body.ok && isRecord(body.value) && isRecord(body.value.error) ? body.value.error : undefined;
}

function describeJson(text: string): string {
  return `the JSON ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`.replace(/\s+/g, " ");
}

function busy(run: Run, request: WireRequest, { status }: WireResponse, asked: number | undefined): Stop {
  const wait = run.maxWaitSeconds;
  const says = asked === undefined ? "does not say for how long" : `asks to wait ${Math.ceil(asked - 1)} s`;
  const again =
    asked !== undefined && asked > wait
      ? `, and a wait may last ${wait} s: run again later, or with --max-wait ${Math.ceil(asked)}`
      : ": run again later, and alone";
  const what = status === 429 ? "is at its rate limit" : "is not available";
  return { exitCode: 3, why: `The server ${what}: ${nameOf(request)} answered ${status} and ${says}${again}.` };
}
