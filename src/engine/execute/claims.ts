import { parseBodyJson, read, type WireRequest, type WireResponse } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Outcome } from "./check.js";
import type { DrivenEvent, Execution } from "./execution.js";
import { match } from "./expect/match.js";
import { sendPatiently } from "./send.js";

/**
 * Returns why a failure may come from the target file instead of the server: a host that does not serve a session, or a hook
 * without a visible effect. Returns undefined if none is possible: answers of the hooks, or reads from the server, show their
 * work.
 */
export async function findUntrueClaim(
  execution: Execution,
  { judged = [], request: shown }: Outcome,
): Promise<string | undefined> {
  for (const { request, response } of judged) {
    const why = findOtherClaimant(execution, request, response);
    if (why !== undefined) return why;
  }
  for (const drivenEvent of execution.driven) {
    const why = findUnstatedValue(drivenEvent) ?? (await findContradiction(execution, drivenEvent, shown?.headers.authorization));
    if (why !== undefined) return `the hook drive.${drivenEvent.event} ${why}`;
  }
  return undefined;
}

/** Returns why the response to a request with a session may come from a host that does not serve the route. The contract does not show that host. */
function findOtherClaimant({ run }: Execution, { headers, url }: WireRequest, response: WireResponse): string | undefined {
  const isPage = /^text\/html/i.test(response.headers["content-type"] ?? "");
  if (headers.cookie === undefined || !(isPage || /^(3..|404|405|501)$/.test(String(response.status)))) return undefined;
  const body = parseBodyJson(response);
  if (body.ok && run.suite.answers.isErrorBody(body.value)) return undefined;
  const what = body.ok ? "JSON that is not an error of the service" : body.what.replace(/:.*/s, "");
  return `${new URL(url).origin} need not serve this route to a session: it answered ${response.status} with ${what}. If another host does, set session_url in the target file`;
}

/** Returns what the response of a hook does not state: a result, or a number that the hook received. */
function findUnstatedValue({ values, answer: response }: DrivenEvent): string | undefined {
  const result = readResult(response);
  if (result === undefined) return 'answered no result, so its effect cannot be checked. Let it answer {"result": …}';
  const shown = JSON.stringify(result).match(/-?\d[\d.e+-]*/g) ?? [];
  const [name, amount] = Object.entries(values).find(([, value]) => isAmount(value) && !shown.map(Number).includes(value)) ?? [];
  return name === undefined ? undefined : `received ${name} ${amount}, which its result does not show. Let the result contain it`;
}

/** Returns the difference between the values that a hook received and its lasting result on the server. The read has the key of the failed request. */
async function findContradiction(
  { run, environment, keys }: Execution,
  drivenEvent: DrivenEvent,
  authorization = `Bearer ${keys.get(run.suite.defaultRole)}`,
): Promise<string | undefined> {
  const { event, values, answer: response } = drivenEvent;
  const { names } = run.suite.target;
  const result = readResult(response);
  const expected = names?.drive[event]?.resultOf?.(values, result);
  if (!expected || match(expected.fields, result).mismatches.length === 0) return undefined;
  const url = run.target.urls.api + expected.path;
  const request = { method: "GET", url, headers: { accept: "application/json", authorization } };
  const stepResult = await sendPatiently(run, environment, request, new Set());
  if (!stepResult.ok || stepResult.response.status !== 200) return undefined;
  const [difference] = match(expected.fields, read(stepResult.response, "")).mismatches;
  if (!difference) return undefined;
  const { at, expected: wanted, actual } = difference;
  return `did something else than requested: GET ${expected.path} shows at ${at} ${actual}, not ${wanted}`;
}

function readResult(response: unknown): unknown {
  return isRecord(response) ? (response.result ?? undefined) : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number";
}
