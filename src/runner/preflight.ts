import { hideCredentials } from "./mask.js";
import type { VerifyOptions } from "./options.js";
import { hookContext } from "./play/clock.js";
import { needsOf } from "./play/needs.js";
import { obstacle } from "./play/play.js";
import type { Run } from "./play/run.js";
import { checkAddress } from "./preflight/address.js";
import { checkDocs, checkToolServer } from "./preflight/hosts.js";
import { checkKeys } from "./preflight/keys.js";
import type { Stop } from "./preflight/probe.js";
import type { Scenario } from "./scenario/format.js";
import { closeStage, openStage } from "./target/stage.js";
import type { Target } from "./target/target.js";

/** What is known before the suite is played. */
export interface Preflight {
  /** Sentences for whoever started the run: what happened, where, and what to do. */
  notes: string[];
  /** The target without what it turned out not to have. */
  target: Target;
  /** Why nothing is played. */
  stop?: Stop;
}

/**
 * Asks the server a few harmless things before anything is played: whether it is there, is the service, takes the keys, and has the hosts that
 * the scenarios need. So a wrong address or key is one sentence, and never a finding.
 */
export async function preflight(run: Run, scenarios: readonly Scenario[], options: VerifyOptions): Promise<Preflight> {
  const { target } = run;
  const notes = [...unsetVariables(target, options), ...missingKey(run, scenarios)];
  const stop = await checkAddress(run);
  if (stop) return { notes: [], target, stop };
  const needed = new Set(scenarios.filter((one) => !obstacle(run, one)).flatMap((one) => needsOf(one, run.maxWaitSeconds)));
  const roles = ["full", ...[...needed].flatMap((need) => (need.startsWith("key.") ? need.slice("key.".length) : []))];
  const keys = await (target.worlds ? checkWorld(run, options) : checkKeys(run, target.keys, [...new Set(roles)], ""));
  if (keys.stop) return { notes: [...notes, ...keys.notes], target, stop: keys.stop };
  const { mcp, docs } = target.urls;
  const noTools = mcp !== undefined && needed.has("surface.mcp") ? await checkToolServer(run, mcp) : undefined;
  const noDocs = docs !== undefined && needed.has("surface.docs") ? await checkDocs(run, docs) : undefined;
  const gone = [noTools && "mcp", noDocs && "docs"];
  const found = [...keys.notes, noTools, noDocs, ...unnamedDocs(run, scenarios)].filter((note) => note !== undefined);
  return {
    notes: [...notes, ...found],
    target: {
      ...target,
      keys: without(target.keys, keys.refused),
      urls: without(target.urls, gone),
    },
  };
}

function without<T extends object>(fields: T, names: readonly unknown[]): T {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as T;
}

/** Makes one world to see whether it can be made and its key of all scopes works; then gives it back. */
async function checkWorld(run: Run, { key }: VerifyOptions) {
  const hooks = hookContext(run, { world: "" });
  const opened = await openStage(run.target, undefined, hooks);
  const source = run.target.worlds?.create.http ?? run.target.worlds?.create.command?.join(" ") ?? "";
  if (!opened.ok) {
    const why = `Nothing can be examined: ${opened.why}. Look at worlds.create in the target file, or leave it out to use the target as it stands.`;
    return { stop: { exitCode: 3 as const, why }, notes: [], refused: [] };
  }
  const { stage } = opened;
  hideCredentials(run.mask, stage);
  const unused = key !== undefined && stage.keys.full !== key;
  const notes = unused ? [`The given key is not used: ${source} makes a world for each scenario, with keys of its own.`] : [];
  try {
    const checked = await checkKeys(run, stage.keys, ["full"], source);
    return { ...checked, notes: [...notes, ...checked.notes] };
  } finally {
    await closeStage(stage, hooks);
  }
}

function unsetVariables({ unset, keys }: Target, { target: file = "the target" }: VerifyOptions): string[] {
  const places = Object.entries(unset).filter(([place]) => keys[place.replace("keys.", "")] === undefined);
  if (places.length === 0) return [];
  const named = places.map(([place, variable]) => `${variable} (${place})`).join(", ");
  return [`Not set are these environment variables, which ${file} names: ${named}. What needs them is left out.`];
}

function missingKey(run: Run, scenarios: readonly Scenario[]): string[] {
  const { target } = run;
  if (target.worlds || target.keys.full !== undefined) return [];
  const count = countStopped(run, scenarios, "key.full");
  if (count === 0) return [];
  return [
    `There is no key of role full: set COUNTERPART_KEY, or keys.full in the target file. ${count} of ${scenarios.length} scenarios need it and are left out.`,
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
  return scenarios.filter((one) => obstacle(run, one)?.why === `the target offers no ${need}`).length;
}
