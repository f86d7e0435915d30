import type { Run } from "../../execute/run.js";
import type { WireRequest } from "../../http/exchange.js";
import { describeResponse, formatRequestName, probe, readRequest } from "../../preflight/probe.js";
import type { PreflightRules } from "../../preflight/rules.js";
import { createSessionRequest } from "../../preflight/sessions.js";
import type { Suite } from "../../suite.js";
import type { Environment } from "../../target/environment.js";

/** The result of checking one entry of a target file. */
export interface EntryCheck {
  /** The name of the entry, such as `keys.full`. */
  entry: string;
  state: "works" | "wrong" | "unclear" | "not tried";
  /** How the state was determined, or what to do. */
  message: string;
}

/** Checks every key, session and entry of `repos`: whether the server accepts it, and whether a role has exactly the scopes that it must have. */
export async function checkCredentials(suite: Suite, run: Run, environment: Environment): Promise<EntryCheck[]> {
  const entryChecks: EntryCheck[] = [];
  for (const [role, variable] of Object.entries(run.target.unset))
    entryChecks.push({ entry: role, state: "not tried", message: `the environment variable ${variable} is not set` });
  for (const [role, key] of Object.entries(environment.keys)) entryChecks.push(await checkRole(suite, run, role, key));
  for (const [role, cookie] of Object.entries(environment.sessions))
    entryChecks.push(await checkSession(suite, run, role, cookie));
  const key = environment.keys[suite.defaultRole];
  for (const repo of key === undefined ? [] : environment.repos) {
    const request = readRequest(run.target.urls.api, suite.preflight.repoPath?.(repo) ?? suite.preflight.reads[0], key);
    const result = await probe(run, request);
    const isReadable = "response" in result && result.response.status === 200;
    entryChecks.push({
      entry: `repos ${repo}`,
      state: isReadable ? "works" : "wrong",
      message: isReadable ? "the key can read it" : `the key cannot read it: ${formatResponses(suite, request, result)}`,
    });
  }
  return entryChecks;
}

/** Checks the key of a role with harmless requests. */
export async function checkRole(suite: Suite, run: Run, role: string, key: string): Promise<EntryCheck> {
  const { preflight } = suite;
  const entry = `keys.${role}`;
  const request = readRequest(run.target.urls.api, preflight.reads[0], key);
  const result = await probe(run, request);
  if (!("response" in result)) return { entry, state: "unclear", message: formatResponses(suite, request, result) };
  const isRefused = result.response.status === 401;
  if (preflight.isRefused(role))
    return isRefused
      ? { entry, state: "works", message: "it is refused, as it must be" }
      : { entry, state: "wrong", message: `the server must refuse this key, but ${formatResponses(suite, request, result)}` };
  if (isRefused) return { entry, state: "wrong", message: `it is refused: ${formatResponses(suite, request, result)}` };
  const scopes = await findScopes(suite, run, key);
  const must = (scope: string) => preflight.holds?.(role, scope) ?? true;
  const missing = [...scopes].filter(([scope, has]) => must(scope) && !has).map(([scope]) => scope);
  const forbidden = [...scopes].filter(([scope, has]) => !must(scope) && has).map(([scope]) => scope);
  const wrong = [
    ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
    ...(forbidden.length > 0 ? [`has ${forbidden.join(", ")}, which it must not have`] : []),
  ];
  if (wrong.length > 0) return { entry, state: "wrong", message: `it ${wrong.join(", and ")}` };
  return { entry, state: "works", message: `it is accepted; ${scopes.size} scopes were checked` };
}

/** Returns whether a key has each scope that can be checked without changing anything. */
async function findScopes({ preflight }: Suite, run: Run, key: string): Promise<Map<string, boolean>> {
  const { reads, writes } = preflight.scopeProbes;
  const found = new Map<string, boolean>();
  for (const { scope, rest } of run.profile === "read-only" ? reads : [...reads, ...writes]) {
    const result = await probe(run, createRequest(run, rest, { authorization: `Bearer ${key}` }));
    if ("response" in result) found.set(scope, result.response.status !== 403);
  }
  return found;
}

async function checkSession(suite: Suite, run: Run, role: string, cookie: string): Promise<EntryCheck> {
  const entry = `sessions.${role}`;
  const { names } = suite.target;
  if (names && !Object.hasOwn(names.sessions, role)) return { entry, state: "not tried", message: "no scenario uses this role" };
  const rules: PreflightRules["sessionProbe"] = suite.preflight.sessionProbe;
  const base = run.target.urls.session;
  if (base === undefined) return { entry, state: "wrong", message: "no host for sessions is known: set app_url or session_url" };
  if (!rules || run.profile === "read-only")
    return { entry, state: "not tried", message: "only a write can check it: use --profile safe" };
  const request = createSessionRequest(base, rules.rest, cookie);
  const result = await probe(run, request);
  if (!("response" in result)) return { entry, state: "unclear", message: formatResponses(suite, request, result) };
  const isRefused = [401, 403].includes(result.response.status);
  if (isRefused === rules.isRefused(role))
    return { entry, state: "works", message: isRefused ? "it is refused, as it must be" : `${base} accepts it` };
  const advice = isRefused
    ? "give a valid cookie, or set session_url to the host that accepts it"
    : "it has more rights than its role";
  return { entry, state: "wrong", message: `${formatResponses(suite, request, result)}: ${advice}` };
}

function createRequest(run: Run, rest: string, headers: Record<string, string>): WireRequest {
  const [method = "GET", path = ""] = rest.split(" ");
  return { method, url: run.target.urls.api + path, headers: { accept: "application/json", ...headers } };
}

function formatResponses({ answers: responses }: Suite, request: WireRequest, result: Awaited<ReturnType<typeof probe>>): string {
  if ("stop" in result) return result.stop.why;
  if ("failure" in result) return `${formatRequestName(request)} got no answer: ${result.failure.message}`;
  return `${formatRequestName(request)} answered ${describeResponse(responses, result.response)}`;
}
