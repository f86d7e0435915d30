import type { Run } from "../../execute/run.js";
import type { WireRequest } from "../../http/exchange.js";
import { describeAnswer, nameOf, probe, readRequest } from "../../preflight/probe.js";
import type { PreflightRules } from "../../preflight/rules.js";
import type { Suite } from "../../suite.js";
import type { Environment } from "../../target/environment.js";
import type { EntryCheck } from "./thing.js";

/** Tries every key, session and what is lent: whether the server takes it, and whether a role can do what it must and nothing else. */
export async function checkCredentials(suite: Suite, run: Run, environment: Environment): Promise<EntryCheck[]> {
  const found: EntryCheck[] = [];
  for (const [role, variable] of Object.entries(run.target.unset))
    found.push({ thing: role, state: "not tried", says: `the environment variable ${variable} is not set` });
  for (const [role, key] of Object.entries(environment.keys)) found.push(await checkRole(suite, run, role, key));
  for (const [role, cookie] of Object.entries(environment.sessions)) found.push(await checkSession(suite, run, role, cookie));
  const key = environment.keys[suite.defaultRole];
  for (const repo of key === undefined ? [] : environment.repos) {
    const request = readRequest(run.target.urls.api, suite.preflight.lentPath?.(repo) ?? suite.preflight.reads[0], key);
    const result = await probe(run, request);
    const isThere = "response" in result && result.response.status === 200;
    found.push({
      thing: `repos ${repo}`,
      state: isThere ? "works" : "wrong",
      says: isThere ? "the key sees it" : `the key does not see it: ${saidBy(suite, request, result)}`,
    });
  }
  return found;
}

/** Tries the key of a role by harmless requests. */
export async function checkRole(suite: Suite, run: Run, role: string, key: string): Promise<EntryCheck> {
  const { preflight } = suite;
  const thing = `keys.${role}`;
  const request = readRequest(run.target.urls.api, preflight.reads[0], key);
  const result = await probe(run, request);
  if (!("response" in result)) return { thing, state: "unclear", says: saidBy(suite, request, result) };
  const isRefused = result.response.status === 401;
  if (preflight.isRefused(role))
    return isRefused
      ? { thing, state: "works", says: "it is refused, as it must be" }
      : { thing, state: "wrong", says: `it is to be a key that is refused, and ${saidBy(suite, request, result)}` };
  if (isRefused) return { thing, state: "wrong", says: `it is refused: ${saidBy(suite, request, result)}` };
  const scopes = await scopesOf(suite, run, key);
  const must = (scope: string) => preflight.holds?.(role, scope) ?? true;
  const lacks = [...scopes].filter(([scope, has]) => must(scope) && !has).map(([scope]) => scope);
  const exceeds = [...scopes].filter(([scope, has]) => !must(scope) && has).map(([scope]) => scope);
  const wrong = [
    ...(lacks.length > 0 ? [`lacks ${lacks.join(", ")}`] : []),
    ...(exceeds.length > 0 ? [`may ${exceeds.join(", ")}, which it must not`] : []),
  ];
  if (wrong.length > 0) return { thing, state: "wrong", says: `it ${wrong.join(", and ")}` };
  return { thing, state: "works", says: `it is taken; ${scopes.size} scopes were tried` };
}

/** Whether a key has the scopes that can be tried without changing anything. */
async function scopesOf({ preflight }: Suite, run: Run, key: string): Promise<Map<string, boolean>> {
  const { reads, writes } = preflight.scopeProbes;
  const found = new Map<string, boolean>();
  for (const { scope, rest } of run.profile === "read-only" ? reads : [...reads, ...writes]) {
    const result = await probe(run, requestOf(run, rest, { authorization: `Bearer ${key}` }));
    if ("response" in result) found.set(scope, result.response.status !== 403);
  }
  return found;
}

async function checkSession(suite: Suite, run: Run, role: string, cookie: string): Promise<EntryCheck> {
  const thing = `sessions.${role}`;
  const rules: PreflightRules["sessionProbe"] = suite.preflight.sessionProbe;
  const base = run.target.urls.session;
  if (base === undefined) return { thing, state: "wrong", says: "there is no host to send it to: set app_url or session_url" };
  if (!rules || run.profile === "read-only")
    return { thing, state: "not tried", says: "only a write would tell: --profile safe tries it" };
  const request = {
    ...requestOf(run, rules.rest, { cookie, "content-type": "application/json" }),
    body: new TextEncoder().encode("{}"),
  };
  const result = await probe(run, { ...request, url: base + rules.rest.split(" ")[1] });
  if (!("response" in result)) return { thing, state: "unclear", says: saidBy(suite, request, result) };
  const isRefused = [401, 403].includes(result.response.status);
  if (isRefused === rules.isRefused(role))
    return { thing, state: "works", says: isRefused ? "it is refused, as it must be" : `it is taken by ${base}` };
  const advice = isRefused ? "give a live cookie, or the host that takes it as session_url" : "it may more than its role must";
  return { thing, state: "wrong", says: `${saidBy(suite, request, result)}: ${advice}` };
}

function requestOf(run: Run, rest: string, headers: Record<string, string>): WireRequest {
  const [method = "GET", path = ""] = rest.split(" ");
  return { method, url: run.target.urls.api + path, headers: { accept: "application/json", ...headers } };
}

function saidBy({ answers }: Suite, request: WireRequest, result: Awaited<ReturnType<typeof probe>>): string {
  if ("stop" in result) return result.stop.why;
  if ("failure" in result) return `${nameOf(request)} got no answer: ${result.failure.message}`;
  return `${nameOf(request)} answered ${describeAnswer(answers, result.response)}`;
}
