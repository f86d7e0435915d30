import { encodeRequestContent, type RequestContent } from "../http/content.js";
import { createExcerpt, type Difference, type ExcerptSize } from "../http/excerpt.js";
import { readBodyText, type WireRequest, type WireResponse } from "../http/exchange.js";
import { maskBytes, maskRequest, showAsVariable } from "../http/mask-request.js";
import type { ExchangeEntry, ExchangeLog, LogEntry } from "./exchange-log.js";
import type { Mismatch } from "./expect/match.js";
import type { Run } from "./run.js";

/** One step of an execution as reports show it. Variables such as `$COUNTERPART_KEY` replace secrets. */
export type ShownStep = ShownExchange | ShownEvent;

/** An action that is not a request, such as a driven event, in words. */
export interface ShownEvent {
  step: string;
  event: string;
}

/** A request with its response or failure. */
export interface ShownExchange {
  step: string;
  /** How often the request was sent in a row. Absent for 1. `answer` is the last response. */
  times?: number;
  /** `after_ms`: milliseconds since the first shown request. `took_ms`: milliseconds until its response. */
  after_ms: number;
  took_ms: number;
  request: ShownRequest;
  answer?: ShownResponse;
  /** Why the response is missing. */
  failure?: string;
  /** The judged places that differ from the expectation. */
  differs?: ShownDifference[];
  /** The values that later steps use, by variable name, each with its place in the response. */
  saves?: Record<string, { place: string; value: string }>;
}

/** A request. A long body is shown as its length and digest. */
export type ShownRequest = RequestContent & {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
};

/** A response. JSON has one value per line. A long body is cut in the middle; `characters` is then the length of the whole body. */
export interface ShownResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  characters?: number;
}

/** A place that differs from the expectation: `status`, `header NAME`, or a line of the body, counted from 0. */
export interface ShownDifference {
  at: string;
  /** The name of the header, if the place is a header. */
  header?: string;
  line?: number;
  expected: string;
}

/** A judged response with its mismatches. */
export interface JudgedResponse {
  request: WireRequest;
  response: WireResponse;
  mismatches: readonly Mismatch[];
}

const MAX_STEPS = 40;
const JUDGED_SIZE: ExcerptSize = { lines: 48, items: 3 };
/** For a judged response without mismatches in its body. */
const OTHER_SIZE: ExcerptSize = { lines: 24, items: 2 };
const EARLIER_SIZE: ExcerptSize = { lines: 14, items: 2 };

/** Returns the steps of an execution as reports show them, with the mismatches of the judged answers. Secrets are hidden. */
export function createShownSteps(run: Run, log: ExchangeLog, judged: readonly JudgedResponse[]): ShownStep[] {
  const entries = log.entries();
  const first = entries.find((entry) => "exchange" in entry);
  const startedAt = first && "exchange" in first ? first.exchange.startedAt : 0;
  const judgedResponses = [...judged];
  const shown = shortenEntries(entries).map((entry): ShownStep => {
    const { step } = entry;
    if ("event" in entry) return { step, event: run.mask.hide(entry.event, showAsVariable(run.suite.defaultRole)) };
    if ("leftOut" in entry) return { step, event: `${entry.leftOut} more exchanges like these` };
    const at = judgedResponses.findIndex((judgedResponse) => belongsTo(judgedResponse, entry.exchange.response));
    const [verdict] = at < 0 ? [] : judgedResponses.splice(at, 1);
    return createShownExchange(run, entry, startedAt, verdict);
  });
  return shown;
}

/** Returns the entries, without the middle ones if there are more than `MAX_STEPS`. */
function shortenEntries(entries: readonly LogEntry[]): readonly LogEntry[] {
  const leftOut = entries.length - MAX_STEPS;
  const half = MAX_STEPS / 2;
  if (leftOut <= 0) return entries;
  return [...entries.slice(0, half), { step: entries[half]?.step ?? "", leftOut }, ...entries.slice(-half)];
}

/** Returns whether a judged response belongs to a response. It may combine several pages, so only its headers are the same object. */
function belongsTo({ response }: JudgedResponse, came: WireResponse | undefined): boolean {
  return came !== undefined && response.headers === came.headers;
}

function createShownExchange(
  run: Run,
  { step, exchange, times, saves, whole }: ExchangeEntry,
  begun: number,
  judgedResponse: JudgedResponse | undefined,
): ShownExchange {
  const { request, startedAt, endedAt, failure } = exchange;
  const response = judgedResponse?.response ?? exchange.response;
  const show = showAsVariable(run.suite.defaultRole);
  const hide = (text: string) => run.mask.hide(text, show);
  const kept = Object.entries(saves ?? {}).map(
    ([name, { place, value }]) => [name, { place, value: hide(formatText(value)) }] as const,
  );
  return {
    step,
    ...(times > 1 && { times }),
    after_ms: Math.round(startedAt - begun),
    took_ms: Math.round(endedAt - startedAt),
    request: showRequest(maskRequest(request, run.mask, show)),
    ...(response
      ? maskResponse(response, judgedResponse?.mismatches ?? [], hide, judgedResponse ? undefined : whole)
      : { failure: hide(failure?.message ?? "no answer") }),
    ...(kept.length > 0 && { saves: Object.fromEntries(kept) }),
  };
}

function showRequest({ method, url, headers, body }: WireRequest): ShownRequest {
  return { method, url, headers, ...encodeRequestContent(body, (text) => text) };
}

function maskResponse(
  response: WireResponse,
  mismatches: readonly Mismatch[],
  hide: (text: string) => string,
  length?: number,
): Pick<ShownExchange, "answer" | "differs"> {
  const body = readBodyText({ ...response, body: maskBytes(response.body, hide) });
  const inBody = mismatches.flatMap(({ pointer, expected }): Difference[] =>
    pointer === undefined ? [] : [{ pointer, expected: hide(expected) }],
  );
  const {
    text,
    whole = length,
    marks,
  } = createExcerpt(body, inBody, inBody.length > 0 ? JUDGED_SIZE : mismatches.length > 0 ? OTHER_SIZE : EARLIER_SIZE);
  const elsewhere = mismatches
    .filter(({ pointer }) => pointer === undefined)
    .map(({ at, header, expected }) => ({ at, ...(header !== undefined && { header }), expected: hide(expected) }));
  const differs = [...elsewhere, ...marks.map(({ line, expected }) => ({ at: "body", line, expected }))];
  return {
    answer: {
      status: response.status,
      headers: maskHeaders(response.headers, hide),
      body: text,
      ...(whole !== undefined && { characters: whole }),
    },
    ...(differs.length > 0 && { differs }),
  };
}

/** Returns headers with secrets hidden. The value of `set-cookie` is always a secret. */
function maskHeaders(headers: WireResponse["headers"], hide: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, name === "set-cookie" ? "***" : hide(value)]));
}

function formatText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
