import type { WireRequest } from "../http/exchange.js";
import { adviseShorterAddress } from "./address.js";
import { describeResponse, formatRequestName, type PreflightContext, probe, readRequest, type Stop } from "./probe.js";

/** The result of checking the keys. */
export interface KeyCheckResult {
  stop?: Stop;
  notes: string[];
  /** Roles whose key the server refused, although it should accept it. */
  refused: string[];
}

/**
 * Checks that the server accepts the key of each role, and that the key of the default role has the scopes that the profile needs.
 * `source`: the hook that returned the keys, for messages.
 */
export async function checkKeys(
  context: PreflightContext,
  keys: Readonly<Record<string, string>>,
  roles: readonly string[],
  source: string,
): Promise<KeyCheckResult> {
  const { preflight, defaultRole } = context.rules;
  const notes: string[] = [];
  const refused: string[] = [];
  for (const role of roles.filter((name) => !preflight.isRefused(name))) {
    const key = keys[role];
    if (key === undefined) continue;
    const stop = await checkKey(context, role, key, source);
    if (stop && (role === defaultRole || stop.exitCode === 3)) return { stop: stop, notes, refused };
    if (!stop) continue;
    notes.push(`${stop.why} Scenarios that need it are skipped.`);
    refused.push(role);
  }
  const key = roles.includes(defaultRole) ? keys[defaultRole] : undefined;
  const scopes = key === undefined ? undefined : await checkScopes(context, key, source);
  if (scopes?.stop) return { stop: scopes.stop, notes, refused };
  return { notes: [...notes, ...(scopes?.notes ?? [])], refused };
}

async function checkKey(context: PreflightContext, role: string, key: string, source: string): Promise<Stop | undefined> {
  const { run, rules } = context;
  const advice = formatAdvice(role, source, rules.defaultRole);
  if (!/^[\x21-\x7e]+$/.test(key))
    return {
      exitCode: 2,
      why: `The key of role ${role} has a space, a line end or another character that is not allowed in a key: ${advice}.`,
    };
  let first: string | undefined;
  // a server that refuses the key for only one of the reads has a fault
  for (const path of rules.preflight.reads.slice(0, 2)) {
    const request = readRequest(run.target.urls.api, path, key);
    const result = await probe(run, request);
    if ("stop" in result) return result.stop;
    if ("response" in result && result.response.status === 404) {
      const shorter = await adviseShorterAddress(context, key); // on an unknown route the service answers 401 without a key and 404 with one
      if (shorter !== undefined)
        return { exitCode: 2, why: `${formatRequestName(request)} answered 404, but the service has this route: ${shorter}.` };
    }
    if ("failure" in result || result.response.status !== 401) return undefined;
    first ??= `The key of role ${role} was refused with ${describeResponse(rules.answers, result.response)} by ${formatRequestName(request)}`;
  }
  return { exitCode: 2, why: `${first}: ${advice}.` };
}

/** Returns a stop if the key has none of the scopes: it belongs to another role. If it lacks some, returns a note: the server may be wrong. */
async function checkScopes(
  { run, rules }: PreflightContext,
  key: string,
  source: string,
): Promise<Omit<KeyCheckResult, "refused">> {
  const { defaultRole, preflight, answers: responses } = rules;
  const probes = preflight.scopeProbes[run.profile === "read-only" ? "reads" : "writes"];
  const missing: string[] = [];
  for (const { scope, rest } of probes) {
    const [method = "", path = ""] = rest.split(" ");
    const request: WireRequest = { ...readRequest(run.target.urls.api, path, key), method };
    const result = await probe(run, request);
    if ("stop" in result) return { stop: result.stop, notes: [] };
    if ("response" in result && result.response.status === 403)
      missing.push(`${scope} (${formatRequestName(request)} answered ${describeResponse(responses, result.response)})`);
  }
  const why = `The key of role ${defaultRole} lacks the scopes ${missing.join(", ")}: ${formatAdvice(defaultRole, source, defaultRole)}`;
  if (missing.length < probes.length) return { notes: missing.length > 0 ? [`${why}.`] : [] };
  const instead = run.profile === "read-only" ? "" : ", or use --profile read-only, which only reads";
  return { stop: { exitCode: 2, why: `${why}${instead}.` }, notes: [] };
}

/** Returns advice on a refused key: check the hook that returned it, or set another key. */
function formatAdvice(role: string, source: string, defaultRole: string): string {
  if (source !== "") return `check ${source}, which returned it`;
  return role === defaultRole
    ? `set COUNTERPART_KEY or keys.${role} in the target file to a live key, with every scope`
    : `set keys.${role} in the target file to a live key`;
}
