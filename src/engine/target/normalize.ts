import { isIP } from "node:net";
import { isRecord } from "../scenario/interpolate.js";
import type { Mistake } from "../scenario/yaml-file.js";
import type { TargetRules } from "./rules.js";

/** A corrected value, with messages for each correction and for each mistake that only the user can correct. */
export interface Normalization<T> {
  value: T;
  corrections: Mistake[];
  mistakes: Mistake[];
}

const ADDRESS_FIELDS = ["base_url", "app_url", "session_url", "docs_url", "mcp_url"] as const;
const NOT_AN_ADDRESS =
  "the address is not valid. Write it as in https://host.example:8443, with a port up to 65535 and no control characters.";
const VARIABLE_PATTERN = /^\$(?:\{(\w+)\}|(\w+))$/;

/** Corrects the parts of a target file that have only one possible meaning: addresses without a scheme, and variables in shell syntax. */
export function normalizeTarget(value: unknown, rules: Pick<TargetRules, "docsPath">): Normalization<unknown> {
  if (!isRecord(value)) return { value, corrections: [], mistakes: [] };
  const corrected: Record<string, unknown> = { ...value };
  const corrections: Mistake[] = [];
  const mistakes: Mistake[] = [];
  for (const field of ADDRESS_FIELDS) {
    const given = value[field];
    if (typeof given !== "string") continue;
    if (/\$\{?\w+\}?/.test(given)) {
      mistakes.push({
        path: [field],
        what: "an address must not contain a variable. Write the address itself, or pass it as URL on the command line.",
      });
      continue;
    }
    const mistake = findAddressMistake(given);
    if (mistake !== undefined) {
      mistakes.push({ path: [field], what: mistake });
      continue;
    }
    const address = normalizeAddress(given, field === "docs_url" ? rules.docsPath : undefined);
    corrected[field] = address.value;
    corrections.push(...address.corrections.map((correction) => ({ path: [field], what: correction })));
  }
  for (const [path, address] of listHookAddresses(value)) {
    const mistake = findAddressMistake(address, "with headers: { authorization: { env: NAME } }");
    if (mistake !== undefined) mistakes.push({ path, what: mistake });
  }
  for (const field of ["keys", "sessions"] as const) {
    const secrets = value[field];
    if (!isRecord(secrets)) continue;
    corrected[field] = Object.fromEntries(
      Object.entries(secrets).map(([role, secret]) => {
        const read = normalizeSecret(secret);
        if (read.correction) corrections.push({ path: [field, role], what: read.correction });
        if (read.mistake) mistakes.push({ path: [field, role], what: read.mistake });
        return [role, read.value];
      }),
    );
  }
  return { value: corrected, corrections, mistakes };
}

/** Returns the addresses of the HTTP calls of a target's hooks, with their places. */
function listHookAddresses(value: Record<string, unknown>): [path: string[], address: string][] {
  const { control } = value;
  const address: [string[], string][] =
    isRecord(control) && typeof control.url === "string" ? [[["control", "url"], control.url]] : [];
  const others = ["worlds", "clock", "drive"].flatMap((field) => {
    const hooks = value[field];
    return Object.entries(isRecord(hooks) ? hooks : {}).flatMap(([name, hook]): [string[], string][] =>
      isRecord(hook) && typeof hook.http === "string" ? [[[field, name, "http"], hook.http.replace(/^\s*[A-Z]+\s+/i, "")]] : [],
    );
  });
  return [...address, ...others];
}

/**
 * Returns why an address is refused; undefined if it is not. Variables in braces may stand in it. A user name or a password in it is a secret, and the runner sends only keys.
 * `instead`: how to give the credential.
 */
export function findAddressMistake(given: string, instead = "with COUNTERPART_KEY"): string | undefined {
  const filled = given.trim().replace(/\{[^{}]*\}/g, "x");
  if (/\p{Cc}/u.test(filled) || (/^https?:/i.test(filled) && !URL.canParse(filled))) return NOT_AN_ADDRESS;
  const [authority = ""] = given
    .trim()
    .replace(/^([a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})/i, "")
    .split(/[/\\?#]/);
  const { username = "", password = "" } = URL.canParse(given) ? new URL(given) : {};
  if (!authority.includes("@") && username + password === "") return undefined;
  return `an address must not contain a user name or a password. Give it without the part before @, and the key ${instead}.`;
}

/** Returns an address with a scheme, and without the path that the program appends by itself. */
export function normalizeAddress(given: string, path?: string): { value: string; corrections: string[] } {
  const corrections: string[] = [];
  let value = given.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(`http://${value}`)) {
    value = `${isLoopback(new URL(`http://${value}`).hostname) ? "http" : "https"}://${value}`;
    corrections.push(`"${given}" has no scheme: using ${value}`);
  }
  const plain = value.replace(/(?<!\/)\/+$/, "");
  if (path === undefined || !plain.endsWith(path)) return { value, corrections };
  const shorter = plain.slice(0, -path.length);
  return { value: shorter, corrections: [...corrections, `${path} is appended automatically: using ${shorter}`] };
}

/** Tells whether a host name or address is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

function normalizeSecret(secret: unknown): { value: unknown; correction?: string; mistake?: string } {
  const text = isRecord(secret) ? (secret.env ?? secret.value) : secret;
  const [, braced, bare] = typeof text === "string" ? (VARIABLE_PATTERN.exec(text) ?? []) : [];
  const name = braced ?? bare;
  if (name !== undefined) return { value: { env: name }, correction: `${text} is read as { env: ${name} }` };
  if (isRecord(secret)) return { value: secret };
  return { value: secret, mistake: "write { env: NAME } for an environment variable, or { value: … } for the secret itself" };
}
