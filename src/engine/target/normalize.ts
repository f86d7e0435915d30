import { isIP } from "node:net";
import { isRecord } from "../scenario/interpolate.js";
import type { Mistake } from "../scenario/yaml-file.js";
import type { TargetRules } from "./rules.js";

/** What a user wrote, as it is meant: with what was done about it, and with what only they can put right. */
export interface Normalization<T> {
  value: T;
  said: Mistake[];
  mistakes: Mistake[];
}

const ADDRESSES = ["base_url", "app_url", "session_url", "docs_url", "mcp_url"] as const;
const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))$/;

/** A target file with the slips put right that can only mean one thing: an address without its scheme, a variable as a shell has it. */
export function normalizeTarget(value: unknown, rules: Pick<TargetRules, "docsPath">): Normalization<unknown> {
  if (!isRecord(value)) return { value, said: [], mistakes: [] };
  const tidied: Record<string, unknown> = { ...value };
  const said: Mistake[] = [];
  const mistakes: Mistake[] = [];
  for (const field of ADDRESSES) {
    const given = value[field];
    if (typeof given !== "string") continue;
    if (/\$\{?\w+\}?/.test(given)) {
      mistakes.push({
        path: [field],
        what: "no variable is replaced in an address: write the address itself, or give it as URL",
      });
      continue;
    }
    const address = normalizeAddress(given, field === "docs_url" ? rules.docsPath : undefined);
    tidied[field] = address.value;
    said.push(...address.said.map((what) => ({ path: [field], what })));
  }
  for (const field of ["keys", "sessions"] as const) {
    const secrets = value[field];
    if (!isRecord(secrets)) continue;
    tidied[field] = Object.fromEntries(
      Object.entries(secrets).map(([role, secret]) => {
        const read = tidySecret(secret);
        if (read.said) said.push({ path: [field, role], what: read.said });
        if (read.mistake) mistakes.push({ path: [field, role], what: read.mistake });
        return [role, read.value];
      }),
    );
  }
  return { value: tidied, said, mistakes };
}

/** An address with a scheme, and without the path of a document that is looked for there anyway. */
export function normalizeAddress(given: string, path?: string): { value: string; said: string[] } {
  const said: string[] = [];
  let value = given.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(`http://${value}`)) {
    value = `${isLoopback(new URL(`http://${value}`).hostname) ? "http" : "https"}://${value}`;
    said.push(`"${given}" has no scheme: taken for ${value}`);
  }
  const plain = value.replace(/(?<!\/)\/+$/, "");
  if (path === undefined || !plain.endsWith(path)) return { value, said };
  const shorter = plain.slice(0, -path.length);
  return { value: shorter, said: [...said, `${path} is looked for there anyway: taken for ${shorter}`] };
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

function tidySecret(secret: unknown): { value: unknown; said?: string; mistake?: string } {
  const text = isRecord(secret) ? (secret.env ?? secret.value) : secret;
  const [, braced, bare] = typeof text === "string" ? (VARIABLE.exec(text) ?? []) : [];
  const name = braced ?? bare;
  if (name !== undefined) return { value: { env: name }, said: `${text} is taken for { env: ${name} }` };
  if (isRecord(secret)) return { value: secret };
  return { value: secret, mistake: "write { env: NAME } for an environment variable, or { value: … } for the secret itself" };
}
