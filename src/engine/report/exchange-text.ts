import { escapeLine } from "../../common/escape/visible.js";
import type { Check } from "../execute/check.js";
import type { ShownDifference, ShownExchange, ShownRequest, ShownStep } from "../execute/shown-steps.js";
import { decodeBytes } from "../http/content.js";
import { formatBodyFile, formatCurl } from "../http/curl.js";
import { createExcerpt, type ExcerptSize } from "../http/excerpt.js";

/** One line of a response. `expected`: what the contract requires in its place. */
export interface ResponseLine {
  text: string;
  expected?: string;
}

/** The exchanges of a check: the steps before the judged request, and the judged request with its repetitions. */
export interface JudgedExchanges {
  before: readonly ShownStep[];
  judged: readonly ShownExchange[];
}

/** Headers that describe the connection. Reports omit them. */
const CONNECTION_HEADERS = new Set(["connection", "keep-alive", "transfer-encoding"]);
/** The maximum length of a body that is shown in full. */
const SCREEN_SIZE: ExcerptSize = { lines: 48, items: 20 };
const LINE_WIDTH = 100;
const MAX_HEADERS = 12;
const MAX_JUDGED_EXCHANGES = 3;

/** Separates the judged exchanges of a check from the steps before them. */
export function splitExchanges({ step, exchanges = [] }: Pick<Check, "step" | "exchanges">): JudgedExchanges {
  const shownSteps = exchanges.filter((exchange) => isExchange(exchange) && exchange.differs !== undefined);
  const ownShownSteps = exchanges.filter((exchange) => exchange.step === step && isExchange(exchange));
  const shownExchanges = (
    shownSteps.length > 0 ? shownSteps : ownShownSteps.length > 0 ? ownShownSteps : exchanges.slice(-1)
  ).filter(isExchange);
  const [first] = shownExchanges;
  return { before: first ? exchanges.slice(0, exchanges.indexOf(first)) : exchanges, judged: shownExchanges };
}

/** Returns whether a step is a request with its response. Other steps are events, such as a wait or a hook. */
export function isExchange(step: ShownStep): step is ShownExchange {
  return "request" in step;
}

/** Formats the exchanges of a check as labelled lines: `before`, `sent`, `received`. Only the first line of a block has a label. */
export function formatExchange(check: Pick<Check, "step" | "exchanges">): [label: string, text: string][] {
  const { before, judged } = splitExchanges(check);
  const labelled = (label: string, lines: readonly string[]) =>
    lines.map((line, index): [string, string] => [index === 0 ? label : "", escapeLine(line)]);
  const shown = judged
    .slice(0, MAX_JUDGED_EXCHANGES)
    .flatMap((exchange) => [
      ...labelled("sent", formatRequest(exchange.request)),
      ...labelled("received", formatResponse(exchange).map(formatResponseLine)),
    ]);
  const more =
    judged.length > MAX_JUDGED_EXCHANGES ? labelled("", [`and ${judged.length - MAX_JUDGED_EXCHANGES} more exchanges`]) : [];
  return [
    ...labelled(
      "before",
      before.map((step) => `${step.step}: ${summarizeStep(step)}`),
    ),
    ...shown,
    ...more,
  ];
}

/** Formats a line of a response, followed by the expected text where it differs. */
export function formatResponseLine({ text, expected }: ResponseLine): string {
  return expected === undefined ? text : `${text}   ◄ expected ${expected}`;
}

/** Formats a request as lines: method and URL, headers, body. */
export function formatRequest(request: ShownRequest): string[] {
  const { method, url, headers } = request;
  const heads = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if ("sha256" in request)
    return [`${method} ${url}`, ...heads, `(a body of ${request.characters} characters, sha256 ${request.sha256})`];
  const { body, base64 } = request;
  return [`${method} ${url}`, ...heads, ...formatBody(body ?? (base64 === undefined ? "" : `${base64} (base64)`))];
}

/** Formats a response as lines: status and duration, headers, body. Lines that differ carry the expected text. */
export function formatResponse({ answer: response, failure, differs = [], took_ms }: ShownExchange): ResponseLine[] {
  if (!response) return [{ text: `no response: ${failure ?? "nothing was received"}` }];
  const ofStatus = formatExpectation(differs.filter(({ at }) => at === "status"));
  const ofHeader = (name: string) => formatExpectation(differs.filter(({ header }) => header === name));
  const names = Object.keys(response.headers).filter((name) => !CONNECTION_HEADERS.has(name));
  const missing = new Set(differs.flatMap(({ header }) => (header === undefined || header in response.headers ? [] : [header])));
  const rest = names.length - MAX_HEADERS;
  const shown = rest > 0 ? names.filter((name, index) => index < MAX_HEADERS || ofHeader(name).expected !== undefined) : names;
  const otherShownDifferences = differs.filter(
    (differ) => differ.line === undefined && differ.at !== "status" && differ.header === undefined,
  );
  return [
    { text: `${response.status} after ${took_ms} ms`, ...ofStatus },
    ...shown.map((name) => ({ text: `${name}: ${response.headers[name]}`, ...ofHeader(name) })),
    ...(shown.length < names.length ? [{ text: `… ${names.length - shown.length} more headers …` }] : []),
    ...[...missing].map((name) => ({ text: `(no ${name})`, ...ofHeader(name) })),
    ...formatBody(response.body, response.characters, differs).map((text, line) => ({
      text,
      ...formatExpectation(differs.filter((differ) => differ.line === line)),
    })),
    ...otherShownDifferences.map(({ at: place, expected }) => ({ text: `(${place})`, expected })),
  ];
}

/** Formats a step in one line: the request and its status, or the event. */
export function summarizeStep(step: ShownStep): string {
  if (!isExchange(step)) return step.event;
  const { request, answer: response, failure, times } = step;
  const repeated = times === undefined ? "" : `${times} × `;
  return `${repeated}${request.method} ${readPath(request.url)}${readRpcCall(request)} → ${response?.status ?? `no response: ${failure}`}`;
}

/** Formats steps in full: `>` starts a line of a request, `<` a line of a response. */
export function formatSteps(steps: readonly ShownStep[]): string {
  return steps.map((step, index) => formatStep(step, index + 1)).join("\n\n");
}

function formatStep(step: ShownStep, number: number): string {
  const heading = escapeLine(`${number}. ${step.step}: ${summarizeStep(step)}`);
  if (!isExchange(step)) return heading;
  return [
    heading,
    ...formatRequest(step.request).map((line) => `   > ${escapeLine(line)}`),
    ...formatResponse(step).map((line) => `   < ${escapeLine(formatResponseLine(line))}`),
  ].join("\n");
}

/** Formats a request as a curl command. The shell must define the `$COUNTERPART_…` variables in it. */
export function formatCurlCommand(request: ShownRequest): string {
  const { method, url, headers } = request;
  if ("sha256" in request) return `${formatCurl({ method, url, headers })} ${formatBodyFile(request.characters)}`;
  const body = decodeBytes(request);
  return formatCurl({ method, url, headers, ...(body && { body }) });
}

/** Returns the path and query of a URL. */
function readPath(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]+/, "") || "/";
}

/** Returns the method of a JSON-RPC request, and the name of the tool, prompt or resource that it uses. */
function readRpcCall(request: ShownRequest): string {
  const body = "body" in request ? (request.body ?? "") : "";
  if (!body.includes('"jsonrpc"')) return "";
  const [, method = ""] = /"method":\s*"([^"]+)"/.exec(body) ?? [];
  const [, name] = /"name":\s*"([^"]+)"/.exec(body) ?? [];
  return ` ${method}${name === undefined || !/call|get/.test(method) ? "" : ` ${name}`}`;
}

function formatExpectation(differences: readonly ShownDifference[]): { expected?: string } {
  return differences.length === 0 ? {} : { expected: differences.map(({ expected }) => expected).join("; ") };
}

/**
 * Returns the lines of a body: at most about one screen, unless lines of it differ. The last line tells the length of a shortened body. `whole`: the
 * length of a body that is already shortened.
 */
function formatBody(text: string, whole?: number, differs: readonly ShownDifference[] = []): string[] {
  const lines = text === "" ? [] : text.split("\n");
  const fits = lines.length <= SCREEN_SIZE.lines && text.length <= SCREEN_SIZE.lines * LINE_WIDTH;
  const isMarked = differs.some(({ line }) => line !== undefined);
  const shown = fits || isMarked ? lines : createExcerpt(text, [], SCREEN_SIZE).text.split("\n");
  const length = whole ?? (shown === lines ? undefined : text.length);
  return length === undefined ? shown : [...shown, `(${length} characters in all)`];
}
