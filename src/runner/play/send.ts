import type { AnswerText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Stage } from "../target/stage.js";
import { bodyJson, type Exchange, type WireRequest, type WireResponse } from "../wire/exchange.js";
import { pause } from "./clock.js";
import type { Run } from "./run.js";

/** An answer, or why there is none to judge. The request is the one that was sent last. */
export type Sent =
  | { ok: true; request: WireRequest; response: WireResponse; exchanges: number }
  | { ok: false; request: WireRequest; why: string };

/** The same, or why no request could be built. */
export type Asked = Sent | { ok: false; why: string; request?: never };

const MOST_TRIES = 4;
const MOST_PAGES = 200;
const BACK_OFF_SECONDS = 2;

/** Sends one request and counts it; a key made by it is secret from then on. */
export async function sendOnce(run: Run, request: WireRequest): Promise<Exchange> {
  run.count();
  const exchange = await run.wire.send(request, run.signal);
  hideNewKey(run, exchange);
  run.onExchange?.(exchange);
  return exchange;
}

/** Sends a request and waits out what its sender did not ask for: a 429, or a 503, for as long as `Retry-After` says. */
export async function sendPatiently(run: Run, stage: Stage, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  for (let attempt = 1; ; attempt++) {
    const { response, failure } = await sendOnce(run, request);
    if (failure) return { ok: false, request, why: `no answer: ${failure.message}` };
    const { status } = response;
    if ((status !== 429 && status !== 503) || wanted.has(status)) return { ok: true, request, response, exchanges: 1 };
    if (attempt === MOST_TRIES)
      return { ok: false, request, why: `status ${status} ${attempt} times in a row, though every wait was as long as asked` };
    const waited = await pause(
      run,
      stage,
      retryAfterSeconds(response) ?? (status === 429 ? stage.target.timing.rateMinuteSeconds : BACK_OFF_SECONDS),
    );
    if (!waited.ok) return { ok: false, request, why: `status ${status} came, and ${waited.why}` };
  }
}

/** Follows `next_cursor` from a list's first page to its last; the answer then holds the rows of all pages. */
export async function sendWalking(run: Run, stage: Stage, first: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  const rows: unknown[] = [];
  const seen = new Set<unknown>();
  let request = first;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const sent = await sendPatiently(run, stage, request, wanted);
    const body = sent.ok && sent.response.status === 200 ? bodyJson(sent.response) : undefined;
    if (!sent.ok || !body?.ok || !isRecord(body.value) || !Array.isArray(body.value.data)) return sent;
    rows.push(...body.value.data);
    const cursor = body.value.next_cursor ?? null;
    if (cursor === null)
      return {
        ...sent,
        exchanges: page,
        response: { ...sent.response, body: new TextEncoder().encode(JSON.stringify({ ...body.value, data: rows })) },
      };
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

/** KEY-CREATE: the answer holds the full key, in a field the text does not name; so every string but the id becomes secret. */
function hideNewKey({ mask }: Run, { request, response }: Exchange): void {
  if (!response || response.status >= 300 || request.method !== "POST" || !/\/api\/keys(\?|$)/.test(request.url)) return;
  const body = bodyJson(response);
  if (!body.ok || !isRecord(body.value)) return;
  for (const [name, value] of Object.entries(body.value)) {
    if (typeof value === "string" && value.length >= 16 && name !== "key_id" && Number.isNaN(Date.parse(value))) mask.add(value);
  }
}

function names(wanted: unknown, status: number): boolean {
  if (wanted === status || wanted === "any") return true;
  if (Array.isArray(wanted)) return wanted.some((item) => names(item, status));
  return isRecord(wanted) && names(wanted.in, status);
}

/** RETRY-AFTER: whole seconds, or a date, which is read against the answer's own. */
function retryAfterSeconds({ headers }: WireResponse): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) + 1; // one more: the second that had begun may not be over
  const until = Date.parse(value) - (Date.parse(headers.date ?? "") || Date.now());
  return Number.isNaN(until) ? undefined : Math.max(0, until / 1000) + 1;
}

function withCursor(url: string, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  return next.href;
}
