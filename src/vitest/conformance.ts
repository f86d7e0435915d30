import { afterAll, beforeAll, test } from "vitest";
import { messageLine, visibleValue } from "../common/escape/visible.js";
import { openKeptSessions } from "../engine/execute/kept-sessions.js";
import { closeKeptSessions } from "../engine/execute/mcp-sessions.js";
import type { ScenarioResult } from "../engine/execute/result.js";
import type { Run } from "../engine/execute/run.js";
import { executeScenario } from "../engine/execute/scenario.js";
import { preflight } from "../engine/preflight/preflight.js";
import { BLOCKS } from "../engine/report/forms.js";
import { replayCommand } from "../engine/report/summary.js";
import { failureText, leftoverText } from "../engine/report/text.js";
import { type ClaimResult, claimOf } from "../engine/run/claim.js";
import { connect, startRun } from "../engine/run/connect.js";
import { suiteOptionMistake } from "../engine/run/option-values.js";
import { selectScenarios } from "../engine/run/selection.js";
import type { Scenario } from "../engine/scenario/scenario.js";
import { withoutUnclaimed } from "../engine/verdict/judge.js";
import { scenarioEntry } from "../engine/verdict/scenario-entry.js";
import { suite } from "../suite/suite.js";
import type { ConformanceOptions } from "./conformance-options.js";

/** Registers one test for each scenario in the suite that is being described. Throws for a mistake in the options. */
export function registerScenarios(conformanceOptions: ConformanceOptions): void {
  const mistake = suiteOptionMistake(conformanceOptions);
  if (mistake !== undefined) throw new Error(messageLine(mistake));
  const { url, timeout = 300, ...options } = conformanceOptions;
  const selectionResult = selectScenarios(suite, options);
  if (!selectionResult.ok) throw new Error(selectionResult.mistakes.map(messageLine).join("\n"));
  let run: Run;
  let claimed: Extract<ClaimResult, { ok: true }>;
  let skipped = 0;
  beforeAll(async () => {
    const address = typeof url === "function" ? await url() : url;
    const result = await connect(suite, { ...options, ...(address !== undefined && { url: address }) });
    if (!result.ok) throw new Error(result.mistakes.map(messageLine).join("\n"));
    const keptSessions = openKeptSessions(result.target);
    run = { ...startRun(suite, options, result.target, result.wire), keptSessions };
    const claimResult = await claimOf(suite, options, selectionResult, run);
    if (!claimResult.ok) throw new Error(claimResult.mistakes.map(messageLine).join("\n"));
    claimed = claimResult;
    const { stop, notes, target } = await preflight(suite, run, { ...selectionResult, properties: [] }, options);
    if (stop) throw new Error(run.mask.hide(stop.why));
    for (const note of notes) console.warn(messageLine(run.mask.hide(note)));
    run = { ...run, target };
  });
  afterAll(async () => {
    if (run) await closeKeptSessions(run);
    await run?.wire.close();
    warnOfLeftovers(run);
    if (skipped === selectionResult.scenarios.length) throw new Error("nothing was judged: every scenario was left out");
  });
  for (const [index, scenario] of selectionResult.scenarios.entries()) {
    test(nameOf(scenario), { timeout: timeout * 1000 }, async ({ skip }) => {
      const result = claimedResult(claimed, await executeScenario(run, scenario, `${run.id}-${index}`));
      if (result.verdict === "not-applicable" || result.verdict === "warned") {
        skipped += 1;
        skip(result.reason);
      }
      if (result.verdict !== "passed" && result.verdict !== "informational")
        throw new Error(run.mask.hide(inWords(run, options.target, result)));
    });
  }
}

/** Returns the result of a scenario under a claim. A failure outside the claim is a warning. */
function claimedResult({ claim, edition }: Extract<ClaimResult, { ok: true }>, result: ScenarioResult): ScenarioResult {
  if (!claim) return result;
  const entry = scenarioEntry(result, edition);
  const { scenarios, checks } = withoutUnclaimed({ scenarios: [entry], checks: result.checks, claim });
  const [{ verdict } = entry] = scenarios;
  return { ...result, verdict, checks };
}

function warnOfLeftovers(run: Run | undefined): void {
  if (run && run.leftovers.length > 0) console.warn(leftoverText({ leftovers: visibleValue(run.mask.hideIn(run.leftovers)) }));
}

function nameOf({ name, text }: Scenario): string {
  return `${text.title} (${name})`;
}

function inWords({ target, profile }: Run, file: string | undefined, { verdict, reason = "", checks }: ScenarioResult): string {
  const origin = { url: target.urls.api, profile, ...(file !== undefined && { target_file: file }) };
  const failures = checks.filter((check) => check.verdict === "failed").map((check) => visibleValue(check, BLOCKS));
  const shown = failures.map((check) => `${check.id}\n${failureText(check, suite, replayCommand(origin, check))}`);
  return shown.length > 0 ? shown.join("\n\n") : messageLine(`${verdict}: ${reason}`);
}
