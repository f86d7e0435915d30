import type { WireRequest, WireResponse } from "../http/exchange.js";
import type { CompiledStep } from "../scenario/scenario.js";
import type { Execution } from "./execution.js";
import { sendMcpRaw } from "./mcp-raw.js";
import { sendMcp } from "./mcp-request.js";
import { readAllPages, readLargestPages } from "./pages.js";
import { poll } from "./poll.js";
import { type BuildResult, buildFirstRequest } from "./request.js";
import { listWantedStatuses, sendPatiently } from "./send.js";
import type { SendResult, StepResult } from "./send-result.js";

/** Sends the request of a rest, repeat or mcp step. As the step demands, retries, reads all pages or polls. Does not judge the response. */
export async function sendStep(execution: Execution, step: CompiledStep): Promise<StepResult> {
  const buildResult = prepare(execution, step);
  if (!buildResult.ok) return buildResult;
  const { request } = buildResult;
  const { id, until, retry, expect, given, inconclusiveIf = [] } = step.text;
  if (id) execution.sent.set(id, request);
  const expectedStatuses = listWantedStatuses([expect, given, ...inconclusiveIf], execution.run.suite.answers);
  const wanted = retry === false ? NOT_RETRIED : expectedStatuses;
  const send = () => sendBuilt(execution, step, request, wanted);
  const isTaken = ({ status }: WireResponse) =>
    retry !== false || status !== SERVICE_UNAVAILABLE || expectedStatuses.has(SERVICE_UNAVAILABLE);
  return until ? poll(execution, step, until, () => waitOutRefusals(send, isTaken)) : waitOutRefusals(send, isTaken);
}

/** The maximum number of consecutive requests that may get a 503. A longer outage is judged. */
const MAX_OUTAGES = 5;

async function waitOutRefusals(
  send: () => Promise<SendResult>,
  isTaken: (response: WireResponse) => boolean,
): Promise<SendResult> {
  for (let tries = 1; ; tries++) {
    const result = await send();
    if (!result.ok || isTaken(result.response) || tries === MAX_OUTAGES) return result;
  }
}

/**
 * Sends the built request of a step: by REST or in an MCP session, and over all pages with `allPages`. The statuses in `wanted` are not
 * retried.
 */
export function sendBuilt(
  execution: Execution,
  { text: { mcp, allPages, pageSize, followRedirect } }: CompiledStep,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<SendResult> {
  if (mcp) return (mcp.raw === undefined ? sendMcp : sendMcpRaw)(execution, request, wanted);
  const { run, environment } = execution;
  const { parameter } = run.suite.answers.page.size;
  const isMeans = pageSize !== undefined || (allPages === true && !new URL(request.url).searchParams.has(parameter));
  const send = (wireRequest: WireRequest) => sendPatiently(run, environment, wireRequest, wanted);
  if (followRedirect) return follow(environment.target.urls, request, send);
  const read = (wireRequest: WireRequest) =>
    allPages ? readAllPages({ run, environment, isMeans }, wireRequest, wanted) : send(wireRequest);
  return !isMeans ? read(request) : readLargestPages(read, request, run.suite.answers.page.size);
}

/** Sends a request, and after a 307 or 308 the same request to the new address. Credentials go only to the hosts of the target. */
async function follow(
  urls: Readonly<Record<string, string | undefined>>,
  request: WireRequest,
  send: (request: WireRequest) => Promise<SendResult>,
): Promise<SendResult> {
  const first = await send(request);
  const { status, headers } = first.ok ? first.response : { status: 0, headers: {} };
  const { location = "" }: Record<string, string> = headers;
  if ((status !== 307 && status !== 308) || !URL.canParse(location, request.url)) return first;
  const { href, origin } = new URL(location, request.url);
  const isOfTarget = Object.values(urls).some((url) => url !== undefined && new URL(url).origin === origin);
  return isOfTarget ? send({ ...request, url: href }) : first;
}

const SERVICE_UNAVAILABLE = 503;
const NOT_RETRIED: ReadonlySet<number> = new Set([429, SERVICE_UNAVAILABLE]);

/** Returns the request of a step. A repeat step sends exactly the bytes of the step that it repeats. */
function prepare(execution: Execution, step: CompiledStep): BuildResult {
  const { repeat } = step.text;
  if (repeat === undefined) return buildFirstRequest(step, execution);
  const request = execution.sent.get(repeat);
  return request ? { ok: true, request } : { ok: false, why: `${repeat} was never sent` };
}
