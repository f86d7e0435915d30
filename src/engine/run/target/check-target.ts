import { createHookContext } from "../../execute/clock.js";
import type { Run } from "../../execute/run.js";
import { findSkipReason } from "../../execute/skip-reason.js";
import { runPreflight } from "../../preflight/preflight.js";
import { listTools } from "../../preflight/tools.js";
import { isRecord } from "../../scenario/interpolate.js";
import type { Scenario } from "../../scenario/scenario.js";
import { readScenarios } from "../../scenario/select.js";
import type { Suite } from "../../suite.js";
import { hideCredentials } from "../../target/credentials.js";
import { closeEnvironment, type Environment, openEnvironment } from "../../target/environment.js";
import type { Target } from "../../target/target.js";
import { runWithTarget, startRun } from "../connect.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { findTargetGaps, type TargetGaps } from "../target-gaps.js";
import type { EntryCheck } from "./check-credentials.js";
import { checkCredentials } from "./check-credentials.js";
import { checkHooks } from "./check-hooks.js";
import { checkWorlds } from "./check-worlds.js";

/** The result of checking a target file: each of its entries, and what it lacks. */
export interface TargetCheck {
  entries: EntryCheck[];
  notes: readonly string[];
  gaps: TargetGaps;
}

/** The maximum wait of a scenario in seconds. A check must be quick, so it skips scenarios with longer waits. */
const MAX_WAIT_SECONDS = 10;

/**
 * Checks each address, key, binding and hook of a target. Sends only requests that the profile allows: `read-only` leaves entries that need writes
 * untried. Calls each hook and reads its effect. Bindings are checked by executing the cheapest scenarios that use them.
 */
export async function checkTarget(suite: Suite, options: VerifyOptions): Promise<TargetCheck | RunResult> {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (mistakes.length > 0) return { exitCode: 2, messages: mistakes };
  const properties = await suite.properties();
  return runWithTarget<TargetCheck>(suite, { maxWait: MAX_WAIT_SECONDS, ...options }, async (target, wire) => {
    const run = startRun(suite, { maxWait: MAX_WAIT_SECONDS, ...options }, target, wire);
    const ready = await runPreflight(suite, run, { scenarios, properties }, options);
    if (ready.stop) return { exitCode: ready.stop.exitCode, messages: run.mask.hideIn([ready.stop.why, ...ready.notes]) };
    const hooks = createHookContext(run, { world: "" });
    const result = await openEnvironment(target, undefined, hooks);
    if (!result.ok) return { exitCode: 3, messages: [`Nothing can be checked: ${result.why}.`] };
    const { environment } = result;
    hideCredentials(run.mask, environment);
    try {
      const { keys, repos } = target;
      const urls = { ...ready.target.urls, ...(target.urls.session !== undefined && { session: target.urls.session }) };
      const checkedRun = { ...run, target: { ...ready.target, keys, repos, urls } };
      const entries = [
        ...(await checkAddresses(suite, checkedRun, environment)),
        ...listDerivedTools(ready.target),
        ...(await checkCredentials(suite, checkedRun, environment)),
        ...(await checkWorlds(suite, checkedRun, environment)),
        ...(await checkHooks(suite, checkedRun, environment, listExecutable(checkedRun, environment, scenarios))),
      ];
      const gaps = findTargetGaps(suite, { scenarios, properties }, { ...checkedRun, environment });
      const leftovers = run.leftovers.map(({ what, id, why }) => `Left behind on the server: ${what} ${id}: ${why}.`);
      return { ...run.mask.hideIn({ entries, notes: [...ready.notes, ...leftovers] }), gaps };
    } finally {
      await closeEnvironment(environment, hooks);
    }
  });
}

function listExecutable(run: Run, environment: Environment, scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.filter((scenario) => !findSkipReason(run, scenario, environment) && !scenario.usesUpLimits);
}

/** Returns the tools and arguments that the target file leaves out and the server's list shows. */
function listDerivedTools({ derived }: Target): EntryCheck[] {
  if (!derived) return [];
  const { tools, tool_args: args } = derived;
  const createEntry = (entry: string, texts: readonly string[]): EntryCheck[] =>
    texts.length === 0
      ? []
      : [{ entry, state: "works", message: `not in the file; derived from the list of the server: ${texts.join(", ")}` }];
  return [
    ...createEntry("bindings.tools", Object.values(tools)),
    ...Object.entries(args).flatMap(([purpose, names]) =>
      createEntry(
        `bindings.tool_args.${purpose}`,
        Object.entries(names).map(([ours, name]) => (ours === name ? name : `${name} for ${ours}`)),
      ),
    ),
  ];
}

async function checkAddresses(suite: Suite, run: Run, environment: Environment): Promise<EntryCheck[]> {
  const { api, mcp, docs } = run.target.urls;
  const key = environment.keys[suite.defaultRole];
  const entryChecks: EntryCheck[] = [{ entry: "base_url", state: "works", message: `the service answers at ${api}` }];
  if (docs !== undefined) entryChecks.push({ entry: "docs_url", state: "works", message: `a server answers at ${docs}` });
  if (mcp !== undefined && key !== undefined) {
    const result = await listTools(run, environment, key);
    const bound = isRecord(run.target.bindings.tools) ? Object.keys(run.target.bindings.tools).length : 0;
    entryChecks.push(
      result.ok
        ? {
            entry: "mcp_url",
            state: "works",
            message: `the server lists ${result.tools.length} tools; ${bound} purposes are bound`,
          }
        : { entry: "mcp_url", state: "unclear", message: result.why },
    );
  }
  return entryChecks;
}
