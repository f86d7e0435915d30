import type { WireRequest, WireResponse } from "../http/exchange.js";
import { describeResponse, formatRequestName, isOfService, type PreflightContext, probe } from "./probe.js";

/** Statuses of a host without the routes of the service. A redirect leads to a page for people. */
const ABSENT_STATUSES = new Set([301, 302, 303, 307, 308, 404, 405, 410, 501, 502, 504]);

/** Returns a write to a resource that does not exist, with a session. */
export function createSessionRequest(base: string, rest: string, cookie: string): WireRequest {
  const [method = "", path = ""] = rest.split(" ");
  const headers = { accept: "application/json", "content-type": "application/json", cookie };
  return { method, url: base + path, headers, body: new TextEncoder().encode("{}") };
}

/**
 * Returns a note if the host for sessions accepts no session of these roles, or does not serve the routes. The contract does not show which host
 * accepts sessions, so this is not a finding. Sends writes to a resource that does not exist; a read-only run sends nothing.
 */
export async function checkSessions(
  { run, rules }: PreflightContext,
  sessions: Readonly<Record<string, string>>,
  roles: readonly string[],
): Promise<string | undefined> {
  const base = run.target.urls.session;
  const { sessionProbe } = rules.preflight;
  if (base === undefined || !sessionProbe || run.profile === "read-only") return undefined;
  let first: string | undefined;
  for (const role of roles) {
    const cookie = sessions[role];
    if (cookie === undefined || sessionProbe.isRefused(role)) continue;
    const request = createSessionRequest(base, sessionProbe.rest, cookie);
    const result = await probe(run, request);
    if ("stop" in result || ("response" in result && isServed(rules, result.response))) return undefined;
    const response =
      "failure" in result
        ? `got no answer: ${result.failure.message}`
        : `answered ${describeResponse(rules.answers, result.response)}`;
    first ??= `${formatRequestName(request)} with the session of ${role} ${response}`;
  }
  if (first === undefined) return undefined;
  const advice = "Set session_url in the target file to the host that accepts sessions, and check the cookies under sessions.";
  return `The host for sessions accepts none: ${first}. ${advice} Scenarios that need a session are skipped.`;
}

/** Returns whether the host serves the route and accepts the session. The resource does not exist, so a 404 of the service is an acceptance. */
function isServed({ preflight }: PreflightContext["rules"], response: WireResponse): boolean {
  if (response.status === 401) return false;
  if (isOfService(preflight, response)) return true;
  return !ABSENT_STATUSES.has(response.status) && !/^text\/html/i.test(response.headers["content-type"] ?? "");
}
