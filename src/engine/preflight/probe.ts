import type { Run } from "../execute/run.js";
import { retryAfterSeconds, sendOnce } from "../execute/send.js";
import { type Failure, parseBodyJson, readBodyText, type WireRequest, type WireResponse } from "../http/exchange.js";
import type { ResponseRules } from "../http/response-rules.js";
import type { PreflightRules, ServiceRules } from "./rules.js";

/** The input of a preflight: the run that follows it, and the rules of the contract. */
export interface PreflightContext {
  run: Run;
  rules: ServiceRules;
}

/** Why the run stops: `why` says what happened, where, and what to do. `exitCode` is that of the command line. */
export interface Stop {
  exitCode: 2 | 3 | 4;
  why: string;
}

/** The result of a harmless request: a response, a failure, or a stop if the server requires a longer wait than the run allows. */
export type ProbeResult = { response: WireResponse } | { failure: Failure } | { stop: Stop };

const MAX_TRIES = 6;

/** Sends a harmless request. Retries if the connection is reset. Waits once for a busy server, at most as long as the run allows. */
export async function probe(run: Run, request: WireRequest): Promise<ProbeResult> {
  const { onExchange: _, ...quiet } = run;
  let waited = false;
  for (let attempt = 1; ; attempt++) {
    const { response, failure, endedAt } = await sendOnce(quiet, request);
    if (failure?.kind === "reset" && attempt < MAX_TRIES) continue;
    if (failure) return { failure };
    if (response.status !== 429 && response.status !== 503) return { response };
    const retryAfter = retryAfterSeconds(response, endedAt);
    const seconds = retryAfter ?? (response.status === 429 ? run.target.timing.rateMinuteSeconds : 1);
    if (waited || seconds > run.maxWaitSeconds || run.signal.aborted)
      return { stop: createBusyStop(run, request, response, retryAfter) };
    await run.sleep(seconds, run.signal);
    waited = true;
  }
}

/** Returns a GET request, with a key or without. */
export function readRequest(base: string, path: string, key?: string): WireRequest {
  const credentials = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return { method: "GET", url: base + path, headers: { accept: "application/json", ...credentials } };
}

/** Returns a request for a message: `GET http://host/path`. */
export function formatRequestName({ method, url }: WireRequest): string {
  return `${method} ${url.replace(/\?.*/, "")}`;
}

/** Describes a response for a message: `401 (bad_key)`, `404 with an HTML page`. */
export function describeResponse(responses: ResponseRules, response: WireResponse): string {
  const body = parseBodyJson(response);
  if (!body.ok) return `${response.status} with ${body.kind}`;
  const code = responses.errorCode(body.value);
  return code === undefined ? `${response.status} with ${describeJson(readBodyText(response))}` : `${response.status} (${code})`;
}

/** Returns whether a response body has the form of an error or a list of the service. */
export function isOfService(rules: PreflightRules, response: WireResponse): boolean {
  const body = parseBodyJson(response);
  return body.ok && rules.isOfService(body.value);
}

function describeJson(text: string): string {
  return `the JSON ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`.replace(/\s+/g, " ");
}

function createBusyStop(run: Run, request: WireRequest, { status }: WireResponse, retryAfter: number | undefined): Stop {
  const wait = run.maxWaitSeconds;
  const delay = retryAfter === undefined ? "does not say for how long" : `asks to wait ${Math.ceil(retryAfter - 1)} s`;
  const again =
    retryAfter !== undefined && retryAfter > wait
      ? `, and a wait may last ${wait} s: run again later, or with --max-wait ${Math.ceil(retryAfter)}`
      : ": run again later, and alone";
  const what = status === 429 ? "is at its rate limit" : "is not available";
  return { exitCode: 3, why: `The server ${what}: ${formatRequestName(request)} answered ${status} and ${delay}${again}.` };
}
