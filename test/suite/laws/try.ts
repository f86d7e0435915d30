import { executeScenario } from "../../../src/engine/execute/scenario.js";
import { examineTools } from "../../../src/engine/preflight/tool-server.js";
import { checkAllProperties } from "../../../src/engine/property/check-all.js";
import type { Property } from "../../../src/engine/property/property.js";
import type { PropertyResult } from "../../../src/engine/property/result.js";
import { runWithTarget, startRun } from "../../../src/engine/run/connect.js";
import { openSandbox } from "../../../src/engine/run/sandbox.js";
import type { VerifyOptions } from "../../../src/engine/run/verify.js";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { suite } from "../../../src/suite/suite.js";
import { openSound } from "../../mutants/open.js";

/** Tries one property on a server that is up. */
export async function tryOn(options: VerifyOptions, property: Property, seed = 1, runs?: number): Promise<PropertyResult> {
  const sandbox = openSandbox(suite, { sandbox: openSound });
  const trial = { seed, deadline: Number.POSITIVE_INFINITY, runs, sandbox: sandbox?.open };
  const held = await runWithTarget(suite, options, async (target, wire) => {
    const run = startRun(suite, options, target, wire);
    return checkAllProperties({ ...run, target: await examineTools({ run, rules: suite }) }, [property], trial);
  }).finally(() => sandbox?.close());
  if (!Array.isArray(held)) throw new Error(held.messages.join("\n"));
  return held[0] as PropertyResult;
}

/** Runs a counterexample of a report on a running server. Returns its verdict and the reason. */
export async function runOn(url: string, yaml: string): Promise<string> {
  const parseResult = parseScenario("found.yaml", yaml, suite);
  if (!parseResult.ok) throw new Error(parseResult.mistakes.join("\n"));
  const result = await runWithTarget(suite, { url }, async (target, wire) => {
    const [scenario] = parseResult.scenarios;
    return scenario && executeScenario(startRun(suite, { url }, target, wire), scenario, "again");
  });
  if (!result || !("verdict" in result)) throw new Error("the counterexample could not be run");
  return [result.verdict, result.reason].filter((part) => part !== undefined).join(": ");
}
