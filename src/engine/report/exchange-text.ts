import { visibleLine } from "../../common/escape/visible.js";
import type { Check } from "../execute/check.js";
import type { ShownDifference, ShownExchange, ShownRequest, ShownStep } from "../execute/shown-steps.js";
import { curl } from "../http/curl.js";

/** A line of what came; `expected` says what should stand there instead. */
export interface AnswerLine {
  text: string;
  expected?: string;
}

/** What was done before the request that a check is about, and that request with its repetitions. */
export interface Story {
  before: readonly ShownStep[];
  judged: readonly ShownExchange[];
}

/** Headers of a connection rather than of an answer. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding"]);
const MOST_HEADERS = 12;
const MOST_JUDGED = 3;

/** Tells apart what a check is about and what was done before it. */
export function storyOf({ step, exchanges = [] }: Pick<Check, "step" | "exchanges">): Story {
  const differing = exchanges.filter((one) => isExchange(one) && one.differs !== undefined);
  const own = exchanges.filter((one) => one.step === step && isExchange(one));
  const judged = (differing.length > 0 ? differing : own.length > 0 ? own : exchanges.slice(-1)).filter(isExchange);
  const [first] = judged;
  return { before: first ? exchanges.slice(0, exchanges.indexOf(first)) : exchanges, judged };
}

/** Whether a step is a request with its answer, rather than something else that was done. */
export function isExchange(step: ShownStep): step is ShownExchange {
  return "request" in step;
}

/** What was done before a check, what it sent and what came: labelled lines, of which those of a block have one label. */
export function exchangeLines(check: Pick<Check, "step" | "exchanges">): [label: string, text: string][] {
  const { before, judged } = storyOf(check);
  const labelled = (label: string, lines: readonly string[]) =>
    lines.map((line, index): [string, string] => [index === 0 ? label : "", visibleLine(line)]);
  const shown = judged
    .slice(0, MOST_JUDGED)
    .flatMap((exchange) => [
      ...labelled("sent", requestLines(exchange.request)),
      ...labelled("came", answerLines(exchange).map(answerText)),
    ]);
  const more = judged.length > MOST_JUDGED ? labelled("", [`and ${judged.length - MOST_JUDGED} exchanges more`]) : [];
  return [
    ...labelled(
      "before",
      before.map((step) => `${step.step}: ${stepLine(step)}`),
    ),
    ...shown,
    ...more,
  ];
}

/** A line of an answer with what was expected in its place. */
export function answerText({ text, expected }: AnswerLine): string {
  return expected === undefined ? text : `${text}   ◄ expected ${expected}`;
}

/** A request as it went out: its first line, its headers, its body. */
export function requestLines({ method, url, headers, body, base64 }: ShownRequest): string[] {
  const content = body ?? (base64 === undefined ? "" : `${base64} (base64)`);
  return [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...linesIn(content)];
}

/** An answer as it came, with what should have come beside the lines that are not so. */
export function answerLines({ answer, failure, differs = [], took_ms }: ShownExchange): AnswerLine[] {
  if (!answer) return [{ text: `no answer: ${failure ?? "nothing came"}` }];
  const at = (place: string) => expectation(differs.filter((one) => one.at === place && one.line === undefined));
  const names = Object.keys(answer.headers).filter((name) => !OF_CONNECTION.has(name));
  const missing = differs
    .map((one) => one.at.replace(/^header /, ""))
    .filter((name, index) => isHeader(differs[index]) && !(name in answer.headers));
  const rest = names.length - MOST_HEADERS;
  const shown =
    rest > 0 ? names.filter((name, index) => index < MOST_HEADERS || at(`header ${name}`).expected !== undefined) : names;
  const elsewhere = differs.filter((one) => one.line === undefined && one.at !== "status" && !isHeader(one));
  return [
    { text: `${answer.status} after ${took_ms} ms`, ...at("status") },
    ...shown.map((name) => ({ text: `${name}: ${answer.headers[name]}`, ...at(`header ${name}`) })),
    ...(shown.length < names.length ? [{ text: `… ${names.length - shown.length} more headers …` }] : []),
    ...missing.map((name) => ({ text: `(no ${name})`, ...at(`header ${name}`) })),
    ...linesIn(answer.body).map((text, line) => ({ text, ...expectation(differs.filter((one) => one.line === line)) })),
    ...(answer.characters === undefined ? [] : [{ text: `(${answer.characters} characters in all)` }]),
    ...elsewhere.map(({ at: place, expected }) => ({ text: `(${place})`, expected })),
  ];
}

/** One step in a line: what was done, and the status that came. */
export function stepLine(step: ShownStep): string {
  if (!isExchange(step)) return step.event;
  const { request, answer, failure, times } = step;
  const often = times === undefined ? "" : `${times} × `;
  return `${often}${request.method} ${pathOf(request.url)}${messageIn(request)} → ${answer?.status ?? `no answer: ${failure}`}`;
}

/** A request as a command line for a shell in which the variables in it are set. */
export function curlLine({ body, base64, ...request }: ShownRequest): string {
  const bytes =
    body !== undefined ? new TextEncoder().encode(body) : base64 !== undefined ? Buffer.from(base64, "base64") : undefined;
  return curl({ ...request, ...(bytes && { body: bytes }) });
}

/** An address without its host. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]+/, "") || "/";
}

/** What a JSON-RPC message asks for, which its address does not tell. */
function messageIn({ body = "" }: ShownRequest): string {
  if (!body.includes('"jsonrpc"')) return "";
  const [, method = ""] = /"method":\s*"([^"]+)"/.exec(body) ?? [];
  const [, name] = /"name":\s*"([^"]+)"/.exec(body) ?? [];
  return ` ${method}${name === undefined || !/call|get/.test(method) ? "" : ` ${name}`}`;
}

function isHeader(difference: ShownDifference | undefined): boolean {
  return difference?.at.startsWith("header ") === true;
}

function expectation(differences: readonly ShownDifference[]): { expected?: string } {
  return differences.length === 0 ? {} : { expected: differences.map(({ expected }) => expected).join("; ") };
}

function linesIn(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
