import { hookContext } from "../execute/clock.js";
import { obstacle } from "../execute/obstacle.js";
import type { Run } from "../execute/run.js";
import { needsOf } from "../scenario/needs.js";
import type { Scenario } from "../scenario/scenario.js";
import { hideCredentials } from "../target/credentials.js";
import { closeEnvironment, type Environment, openEnvironment, sharedEnvironment } from "../target/environment.js";
import type { Target } from "../target/target.js";
import { checkAddress } from "./address.js";
import { checkDocs, checkToolServer } from "./hosts.js";
import { checkKeys, type KeyCheckResult } from "./keys.js";
import { findLent } from "./lent.js";
import type { PreflightContext, Stop } from "./probe.js";
import type { ServiceRules } from "./rules.js";
import { listTools, unlistedNames } from "./tools.js";

/** What is known before the first scenario. */
export interface Preflight {
  /** Sentences for whoever started the run: what happened, where, and what to do. */
  notes: string[];
  /** The target without what it turned out not to have. */
  target: Target;
  /** Why nothing is examined. */
  stop?: Stop;
}

/** What the user said of the target. */
export interface TargetOptions {
  /** Key of the default role. */
  key?: string;
  /** The target file. */
  target?: string;
}

/**
 * Asks the server a few harmless things before anything else: whether it is there, is the service, takes the keys, and has the hosts that
 * the scenarios need. So a wrong address or key is one sentence, and never a finding.
 */
export async function preflight(
  rules: ServiceRules,
  run: Run,
  scenarios: readonly Scenario[],
  options: TargetOptions,
): Promise<Preflight> {
  const context: PreflightContext = { run, rules };
  const { target } = run;
  const notes = [...(target.corrections ?? []), ...unsetVariables(target, options), ...missingKey(context, scenarios)];
  const stop = await checkAddress(context);
  if (stop) return { notes: [], target, stop };
  const needed = new Set(scenarios.filter((one) => !obstacle(run, one)).flatMap((one) => needsOf(one, run.maxWaitSeconds)));
  const roles = [rules.defaultRole, ...[...needed].flatMap((need) => (need.startsWith("key.") ? need.slice("key.".length) : []))];
  const wants = { roles: [...new Set(roles)], tools: needed.has("surface.mcp") };
  const keys = await (target.worlds
    ? checkWorld(context, options, wants)
    : checkCredentials(context, sharedEnvironment(target), { ...wants, source: "" }));
  if (keys.stop) return { notes: [...notes, ...keys.notes], target, stop: keys.stop };
  const { mcp, docs } = target.urls;
  const noTools = mcp !== undefined && needed.has("surface.mcp") ? await checkToolServer(context, mcp) : undefined;
  const noDocs = docs !== undefined && needed.has("surface.docs") ? await checkDocs(context, docs) : undefined;
  const repos = await reposFor(context);
  const gone = [noTools && "mcp", noDocs && "docs"];
  const read = repos === target.repos ? undefined : `Nothing is named in repos: read is what the key sees, ${repos.join(", ")}.`;
  const found = [...keys.notes, noTools, noDocs, ...unnamedDocs(run, scenarios), read].filter((note) => note !== undefined);
  return {
    notes: [...notes, ...found],
    target: {
      ...target,
      repos,
      keys: without(target.keys, keys.refused),
      urls: without(target.urls, gone),
    },
  };
}

/** What the target lends to scenarios. One that names nothing is looked at where a run only reads: what may be written to, its owner says. */
async function reposFor({ run, rules }: PreflightContext): Promise<string[]> {
  const { repos, keys, worlds } = run.target;
  const key = keys[rules.defaultRole];
  if (repos.length > 0 || worlds || key === undefined || run.profile !== "read-only") return repos;
  const seen = await findLent(rules.preflight, run, key);
  return seen.length > 0 ? seen : repos;
}

function without<T extends object>(fields: T, names: readonly unknown[]): T {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as T;
}

/** Checks keys, and with that of the default role the names of tools that the user has written down. */
async function checkCredentials(
  context: PreflightContext,
  environment: Environment,
  { roles, tools, source }: { roles: readonly string[]; tools: boolean; source: string },
): Promise<KeyCheckResult> {
  const { run, rules } = context;
  const keys = await checkKeys(context, environment.keys, roles, source);
  const key = environment.keys[rules.defaultRole];
  const { formatMistakes } = run.target;
  if (keys.stop || !tools || !formatMistakes || key === undefined) return keys;
  const listed = await listTools(run, environment, key);
  const mistakes = listed.ok ? unlistedNames(run.target, listed.tools) : []; // a list that fails is a scenario's business
  return mistakes.length > 0 ? { ...keys, stop: { exitCode: 2, why: formatMistakes(mistakes).join("\n") } } : keys;
}

/** Makes one world to see whether it can be made and the key of its default role works; then gives it back. */
async function checkWorld(context: PreflightContext, { key }: TargetOptions, wants: { tools: boolean }): Promise<KeyCheckResult> {
  const { run } = context;
  const { defaultRole } = context.rules;
  const hooks = hookContext(run, { world: "" });
  const opened = await openEnvironment(run.target, undefined, hooks);
  const source = run.target.worlds?.create.http ?? run.target.worlds?.create.command?.join(" ") ?? "";
  if (!opened.ok) {
    const why = `Nothing can be examined: ${opened.why}. Look at worlds.create in the target file, or leave it out to use the target as it stands.`;
    return { stop: { exitCode: 3 as const, why }, notes: [], refused: [] };
  }
  const { environment } = opened;
  hideCredentials(run.mask, environment);
  const unused = key !== undefined && environment.keys[defaultRole] !== key;
  const notes = unused ? [`The given key is not used: ${source} makes a world for each scenario, with keys of its own.`] : [];
  try {
    const checked = await checkCredentials(context, environment, { ...wants, roles: [defaultRole], source });
    return { ...checked, notes: [...notes, ...checked.notes] };
  } finally {
    await closeEnvironment(environment, hooks);
  }
}

function unsetVariables({ unset, keys }: Target, { target: file = "the target" }: TargetOptions): string[] {
  const places = Object.entries(unset).filter(([place]) => keys[place.replace("keys.", "")] === undefined);
  if (places.length === 0) return [];
  const named = places.map(([place, variable]) => `${variable} (${place})`).join(", ");
  return [`Not set are these environment variables, which ${file} names: ${named}. What needs them is left out.`];
}

function missingKey({ run, rules }: PreflightContext, scenarios: readonly Scenario[]): string[] {
  const { target } = run;
  const { defaultRole: role } = rules;
  if (target.worlds || target.keys[role] !== undefined) return [];
  const count = countStopped(run, scenarios, `key.${role}`);
  if (count === 0) return [];
  return [
    `There is no key of role ${role}: set COUNTERPART_KEY, or keys.${role} in the target file. ${count} of ${scenarios.length} scenarios need it and are left out.`,
  ];
}

function unnamedDocs(run: Run, scenarios: readonly Scenario[]): string[] {
  const count = countStopped(run, scenarios, "surface.docs");
  return count === 0
    ? []
    : [
        `No docs host is named: set docs_url in the target file. ${count} of ${scenarios.length} scenarios need it and are left out.`,
      ];
}

function countStopped(run: Run, scenarios: readonly Scenario[], need: string): number {
  return scenarios.filter((one) => obstacle(run, one)?.unmet === need).length;
}
