import { hookContext } from "../../execute/clock.js";
import { obstacle } from "../../execute/obstacle.js";
import type { Run } from "../../execute/run.js";
import { preflight } from "../../preflight/preflight.js";
import { listTools } from "../../preflight/tools.js";
import { isRecord } from "../../scenario/interpolate.js";
import type { Scenario } from "../../scenario/scenario.js";
import { readScenarios } from "../../scenario/select.js";
import type { Suite } from "../../suite.js";
import { hideCredentials } from "../../target/credentials.js";
import { closeEnvironment, type Environment, openEnvironment } from "../../target/environment.js";
import { startRun, withTarget } from "../connect.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { type TargetGaps, targetGaps } from "../target-gaps.js";
import { checkCredentials } from "./check-credentials.js";
import { checkHooks } from "./check-hooks.js";
import type { EntryCheck } from "./thing.js";

/** A target file, held against its server: each thing in it, and what it lacks. */
export interface TargetCheck {
  things: EntryCheck[];
  notes: readonly string[];
  earnings: TargetGaps;
  exitCode: 0 | 2 | 3;
}

/** Waits are not what a check is for. */
const LONGEST_WAIT_SECONDS = 10;

/**
 * Tries each address, key, binding and hook of a target. It asks as a run with this profile would: what only writes could show is
 * left untried by a profile that only reads. Else the cheapest scenarios are played that use what there is to try.
 */
export async function checkTarget(suite: Suite, options: VerifyOptions): Promise<TargetCheck | RunResult> {
  const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
  if (mistakes.length > 0) return { exitCode: 2, messages: mistakes };
  const properties = await suite.properties();
  return withTarget<TargetCheck>(suite, { maxWait: LONGEST_WAIT_SECONDS, ...options }, async (target, wire) => {
    const run = startRun(suite, { maxWait: LONGEST_WAIT_SECONDS, ...options }, target, wire);
    const ready = await preflight(suite, run, scenarios, options);
    if (ready.stop) return { exitCode: ready.stop.exitCode, messages: run.mask.hideIn([ready.stop.why, ...ready.notes]) };
    const hooks = hookContext(run, { world: "" });
    const opened = await openEnvironment(target, undefined, hooks);
    if (!opened.ok) return { exitCode: 3, messages: [`Nothing can be tried: ${opened.why}.`] };
    const { environment } = opened;
    hideCredentials(run.mask, environment);
    try {
      const found = { ...run, target: { ...ready.target, keys: target.keys } };
      const things = [
        ...(await addresses(suite, found, environment)),
        ...(await checkCredentials(suite, found, environment)),
        ...(await checkHooks(suite, found, environment, playable(found, environment, scenarios))),
      ];
      const earnings = targetGaps(suite, { scenarios, properties }, { ...found, environment });
      return { ...run.mask.hideIn({ things, notes: ready.notes }), earnings, exitCode: exitCodeOf(things) };
    } finally {
      await closeEnvironment(environment, hooks);
    }
  });
}

function playable(run: Run, environment: Environment, scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.filter((one) => !obstacle(run, one, environment) && !one.usesUpLimits);
}

function exitCodeOf(things: readonly EntryCheck[]): 0 | 2 | 3 {
  if (things.some(({ state }) => state === "wrong")) return 2;
  return things.some(({ state }) => state === "unclear") ? 3 : 0;
}

async function addresses(suite: Suite, run: Run, environment: Environment): Promise<EntryCheck[]> {
  const { api, mcp, docs } = run.target.urls;
  const key = environment.keys[suite.defaultRole];
  const found: EntryCheck[] = [{ thing: "base_url", state: "works", says: `the service answers at ${api}` }];
  if (docs !== undefined) found.push({ thing: "docs_url", state: "works", says: `somebody answers at ${docs}` });
  if (mcp !== undefined && key !== undefined) {
    const listed = await listTools(run, environment, key);
    const bound = isRecord(run.target.bindings.tools) ? Object.keys(run.target.bindings.tools).length : 0;
    found.push(
      listed.ok
        ? { thing: "mcp_url", state: "works", says: `${listed.tools.length} tools are listed, ${bound} of them are bound` }
        : { thing: "mcp_url", state: "unclear", says: listed.why },
    );
  }
  return found;
}
