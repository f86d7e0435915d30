import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { countCall, openClientTally } from "../client-report/calls.js";
import { type Call, type Exchange, findConnection, readCall } from "../client-report/exchange.js";
import { createReport } from "../client-report/judge.js";
import type { RecordingLine } from "../client-report/recording.js";
import type { ClientReport } from "../client-report/report.js";
import { HIDDEN } from "../common/masking/mask.js";
import { createMessageMask, type MessageMask } from "../common/masking/message-mask.js";
import { replaceInText, replaceInValue } from "../common/masking/named-values.js";
import { findRebindingProblem, type ServerNames } from "../common/origins.js";
import { openConnections } from "../engine/http/connections.js";
import { parseBodyJson, readBodyText, type WireResponse } from "../engine/http/exchange.js";
import { readRpc } from "../engine/http/mcp.js";
import { compileResponseSchemas } from "../suite/fuzz/rest/response-schema.js";
import { forward, type Passage, readRequestTarget, type Upstream } from "./forward.js";
import { judgeResponse, type ResponseJudgement } from "./judge-response.js";
import { learnFromRequest, learnFromResponse, type ReadBody } from "./learn-secrets.js";
import { openRecording, type Recording } from "./recording.js";
import { type RefusedRequest, refuseOrigin, respondToRefused } from "./refused.js";
import { openServerTally, type ServerReport } from "./server-report.js";
import { createWireResponse } from "./wire-response.js";

/** A running proxy. */
export interface ProxyServer {
  /** Its address, without a slash at the end. */
  url: string;
  report(): ProxyReport;
  /** Ends open requests. They are still reported. */
  close(): Promise<void>;
}

/** The report on the server and the client. It contains no credential. */
export interface ProxyReport {
  upstream: string;
  requests: number;
  client: ClientReport;
  server: ServerReport;
}

/** The options of a proxy. */
export interface ProxyOptions {
  /** Address of the real server: scheme, host and an optional path. */
  upstream: string;
  host: string;
  /** More host names that the proxy answers to; see `findRebindingProblem`. */
  allowHost?: readonly string[] | undefined;
  port: number;
  /** The longest silence of the upstream in seconds. After it the client gets 504. */
  timeoutSeconds: number;
  /** Receives each request when it is over, without secrets. */
  onExchange?(line: RecordingLine): void;
  /** The file of the recording. */
  record?: string;
  /** Receives one sentence for each exchange that the proxy could not judge or record. */
  onProblem?(sentence: string): void;
}

/** The state of a proxy. */
interface ProxyState {
  upstream: Upstream;
  options: ProxyOptions;
  mask: MessageMask;
  recording: Recording | null;
  client: ReturnType<typeof openClientTally>;
  server: ReturnType<typeof openServerTally>;
  requests: number;
  origin: string;
  /** Open requests. */
  pending: Set<Promise<void>>;
}

const connectTimeoutMs = 10_000;
/** The limit on the characters of all remembered spellings: about 1,500 keys of 40 characters. */
const maxMaskedCharacters = 600_000;

/** Opens a proxy before a server. Rejects with the system's error when the port is taken. */
export async function openProxy(options: ProxyOptions): Promise<ProxyServer> {
  compileResponseSchemas();
  const connections = openConnections(Math.min(connectTimeoutMs, options.timeoutSeconds * 1000));
  const url = options.upstream.replace(/(?<!\/)\/+$/, "");
  const upstream = { url, ask: connections.request, timeoutMs: options.timeoutSeconds * 1000 };
  const proxyState: ProxyState = {
    upstream,
    options,
    mask: createMessageMask({ maxCharacters: maxMaskedCharacters }),
    recording: options.record === undefined ? null : openRecording(options.record, options.upstream),
    client: openClientTally(),
    server: openServerTally(),
    requests: 0,
    origin: "",
    pending: new Set(),
  };
  const names: ServerNames = { host: options.host, allowHosts: options.allowHost ?? [], publicNames: [] };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const why = findRebindingProblem(names, request, "proxy");
    if (why !== null) return recordRefused(proxyState, refuseOrigin(request, response, why));
    const served = serve(proxyState, request, response)
      .catch((error: unknown) => reportProblem(proxyState, request, error))
      .finally(() => proxyState.pending.delete(served));
    proxyState.pending.add(served);
  };
  // Node itself would refuse a missing Host and an unknown Expect, and the recording would lack them
  const server = createServer({ requireHostHeader: false }, onRequest).on("checkExpectation", onRequest);
  respondToRefused(server, (refusedRequest) => recordRefused(proxyState, refusedRequest));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(options.port, options.host, resolve));
  const { port } = server.address() as AddressInfo;
  proxyState.origin = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  return {
    url: proxyState.origin,
    report: () => maskReport(proxyState),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(proxyState.pending);
      await connections.close();
      const problem = await proxyState.recording?.finish(proxyState.mask.known.hideIn);
      if (problem) options.onProblem?.(problem);
    },
  };
}

/** Reports an exchange whose judgement or recording threw an error. The proxy goes on. */
function reportProblem({ mask, options }: ProxyState, { method = "", url = "" }: IncomingMessage, error: unknown): void {
  const request = mask.hide(`${method} ${url.slice(0, 200)}`);
  const why = mask.hide(error instanceof Error ? error.message : String(error)).slice(0, 200);
  options.onProblem?.(`The proxy could not judge or record ${request} (${why}). The report may lack this exchange.`);
}

async function serve(proxyState: ProxyState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [began, wall] = [Date.now(), performance.now()];
  const { socket } = request;
  const passage = await forward(proxyState.upstream, proxyState.origin, request, response);
  const number = ++proxyState.requests;
  const isLong = isLongExchange(passage);
  const body = readBody(request, passage.requestBody);
  if (isLong) await yieldToOthers();
  const wire = passage.answer && createWireResponse(request, passage.answer);
  const serverResponse = wire ? readResponse(request, wire) : undefined;
  if (isLong) await yieldToOthers();
  learnFromRequest(proxyState.mask, request, body);
  if (isLong) await yieldToOthers();
  learnFromResponse(proxyState.mask, request, passage, wire, serverResponse);
  if (isLong) await yieldToOthers();
  const exchange: Exchange = {
    number,
    at: began,
    wall,
    took: performance.now() - wall,
    connection: findConnection(socket),
    method: request.method ?? "",
    url: replaceInText(readRequestTarget(request), () => HIDDEN),
    headers: request.headers,
    body: body.json,
    hasBody: passage.requestBody === null || passage.requestBody.length > 0,
    status: passage.answer?.status ?? null,
    responseHeaders: passage.answer?.headers ?? {},
    answer: serverResponse,
    overridden: false,
    skipsWait: false,
    skipsPause: false,
  };
  const call = readCall(exchange);
  countCall(proxyState.client, exchange);
  if (isLong) await yieldToOthers();
  const judgement = wire ? judgeResponse(call, wire) : { broken: [], passed: [] };
  if (passage.answer) proxyState.server.note(judgement, number, `${exchange.method} ${exchange.url}`);
  else proxyState.server.missed(passage.isUnreachable === true);
  const line = createLine(call, body, passage, wire, judgement);
  if (isLong) await yieldToOthers();
  record(proxyState, line);
}

/** Records a request that the proxy refused. The request is not evidence about the server. */
function recordRefused(proxyState: ProxyState, { method, url, status, why }: RefusedRequest): void {
  const number = ++proxyState.requests;
  proxyState.server.missed(false);
  proxyState.mask.learn(url);
  const line = {
    ...{
      number,
      at: new Date().toISOString(),
      took_ms: 0,
      method,
      url: replaceInText(url, () => HIDDEN),
      operation: `${method} ${url}`,
    },
    ...{ headers: {}, body: undefined, status: null, answer: { headers: {}, body: undefined }, broken: [] },
    failure: `the proxy refused it with ${status}: ${why}`,
  };
  record(proxyState, line);
}

function record({ mask, recording, options }: ProxyState, line: RecordingLine): void {
  const hiddenRecordingLine = mask.hide(line);
  recording?.add(hiddenRecordingLine);
  options.onExchange?.(hiddenRecordingLine);
}

function createLine(
  call: Call,
  { isKept }: ReadBody,
  passage: Passage,
  wire: WireResponse | null,
  { broken }: ResponseJudgement,
): RecordingLine {
  const { exchange, operation } = call;
  const { number, at, took = 0, method, url, headers, body, status, answer: response } = exchange;
  return {
    number: number ?? 0,
    at: new Date(at).toISOString(),
    took_ms: Math.round(took),
    method,
    url,
    operation,
    headers: listShownHeaders(headers),
    body: isKept ? body : "(too long to be kept)",
    status,
    answer: { headers: listShownHeaders(wire?.headers ?? {}), body: response },
    failure: passage.failure,
    broken,
  };
}

/** Returns the headers that describe the message. None of them can contain a credential. */
function listShownHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const keptHeaders = ["content-type", "accept", "idempotency-key", "retry-after", "location", "allow", "x-request-id"];
  return Object.fromEntries(keptHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));
}

function readResponse({ url = "" }: IncomingMessage, wire: WireResponse): unknown {
  if (url.startsWith("/mcp/") && wire.status === 200) {
    const rpc = readRpc(wire);
    return rpc.ok ? { result: rpc.result } : undefined;
  }
  const json = parseBodyJson(wire);
  return json.ok ? json.value : undefined;
}

/** Returns the report without secrets. A secret that equals a verdict does not change the verdict. */
function maskReport({ upstream, requests, client: card, server, mask }: ProxyState): ProxyReport {
  const report = { upstream: upstream.url, requests, client: createReport(card), server: server.report() };
  const hidden = replaceInValue(report, mask.hide, mask.hide) as typeof report;
  return {
    ...hidden,
    client: { ...hidden.client, verdict: report.client.verdict },
    server: { ...hidden.server, verdict: report.server.verdict },
  };
}

/** Tells whether an exchange is so large that the proxy serves other requests between the steps. */
function isLongExchange({ requestBody, answer: response }: Passage): boolean {
  return (requestBody?.length ?? 0) + (response?.body?.length ?? 0) > 65_536;
}

/** Lets other requests proceed before the next step. */
function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Returns the body of a request as JSON, or as text if it is not JSON. */
function readBody({ headers }: IncomingMessage, body: Buffer | null): ReadBody {
  const coding = { "content-encoding": String(headers["content-encoding"] ?? "") };
  const wire = createWireResponse({ method: "POST" }, { status: 200, headers: coding, body });
  const json = wire ? parseBodyJson(wire) : { ok: false as const };
  if (!json.ok) return { json: undefined, text: wire ? readBodyText(wire) : "", isKept: wire !== null };
  return { json: json.value, text: "", isKept: true };
}
