import { parseBodyJson } from "../http/exchange.js";
import type { McpRevision, ServerRevisions } from "../http/mcp-revisions.js";
import type { Wire } from "../http/rest.js";
import { isRecord } from "../scenario/interpolate.js";
import { listSchemaMistakes, type Mistake, readYamlFile } from "../scenario/yaml-file.js";
import { findValidator } from "../schema.js";
import type { ClaimText } from "./claim-text.js";
import { type ControlText, createControlHooks, type Hook } from "./control.js";
import { addDerivedTools, assumeTools, type DerivedTools, omitDerivedBindings } from "./derived-tools.js";
import { expandCombined, findUnknownNames } from "./names.js";
import { normalizeTarget } from "./normalize.js";
import type { TargetNames, TargetRules } from "./rules.js";
import { findForbiddenReferences } from "./self-description.js";

/** A server to examine, with its secrets resolved. `spec/schema/target.json` describes the fields. */
export interface Target extends ServerRevisions {
  name: string;
  /** `session` is the host for requests with a session; without `session_url` it is the address of the web app. */
  urls: { api: string; app?: string; session?: string; docs?: string; mcp?: string };
  /** Why no revision of MCP can be used, found by the preflight. */
  mcpRefusal?: string;
  keys: Record<string, string>;
  sessions: Record<string, string>;
  /** Names of environment variables that are not set, by the field that uses them, such as `keys.ROLE`. */
  unset: Record<string, string>;
  repos: string[];
  worlds?: { create: Hook; remove?: Hook };
  /** `untrue`: why the hooks cannot be used, found by the preflight. */
  clock?: { now: Hook; advance: Hook; untrue?: string };
  drive: Record<string, Hook>;
  bindings: Record<string, unknown>;
  /** The tools and arguments among the bindings that the target file leaves out: assumed until the server has listed its tools. */
  derived?: DerivedTools;
  timing: { requestTimeoutSeconds: number; rateMinuteSeconds: number; dispatchTickSeconds: number };
  allow: { paid: boolean; destructive: boolean };
  /** Whether a single run is the only client of the server. */
  exclusive: boolean;
  /** Means that it names and that did not work when the run began, as needs such as `key.ROLE` and `surface.docs`. */
  unusable?: readonly string[];
  /** The clauses that it claims to fulfil. */
  claim?: ClaimText;
  /** Messages about parts of its description that were corrected. */
  corrections?: readonly string[];
  /** Formats mistakes with their place in the user's file; undefined for a target that no file describes. */
  formatMistakes?: MistakeFormatter;
}

/** Formats each mistake with its place: a line of a file, or a field of an address. */
type MistakeFormatter = (mistakes: readonly Mistake[]) => string[];

/** A target, or the mistakes in its description. */
export type TargetResult = { ok: true; target: Target } | { ok: false; mistakes: string[] };

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Seconds of a rate minute, unless the target file states less: its clock may go faster. */
export const RATE_MINUTE_SECONDS = 60;

interface TargetText {
  name?: string;
  base_url: string;
  app_url?: string;
  session_url?: string;
  docs_url?: string;
  mcp_url?: string;
  mcp_revision?: McpRevision;
  keys?: Record<string, Secret>;
  sessions?: Record<string, Secret>;
  repos?: string[];
  control?: ControlText;
  worlds?: { create: Hook; remove?: Hook };
  clock?: { now: Hook; advance: Hook };
  drive?: Record<string, Hook>;
  bindings?: Record<string, unknown>;
  timing?: { request_timeout_s?: number; rate_minute_s?: number; dispatch_tick_s?: number };
  allow?: { paid?: boolean; destructive?: boolean };
  exclusive?: boolean;
  claim?: ClaimText;
}
type Secret = { env: string } | { value: string };

/** Returns whether nobody else acts on the server: each scenario has its own world, or the target file says `exclusive`. */
export function isAlone({ worlds, exclusive }: Target): boolean {
  return worlds !== undefined || exclusive;
}

/** Returns a target without the tools and arguments that its file leaves out. */
export function omitDerivedTools({ derived, ...target }: Target): Target {
  return derived ? { ...target, bindings: omitDerivedBindings(target.bindings, derived) } : target;
}

/** Parses a target file (YAML or JSON). Omits roles whose environment variable is not set. */
export function parseTarget(rules: TargetRules, file: string, text: string, env: EnvironmentVariables): TargetResult {
  const parsed = readYamlFile(file, text);
  if (!parsed.ok) return parsed;
  const { value, tell: formatMistakes } = parsed.read;
  const result = compileTarget(rules, value, env, formatMistakes, rules.names);
  return result.ok ? { ok: true, target: { ...result.target, formatMistakes } } : result;
}

/** Returns a target that has nothing but an address. */
export function createTargetAtUrl(rules: TargetRules, url: string): TargetResult {
  return compileTarget(rules, { base_url: url }, {}, (mistakes) => formatAt(url, mistakes));
}

/** Reads the description that a server publishes of itself; undefined without one. It may name its own port and `ports` of its host. */
export async function readSelfDescription(
  rules: TargetRules,
  wire: Wire,
  url: string,
  ports: readonly number[] = [],
): Promise<TargetResult | undefined> {
  const address = removeSlash(url) + rules.selfDescriptionPath;
  const { response } = await wire.send({ method: "GET", url: address, headers: { accept: "application/json" } });
  const body = response?.status === 200 ? parseBodyJson(response) : undefined;
  if (!body?.ok || !isRecord(body.value) || !("base_url" in body.value)) return undefined;
  // Both forms are checked: normalizing adds schemes to addresses and finds variables in texts.
  const forbidden = findForbiddenReferences([body.value, normalizeTarget(body.value, rules).value], url, ports);
  if (forbidden.length === 0) return compileTarget(rules, body.value, {}, (mistakes) => formatAt(address, mistakes));
  const advice = "To use another port of this host, allow it with --described-ports.";
  const why = `it names ${forbidden.join(", ")}, which only your own target file may name. Save it, read it, and pass it with --target. ${advice}`;
  return { ok: false, mistakes: [`${address}: ${why}`] };
}

/** Tells whether an address is that of the tool server, with or without the slash at its end. */
export function isToolServer({ toolServerPath }: TargetRules, { urls }: Target, address: string): boolean {
  const { pathname } = new URL(address);
  return address.replace(/\?.*/, "") === urls.mcp || pathname.endsWith(toolServerPath) || `${pathname}/`.endsWith(toolServerPath);
}

/** Returns a secret that is given literally or by an environment variable; undefined if the variable is not set. */
export function readSecret(secret: { env?: string; value?: string } | string, env: EnvironmentVariables): string | undefined {
  if (typeof secret === "string") return secret;
  return secret.env === undefined ? secret.value : variableValue(env, secret.env);
}

/** Returns the value of an environment variable; undefined if it is not set. A name such as `constructor` names no inherited property. */
export function variableValue(env: EnvironmentVariables, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** Builds a target from its description. Names are checked only if `names` is given: a server that describes itself may use newer ones. */
function compileTarget(
  rules: TargetRules,
  value: unknown,
  env: EnvironmentVariables,
  formatMistakes: MistakeFormatter,
  names?: TargetNames,
): TargetResult {
  const normalized = normalizeTarget(value, rules);
  const wrong = new Set(normalized.mistakes.map(({ path }) => path.join("/")));
  const formal = listSchemaMistakes(findValidator("target"), normalized.value).filter(({ path }) => !wrong.has(path.join("/")));
  const mistakes = [...normalized.mistakes, ...formal, ...(names ? findUnknownNames(names, normalized.value) : [])];
  if (mistakes.length > 0) return { ok: false, mistakes: formatMistakes(mistakes) };
  const target = addDefaults(rules, normalized.value as TargetText, env);
  const corrections = formatMistakes(normalized.corrections);
  return { ok: true, target: { ...target, ...(corrections.length > 0 && { corrections }) } };
}

function formatAt(source: string, mistakes: readonly Mistake[]): string[] {
  return mistakes.map(({ path, what }) => `${source}: ${["", ...path].join("/")}: ${what}`);
}

function addDefaults({ toolServerPath, names }: TargetRules, text: TargetText, env: EnvironmentVariables): Target {
  const { timing = {}, allow = {} } = text;
  const control = text.control && createControlHooks(text.control, Object.keys(names?.drive ?? {}));
  const worlds = text.worlds ? { ...control?.worlds, ...text.worlds } : control?.worlds;
  const { clock = control?.clock } = text;
  const session = text.session_url ?? text.app_url;
  const mcp = text.mcp_url ?? removeSlash(text.base_url) + toolServerPath;
  const bindings = completeNames(names, text.bindings ?? {});
  const derived = names && assumeTools(names, bindings);
  return {
    name: text.name ?? text.base_url,
    urls: {
      api: removeSlash(text.base_url),
      mcp,
      ...(text.app_url && { app: removeSlash(text.app_url) }),
      ...(session && { session: removeSlash(session) }),
      ...(text.docs_url && { docs: removeSlash(text.docs_url) }),
    },
    ...(text.mcp_revision && { mcpRevision: text.mcp_revision }),
    keys: readSecrets(text.keys ?? {}, env),
    sessions: readSecrets(text.sessions ?? {}, env),
    unset: { ...listUnsetVariables("keys", text.keys, env), ...listUnsetVariables("sessions", text.sessions, env) },
    repos: text.repos ?? [],
    ...(worlds && { worlds }),
    ...(clock && { clock }),
    drive: { ...control?.drive, ...text.drive },
    bindings: derived ? addDerivedTools(names, bindings, derived) : bindings,
    ...(derived && { derived }),
    timing: {
      requestTimeoutSeconds: timing.request_timeout_s ?? 30,
      rateMinuteSeconds: timing.rate_minute_s ?? RATE_MINUTE_SECONDS,
      dispatchTickSeconds: timing.dispatch_tick_s ?? 30,
    },
    allow: { paid: allow.paid ?? false, destructive: allow.destructive ?? false },
    exclusive: text.exclusive ?? false,
    ...(text.claim && { claim: text.claim }),
  };
}

function completeNames(names: TargetNames | undefined, given: Record<string, unknown>): Record<string, unknown> {
  return names ? expandCombined(names, names.completeBindings?.(given) ?? given) : given;
}

function readSecrets(secrets: Record<string, Secret>, env: EnvironmentVariables): Record<string, string> {
  const pairs = Object.entries(secrets).map(([role, secret]) => [role, readSecret(secret, env)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""));
}

function listUnsetVariables(
  field: string,
  secrets: Record<string, Secret> = {},
  env: EnvironmentVariables,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([role, secret]) =>
      "env" in secret && !variableValue(env, secret.env) ? [[`${field}.${role}`, secret.env]] : [],
    ),
  );
}

function removeSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, "");
}
