import { bodyJson } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";
import { isRecord } from "../scenario/interpolate.js";
import { type Mistake, readYamlFile, schemaMistakes } from "../scenario/yaml-file.js";
import { validatorOf } from "../schema.js";
import { expandCombined } from "./joined.js";
import { unknownNames } from "./names.js";
import { normalizeTarget } from "./normalize.js";
import type { TargetNames, TargetRules } from "./rules.js";
import { forbiddenReferences } from "./self-description.js";

/** How to make something happen at the target: an HTTP call or a command. */
export interface Hook {
  http?: string;
  headers?: Record<string, string | { env: string }>;
  json?: Record<string, unknown>;
  command?: string[];
}

/** A server to examine, with its secrets resolved. `spec/schema/target.json` describes the fields. */
export interface Target {
  name: string;
  /** Where requests with a session go is the web app's address, if the file does not say another. */
  urls: { api: string; app?: string; session?: string; docs?: string; mcp?: string };
  keys: Record<string, string>;
  sessions: Record<string, string>;
  /** Environment variables that are named and not set, by what they are named for, such as `keys.ROLE`. */
  unset: Record<string, string>;
  repos: string[];
  worlds?: { create: Hook; remove?: Hook };
  clock?: { now: Hook; advance: Hook };
  drive: Record<string, Hook>;
  bindings: Record<string, unknown>;
  timing: { requestTimeoutSeconds: number; rateMinuteSeconds: number; dispatchTickSeconds: number };
  allow: { paid: boolean; destructive: boolean };
  /** Whether nobody but one run acts on the server. */
  exclusive: boolean;
  /** What of its description was taken for something else, in sentences. */
  said?: readonly string[];
  /** Says where in the user's own file mistakes are; a server's description of itself has no such places. */
  tell?: (mistakes: readonly Mistake[]) => string[];
}

/** A target, or what is wrong with its description. */
export type TargetResult = { ok: true; target: Target } | { ok: false; mistakes: string[] };

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

interface TargetText {
  name?: string;
  base_url: string;
  app_url?: string;
  session_url?: string;
  docs_url?: string;
  mcp_url?: string;
  keys?: Record<string, Secret>;
  sessions?: Record<string, Secret>;
  repos?: string[];
  worlds?: { create: Hook; remove?: Hook };
  clock?: { now: Hook; advance: Hook };
  drive?: Record<string, Hook>;
  bindings?: Record<string, unknown>;
  timing?: { request_timeout_s?: number; rate_minute_s?: number; dispatch_tick_s?: number };
  allow?: { paid?: boolean; destructive?: boolean };
  exclusive?: boolean;
}
type Secret = { env: string } | { value: string };

/** Reads a target file (YAML or JSON). A role whose environment variable is not set is left out. */
export function parseTarget(rules: TargetRules, file: string, text: string, env: EnvironmentVariables): TargetResult {
  const parsed = readYamlFile(file, text);
  if (!parsed.ok) return parsed;
  const { value, tell } = parsed.read;
  const described = describe(rules, value, env, tell, rules.names);
  return described.ok ? { ok: true, target: { ...described.target, tell } } : described;
}

/** A target of which only the address is known. */
export function targetAtUrl(rules: TargetRules, url: string): TargetResult {
  return describe(rules, { base_url: url }, {}, (mistakes) => tellOf(url, mistakes));
}

/** Asks a server for its own description; undefined when it has none. It may name its own port, and `ports` of its host. */
export async function readSelfDescription(
  rules: TargetRules,
  wire: Wire,
  url: string,
  ports: readonly number[] = [],
): Promise<TargetResult | undefined> {
  const address = plain(url) + rules.selfDescriptionPath;
  const { response } = await wire.send({ method: "GET", url: address, headers: { accept: "application/json" } });
  const body = response?.status === 200 ? bodyJson(response) : undefined;
  if (!body?.ok || !isRecord(body.value) || !("base_url" in body.value)) return undefined;
  // as it came and as it is read: an address may lack its scheme, and a variable stand in a text
  const beyond = forbiddenReferences([body.value, normalizeTarget(body.value, rules).value], url, ports);
  if (beyond.length === 0) return describe(rules, body.value, {}, (mistakes) => tellOf(address, mistakes));
  const allows = "allow another port of this host with --described-ports";
  const why = `it names ${beyond.join(", ")}, which only a file of yours may: save it, read it, and give it with --target; or ${allows}`;
  return { ok: false, mistakes: [`${address}: ${why}`] };
}

/** Whether an address is that of the tool server, also where it lacks the slash at its end. */
export function isToolServer({ toolServerPath }: TargetRules, { urls }: Target, address: string): boolean {
  const { pathname } = new URL(address);
  return address.replace(/\?.*/, "") === urls.mcp || pathname.endsWith(toolServerPath) || `${pathname}/`.endsWith(toolServerPath);
}

/** A secret given literally or by the name of an environment variable; undefined when that is not set. */
export function secretValue(secret: { env?: string; value?: string } | string, env: EnvironmentVariables): string | undefined {
  if (typeof secret === "string") return secret;
  return secret.env === undefined ? secret.value : env[secret.env];
}

/**
 * `tell` says where the mistakes are: at a line of a file, or only at which address. Names are held against those that there are (`names`) in a
 * file of the user's; a server that describes itself may know more than we do.
 */
function describe(
  rules: TargetRules,
  value: unknown,
  env: EnvironmentVariables,
  tell: (mistakes: readonly Mistake[]) => string[],
  names?: TargetNames,
): TargetResult {
  const tidied = normalizeTarget(value, rules);
  const wrong = new Set(tidied.mistakes.map(({ path }) => path.join("/")));
  const formal = schemaMistakes(validatorOf("target"), tidied.value).filter(({ path }) => !wrong.has(path.join("/")));
  const found = [...tidied.mistakes, ...formal, ...(names ? unknownNames(names, tidied.value) : [])];
  if (found.length > 0) return { ok: false, mistakes: tell(found) };
  const target = resolve(rules, tidied.value as TargetText, env);
  return { ok: true, target: { ...target, ...(tidied.said.length > 0 && { said: tell(tidied.said) }) } };
}

function tellOf(source: string, mistakes: readonly Mistake[]): string[] {
  return mistakes.map(({ path, what }) => `${source}: ${["", ...path].join("/")}: ${what}`);
}

function resolve({ toolServerPath, names }: TargetRules, text: TargetText, env: EnvironmentVariables): Target {
  const { timing = {}, allow = {} } = text;
  const session = text.session_url ?? text.app_url;
  const mcp = text.mcp_url ?? plain(text.base_url) + toolServerPath;
  return {
    name: text.name ?? text.base_url,
    urls: {
      api: plain(text.base_url),
      mcp,
      ...(text.app_url && { app: plain(text.app_url) }),
      ...(session && { session: plain(session) }),
      ...(text.docs_url && { docs: plain(text.docs_url) }),
    },
    keys: revealAll(text.keys ?? {}, env),
    sessions: revealAll(text.sessions ?? {}, env),
    unset: { ...unsetIn("keys", text.keys, env), ...unsetIn("sessions", text.sessions, env) },
    repos: text.repos ?? [],
    ...(text.worlds && { worlds: text.worlds }),
    ...(text.clock && { clock: text.clock }),
    drive: text.drive ?? {},
    bindings: names ? expandCombined(names, text.bindings ?? {}) : (text.bindings ?? {}),
    timing: {
      requestTimeoutSeconds: timing.request_timeout_s ?? 30,
      rateMinuteSeconds: timing.rate_minute_s ?? 60,
      dispatchTickSeconds: timing.dispatch_tick_s ?? 30,
    },
    allow: { paid: allow.paid ?? false, destructive: allow.destructive ?? false },
    exclusive: text.exclusive ?? false,
  };
}

function revealAll(secrets: Record<string, Secret>, env: EnvironmentVariables): Record<string, string> {
  const pairs = Object.entries(secrets).map(([role, secret]) => [role, secretValue(secret, env)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""));
}

function unsetIn(field: string, secrets: Record<string, Secret> = {}, env: EnvironmentVariables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([role, secret]) =>
      "env" in secret && !env[secret.env] ? [[`${field}.${role}`, secret.env]] : [],
    ),
  );
}

function plain(url: string): string {
  return url.replace(/(?<!\/)\/+$/, "");
}
