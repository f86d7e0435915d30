import { createHookContext, moveClock } from "../execute/clock.js";
import type { Run } from "../execute/run.js";
import { findSkipReason } from "../execute/skip-reason.js";
import { findPropertySkipReason, type Property } from "../property/property.js";
import { listNeeds } from "../scenario/needs.js";
import type { Scenario } from "../scenario/scenario.js";
import { hideCredentials } from "../target/credentials.js";
import { closeEnvironment, createSharedEnvironment, type Environment, openEnvironment } from "../target/environment.js";
import { omitDerivedTools, type Target } from "../target/target.js";
import { checkAddress } from "./address.js";
import { deriveTools } from "./derive-tools.js";
import { checkDocs } from "./docs-host.js";
import { checkKeys, type KeyCheckResult } from "./keys.js";
import type { PreflightContext, Stop } from "./probe.js";
import { findAbsentRepos, findReadableRepos } from "./readable-repos.js";
import type { ServiceRules } from "./rules.js";
import { checkSessions } from "./sessions.js";
import { examineToolServer, type ToolServerFacts } from "./tool-server.js";
import { findUnlistedNames, listTools } from "./tools.js";

/** The result of the checks before the first scenario. */
export interface Preflight {
  /** Sentences for the user: what happened, where, and what to do. */
  notes: string[];
  /** The target without the hosts that did not answer and the keys that were refused. */
  target: Target;
  /** Why the run stops before the first scenario. */
  stop?: Stop;
}

/** The command-line options for the target. */
export interface TargetOptions {
  /** Key of the default role. */
  key?: string;
  /** Path of the target file. */
  target?: string;
}

/**
 * Checks before the first scenario that the server answers, is the service, accepts the keys, and has the hosts that the scenarios and properties need.
 * Sends only harmless requests. Reports a wrong address or key as one message, never as a finding.
 */
export async function runPreflight(
  rules: ServiceRules,
  run: Run,
  { scenarios, properties }: { scenarios: readonly Scenario[]; properties: readonly Property[] },
  options: TargetOptions,
): Promise<Preflight> {
  const context: PreflightContext = { run, rules };
  const { target } = run;
  const unsetKey = target.worlds ? undefined : findUnsetKey(target, rules.defaultRole, options);
  if (unsetKey) return { notes: [], target, stop: { exitCode: 2, why: unsetKey } };
  const notes = [...(target.corrections ?? []), ...listUnsetVariables(target, options), ...findMissingKey(context, scenarios)];
  const stop = await checkAddress(context);
  if (stop) return { notes: [], target, stop };
  const toRun = scenarios.filter((scenario) => !findSkipReason(run, scenario));
  const triedProperties = properties.filter((property) => !findPropertySkipReason(property, run));
  const needed = new Set([
    ...toRun.flatMap((scenario) => listNeeds(scenario, run.maxWaitSeconds)),
    ...triedProperties.flatMap(({ needs }) => needs),
  ]);
  const findNamesIn = (kind: string) => [...needed].flatMap((need) => (need.startsWith(kind) ? need.slice(kind.length) : []));
  const roles = [...new Set([rules.defaultRole, ...findNamesIn("key.")])];
  const wants: Wants = {
    roles,
    sessions: findNamesIn("session."),
    tools: needed.has("surface.mcp") || triedProperties.length > 0,
  };
  const keys = await (target.worlds
    ? checkWorld(context, options, wants)
    : checkCredentials(context, createSharedEnvironment(target), { ...wants, source: "" }));
  if (keys.stop) return { notes: [...notes, ...keys.notes], target, stop: keys.stop };
  const { docs } = target.urls;
  const { absent: noTools, ...mcp } = { absent: undefined, ...keys.toolServer };
  const noDocs = docs !== undefined && needed.has("surface.docs") ? await checkDocs(context, docs) : undefined;
  const { repos, notes: repoNotes } = await findRepos(context);
  const absentHosts = [noTools && "mcp", noDocs && "docs", keys.noSessions && "session"];
  const unusable = [
    ...keys.refused.map((role) => `key.${role}`),
    ...absentHosts.flatMap((host) => (host ? [`surface.${host}`] : [])),
    ...target.repos.flatMap((_, index) => (index < repos.length ? [] : [`repos.${index + 1}`])),
  ];
  const { untrueClock: untrue } = keys;
  const noClock = untrue && `The clock of the target cannot be used: ${untrue}. Steps that need it are inconclusive.`;
  const found = [noClock, keys.noSessions, noTools, keys.noList, noDocs].filter((note) => note !== undefined);
  const named = keys.named ?? omitDerivedTools(target);
  return {
    notes: [...notes, ...keys.notes, ...found, ...findUnnamedDocs(run, scenarios), ...repoNotes],
    target: {
      ...named,
      ...mcp,
      repos,
      keys: omitFields(target.keys, keys.refused),
      urls: omitFields(target.urls, absentHosts),
      ...(unusable.length > 0 && { unusable }),
      ...(target.clock && untrue && { clock: { ...target.clock, untrue } }),
    },
  };
}

/**
 * Returns the `repos` of the target that exist. If it names none, a read-only run finds some. Other runs find none, because the
 * owner must allow writes.
 */
async function findRepos(context: PreflightContext): Promise<{ repos: string[]; notes: string[] }> {
  const { run, rules } = context;
  const { repos, keys, worlds } = run.target;
  const key = keys[rules.defaultRole];
  if (worlds || key === undefined) return { repos, notes: [] };
  if (repos.length > 0) {
    const absent = await findAbsentRepos(context, key);
    return { repos: repos.filter((repo) => !absent.has(repo)), notes: [...absent.values()] };
  }
  const seen = run.profile === "read-only" ? await findReadableRepos(rules.preflight, run, key) : [];
  if (seen.length === 0) return { repos, notes: [] };
  return {
    repos: seen,
    notes: [`The target file names no repos: the run reads those that the key can see, ${seen.join(", ")}.`],
  };
}

function omitFields<T extends object>(fields: T, names: readonly unknown[]): T {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as T;
}

/** The keys and surfaces that the scenarios use: roles of keys, roles of sessions, and whether they call tools. */
interface Wants {
  roles: readonly string[];
  sessions: readonly string[];
  tools: boolean;
}

/** The result of checking the keys and the tool server, and a note if no session is accepted. */
interface CredentialCheckResult extends KeyCheckResult {
  noSessions?: string | undefined;
  untrueClock?: string | undefined;
  toolServer?: ToolServerFacts;
  /** The target with the names of the tools that the server lists. */
  named?: Target;
  /** Why the server lists no tools. */
  noList?: string;
}

/** Amounts by which the preflight moves a clock. A hook that always moves it by the same amount fails for one of them. */
const CLOCK_MOVE_STEPS = ["2s", "9s"];

/** Returns why the clock hooks cannot be used: they do not move the clock as requested. A read-only run moves no clock that others use. */
async function checkClock({ run }: PreflightContext, environment: Environment): Promise<string | undefined> {
  if (!run.target.clock || (run.profile === "read-only" && !environment.fresh)) return undefined;
  for (const by of CLOCK_MOVE_STEPS) {
    const waitResult = await moveClock(run, environment, { by });
    if (!waitResult.ok) return waitResult.why;
  }
  return undefined;
}

/**
 * Checks the clock, the keys, the sessions and the tool server. With the key of the default role it also checks the tool names in the target
 * file.
 */
async function checkCredentials(
  context: PreflightContext,
  environment: Environment,
  { roles, sessions, tools, source }: Wants & { source: string },
): Promise<CredentialCheckResult> {
  const { run, rules } = context;
  const keyCheckResult = await checkKeys(context, environment.keys, roles, source);
  if (keyCheckResult.stop) return keyCheckResult;
  const noSessions = await checkSessions(context, environment.sessions, sessions);
  const untrueClock = await checkClock(context, environment);
  const key = environment.keys[rules.defaultRole];
  const { formatMistakes = () => [], urls } = run.target;
  const toolServer = tools && urls.mcp !== undefined ? await examineToolServer(context, urls.mcp, key) : {};
  const keys = { ...keyCheckResult, noSessions, untrueClock, toolServer };
  const isUsable = tools && !("absent" in toolServer) && !("mcpRefusal" in toolServer);
  if (!isUsable || key === undefined) return keys;
  const target = { ...run.target, ...toolServer };
  const result = await listTools({ ...run, target }, { ...environment, target }, key);
  if (!result.ok)
    // scenarios judge a tool list that fails
    return {
      ...keys,
      noList: `No tool is called that the target file does not name, because the server lists none: ${result.why}.`,
    };
  const named = deriveTools(run.suite.target.names, run.target, result.tools);
  const [why, ...others] = formatMistakes(findUnlistedNames(named, result.tools, run.suite.requests.tools));
  return why === undefined ? { ...keys, named } : { ...keys, notes: [...others, ...keys.notes], stop: { exitCode: 2, why } };
}

/** Creates one world, checks the key of its default role, and removes the world. */
async function checkWorld(context: PreflightContext, { key }: TargetOptions, wants: Wants): Promise<CredentialCheckResult> {
  const { run } = context;
  const { defaultRole } = context.rules;
  const hooks = createHookContext(run, { world: "" });
  const result = await openEnvironment(run.target, undefined, hooks);
  const source = run.target.worlds?.create.http ?? run.target.worlds?.create.command?.join(" ") ?? "";
  if (!result.ok) {
    const why = `The runner cannot create a world: ${result.why}. Check worlds.create in the target file, or remove it to use the target without worlds.`;
    return { stop: { exitCode: 3 as const, why }, notes: [], refused: [] };
  }
  const { environment } = result;
  hideCredentials(run.mask, environment);
  const isUnused = key !== undefined && environment.keys[defaultRole] !== key;
  const notes = isUnused
    ? [`The given key is not used: ${source} makes a world for each scenario and returns the keys of that world.`]
    : [];
  try {
    const credentialCheckResult = await checkCredentials(context, environment, { ...wants, roles: [defaultRole], source });
    return { ...credentialCheckResult, notes: [...notes, ...credentialCheckResult.notes] };
  } finally {
    await closeEnvironment(environment, hooks);
  }
}

/** Returns a sentence about the environment variables that the target names and that are not set. */
export function listUnsetVariables({ unset, keys }: Target, { target: file = "The target" }: TargetOptions): string[] {
  const places = Object.entries(unset).filter(([place]) => keys[place.replace("keys.", "")] === undefined);
  if (places.length === 0) return [];
  const namesIn = places.map(([place, variable]) => `${variable} (${place})`).join(", ");
  return [`${file} names environment variables that are not set: ${namesIn}. Scenarios that need them are skipped.`];
}

/** Returns why a run cannot begin whose target names a variable for the key that nearly all requests carry: in CI, a missing secret. */
function findUnsetKey({ unset, keys }: Target, role: string, { target: file = "The target" }: TargetOptions): string | undefined {
  const variable = unset[`keys.${role}`];
  if (variable === undefined || keys[role] !== undefined) return undefined;
  return `${file} names the environment variable ${variable} for keys.${role}, and it is not set. Set it, give --key, or remove keys.${role} to verify without a key.`;
}

function findMissingKey({ run, rules }: PreflightContext, scenarios: readonly Scenario[]): string[] {
  const { target } = run;
  const { defaultRole: role } = rules;
  if (target.worlds || target.keys[role] !== undefined) return [];
  const count = countStopped(run, scenarios, `key.${role}`);
  if (count === 0) return [];
  return [
    `There is no key of role ${role}: set COUNTERPART_KEY, or keys.${role} in the target file. ${count} of ${scenarios.length} scenarios need it and are skipped.`,
  ];
}

function findUnnamedDocs(run: Run, scenarios: readonly Scenario[]): string[] {
  const count = countStopped(run, scenarios, "surface.docs");
  return count === 0
    ? []
    : [
        `The target names no docs host: set docs_url in the target file. ${count} of ${scenarios.length} scenarios need it and are skipped.`,
      ];
}

function countStopped(run: Run, scenarios: readonly Scenario[], need: string): number {
  return scenarios.filter((scenario) => findSkipReason(run, scenario)?.unmet === need).length;
}
