import type { AnswerText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Stage } from "../target/stage.js";
import { bodyJson, type Exchange, gatewayWord, type WireRequest, type WireResponse } from "../wire/exchange.js";
import { type Passed, pause } from "./clock.js";
import type { Run } from "./run.js";

/** An answer, or why there is none to judge. The request is the one that was sent last. */
export type Sent =
  | { ok: true; request: WireRequest; response: WireResponse; exchanges: number }
  | { ok: false; request: WireRequest; why: string };

/** The same, or why no request could be built. */
export type Asked = Sent | { ok: false; why: string; request?: never };

/** The most bytes of answers that are kept to be judged together, so that no server can fill our memory. */
export const MOST_BYTES_TOGETHER = 16 * 1024 * 1024;

const MOST_TRIES = 4;
const MOST_PAGES = 200;
const BACK_OFF_SECONDS = 2;

/** Sends one request as it stands and counts it; a key made by it is secret from then on. Only a read is broken off: of a write the answer must be known. */
export async function sendOnce(run: Run, request: WireRequest): Promise<Exchange> {
  run.count();
  run.governor.note(request);
  const exchange = await run.wire.send(request, request.method === "GET" ? run.signal : undefined);
  hideNewKey(run, exchange);
  run.governor.heed(exchange);
  run.serverClock.heed(exchange);
  run.debts?.heed(exchange);
  run.onExchange?.(exchange);
  return exchange;
}

/**
 * Sends a request once the governor lets it, unless a 429 is what its sender is after; and waits out what its sender did not ask for: a
 * 429, or a 503, for as long as `Retry-After` says.
 */
export async function sendPatiently(run: Run, stage: Stage, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  for (let attempt = 1; ; attempt++) {
    const free = wanted.has(429) ? ({ ok: true } as const) : await waitForRoom(run, stage, () => run.governor.wait(request));
    if (!free.ok) return { ok: false, request, why: `the server's rates leave no room, and ${free.why}` };
    const { response, failure, endedAt } = await sendOnce(run, request);
    if (failure) return { ok: false, request, why: `no answer: ${failure.message}` };
    const { status } = response;
    const word = status === 503 ? undefined : gatewayWord(response);
    if (word !== undefined) return { ok: false, request, why: `no answer: ${word}` };
    if ((status !== 429 && status !== 503) || wanted.has(status)) return { ok: true, request, response, exchanges: 1 };
    if (attempt === MOST_TRIES)
      return { ok: false, request, why: `status ${status} ${attempt} times in a row, though every wait was as long as asked` };
    const waited = await pause(
      run,
      stage,
      retryAfterSeconds(response, endedAt) ?? (status === 429 ? stage.target.timing.rateMinuteSeconds : BACK_OFF_SECONDS),
      `the end of a ${status}`,
    );
    if (!waited.ok) return { ok: false, request, why: `status ${status} came, and ${waited.why}` };
  }
}

/** Waits until the governor says that there is room. */
export async function waitForRoom(run: Run, stage: Stage, secondsLeft: () => number): Promise<Passed> {
  for (let seconds = secondsLeft(); seconds > 0; seconds = secondsLeft()) {
    const passed = await pause(run, stage, seconds, "room below a rate");
    if (!passed.ok) return passed;
  }
  return { ok: true };
}

/** Follows `next_cursor` from a list's first page to its last; the answer then holds the rows of all pages. */
export async function sendWalking(run: Run, stage: Stage, first: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  const pages: string[] = []; // as text, which is a fraction of what the rows take
  const seen = new Set<unknown>();
  let request = first;
  let bytes = 0;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const sent = await sendPatiently(run, stage, request, wanted);
    const body = sent.ok && sent.response.status === 200 ? bodyJson(sent.response) : undefined;
    if (!sent.ok || !body?.ok || !isRecord(body.value) || !Array.isArray(body.value.data)) return sent;
    bytes += sent.response.body.length;
    if (bytes > MOST_BYTES_TOGETHER)
      return { ok: false, request, why: `the pages are larger than ${MOST_BYTES_TOGETHER} bytes together` };
    const { data, ...others } = body.value;
    if (data.length > 0) pages.push(JSON.stringify(data).slice(1, -1));
    const cursor = body.value.next_cursor ?? null;
    if (cursor === null) {
      const whole = `${JSON.stringify({ ...others, data: null }).slice(0, -"null}".length)}[${pages.join(",")}]}`;
      return { ...sent, exchanges: page, response: { ...sent.response, body: new TextEncoder().encode(whole) } };
    }
    if (seen.has(cursor)) return { ok: false, request, why: "the walk came to a cursor that it had used before" };
    seen.add(cursor);
    request = { ...first, url: withCursor(first.url, String(cursor)) };
  }
  return { ok: false, request, why: `the walk did not end within ${MOST_PAGES} pages` };
}

/** Which of 429 and 503 an expectation asks for by its number or by a rate limit's code; a class such as 4xx does not ask. */
export function statusesWanted(expectations: readonly (AnswerText | undefined)[]): Set<number> {
  return new Set(
    [429, 503].filter((status) =>
      expectations.some(
        (expected) =>
          expected &&
          (names(expected.status, status) || (status === 429 && /rate_limit/.test(JSON.stringify(expected.error ?? "")))),
      ),
    ),
  );
}

/** KEY-CREATE: the answer holds the full key, in a field the text does not name; so every string but the id and what we sent becomes secret. */
function hideNewKey({ mask }: Run, { request, response }: Exchange): void {
  if (!response || response.status >= 300 || request.method !== "POST" || !/\/api\/keys(\?|$)/.test(request.url)) return;
  const body = bodyJson(response);
  if (!body.ok || !isRecord(body.value)) return;
  const sent = new TextDecoder().decode(request.body);
  for (const [name, value] of Object.entries(body.value)) {
    if (typeof value !== "string" || value.length < 16 || name === "key_id" || sent.includes(value)) continue;
    if (Number.isNaN(Date.parse(value))) mask.add(value);
  }
}

function names(wanted: unknown, status: number): boolean {
  if (wanted === status || wanted === "any") return true;
  if (Array.isArray(wanted)) return wanted.some((item) => names(item, status));
  return isRecord(wanted) && names(wanted.in, status);
}

/** RETRY-AFTER: whole seconds, or a date, which is read against the answer's own, else against when it came. */
export function retryAfterSeconds({ headers }: WireResponse, cameAt: number): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) + 1; // one more: the second that had begun may not be over
  const until = Date.parse(value) - (Date.parse(headers.date ?? "") || cameAt);
  return Number.isNaN(until) ? undefined : Math.max(0, until / 1000) + 1;
}

function withCursor(url: string, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  return next.href;
}
