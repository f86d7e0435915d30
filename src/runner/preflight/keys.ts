import type { Run } from "../play/run.js";
import type { WireRequest, WireResponse } from "../wire/exchange.js";
import { atShorter } from "./address.js";
import { describeAnswer, nameOf, probe, READS, readOf, type Stop } from "./probe.js";

/** What the keys turned out to be. */
export interface KeysChecked {
  stop?: Stop;
  notes: string[];
  /** Roles whose key was refused, though it should be accepted. */
  refused: string[];
}

/** Roles whose key a server must refuse. */
const REFUSED_BY_RIGHT = new Set(["expired", "revoked", "fenced", "suspended"]);
const NOBODY = "00000000-0000-4000-8000-000000000000";
/** Requests about things that are not there: they change nothing, and need a scope each. */
const WRITES = [
  ["submit_audit_jobs", `/api/jobs/${NOBODY}/cancel`],
  ["triage_observations", `/api/observations/NONE-0/acknowledge`],
  ["submit_fix_jobs", `/api/observations/NONE-0/fix`],
] as const;

/** Whether the server takes the key of each role, and whether that of `full` has the scopes that the profile needs. Where it came from is for the sentence. */
export async function checkKeys(
  run: Run,
  keys: Readonly<Record<string, string>>,
  roles: readonly string[],
  source: string,
): Promise<KeysChecked> {
  const notes: string[] = [];
  const refused: string[] = [];
  for (const role of roles.filter((name) => !REFUSED_BY_RIGHT.has(name))) {
    const key = keys[role];
    if (key === undefined) continue;
    const found = await checkKey(run, role, key, source);
    if (found && (role === "full" || found.exitCode === 3)) return { stop: found, notes, refused };
    if (!found) continue;
    notes.push(`${found.why} What needs it is left out.`);
    refused.push(role);
  }
  const scopes = keys.full !== undefined && roles.includes("full") ? await checkScopes(run, keys.full, source) : undefined;
  if (scopes?.stop) return { stop: scopes.stop, notes, refused };
  return { notes: [...notes, ...(scopes?.notes ?? [])], refused };
}

async function checkKey(run: Run, role: string, key: string, source: string): Promise<Stop | undefined> {
  if (!/^[\x21-\x7e]+$/.test(key))
    return {
      exitCode: 2,
      why: `The key of role ${role} has a space, a line end or another character that no key has: ${advice(role, source)}.`,
    };
  let first: string | undefined;
  // a server that refuses the key here and takes it there is at fault, not the key
  for (const path of READS.slice(0, 2)) {
    const request = readOf(run.target.urls.api, path, key);
    const probed = await probe(run, request);
    if ("stop" in probed) return probed.stop;
    if ("response" in probed && probed.response.status === 404) {
      const shorter = await atShorter(run, key); // the service says 401 to nobody and 404 to somebody where it has no route
      if (shorter !== undefined)
        return { exitCode: 2, why: `${nameOf(request)} answered 404, as the service does not have it: ${shorter}.` };
    }
    if ("failure" in probed || probed.response.status !== 401) return undefined;
    first ??= `The key of role ${role} was refused with ${describeAnswer(probed.response)} by ${nameOf(request)}`;
  }
  return { exitCode: 2, why: `${first}: ${advice(role, source)}.` };
}

/** A key without a single one of the scopes is another role's; one that lacks some may be the server's fault, so that is only told. */
async function checkScopes(run: Run, key: string, source: string): Promise<Omit<KeysChecked, "refused">> {
  const base = run.target.urls.api;
  const asked: [string, WireRequest][] =
    run.profile === "read-only"
      ? [
          ["view_repositories", readOf(base, READS[0], key)],
          ["view_jobs", readOf(base, READS[1], key)],
        ]
      : WRITES.map(([scope, path]) => [scope, { ...readOf(base, path, key), method: "POST" }]);
  const lacking: string[] = [];
  for (const [scope, request] of asked) {
    const probed = await probe(run, request);
    if ("stop" in probed) return { stop: probed.stop, notes: [] };
    if ("response" in probed && isForbidden(probed.response))
      lacking.push(`${scope} (${nameOf(request)} answered ${describeAnswer(probed.response)})`);
  }
  const why = `The key of role full lacks the scopes ${lacking.join(", ")}`;
  if (lacking.length < asked.length) return { notes: lacking.length > 0 ? [`${why}: ${advice("full", source)}.`] : [] };
  const instead = run.profile === "read-only" ? "" : ", or only read, with --profile read-only";
  return { stop: { exitCode: 2, why: `${why}: ${advice("full", source)}${instead}.` }, notes: [] };
}

function isForbidden({ status }: WireResponse): boolean {
  return status === 403;
}

function advice(role: string, source: string): string {
  const scopes = role === "full" ? ", with every scope" : "";
  if (source !== "") return `look at ${source}, which gave it`;
  return role === "full"
    ? `set COUNTERPART_KEY or keys.full in the target file to a live key${scopes}`
    : `set keys.${role} in the target file to a live key`;
}
