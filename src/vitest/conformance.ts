import { afterAll, beforeAll, test } from "vitest";
import { escapeMessageLine, escapeValue } from "../common/escape/visible.js";
import { openKeptSessions } from "../engine/execute/kept-sessions.js";
import { closeKeptSessions } from "../engine/execute/mcp-sessions.js";
import type { ScenarioResult } from "../engine/execute/result.js";
import type { Run } from "../engine/execute/run.js";
import { executeScenario } from "../engine/execute/scenario.js";
import { runPreflight } from "../engine/preflight/preflight.js";
import { BLOCK_FIELDS } from "../engine/report/forms.js";
import { replayCommand } from "../engine/report/summary.js";
import { formatFailure, formatLeftovers } from "../engine/report/text.js";
import { type ClaimResult, createClaim } from "../engine/run/claim.js";
import { connect, startRun } from "../engine/run/connect.js";
import { findSuiteOptionMistake } from "../engine/run/option-values.js";
import { selectScenarios } from "../engine/run/selection.js";
import type { Scenario } from "../engine/scenario/scenario.js";
import { markUnclaimedEvidence } from "../engine/verdict/judge.js";
import { createScenarioEntry } from "../engine/verdict/scenario-entry.js";
import { suite } from "../suite/suite.js";
import type { ConformanceOptions } from "./conformance-options.js";

/** Registers one test for each scenario in the suite that is being described. Throws for a mistake in the options. */
export function registerScenarios(conformanceOptions: ConformanceOptions): void {
  const mistake = findSuiteOptionMistake(conformanceOptions);
  if (mistake !== undefined) throw new Error(escapeMessageLine(mistake));
  const { url, timeout = 300, ...options } = conformanceOptions;
  const selectionResult = selectScenarios(suite, options);
  if (!selectionResult.ok) throw new Error(selectionResult.mistakes.map(escapeMessageLine).join("\n"));
  let run: Run;
  let claimed: Extract<ClaimResult, { ok: true }>;
  let skipped = 0;
  beforeAll(async () => {
    const address = typeof url === "function" ? await url() : url;
    const result = await connect(suite, { ...options, ...(address !== undefined && { url: address }) });
    if (!result.ok) throw new Error(result.mistakes.map(escapeMessageLine).join("\n"));
    const keptSessions = openKeptSessions(result.target);
    run = { ...startRun(suite, options, result.target, result.wire), keptSessions };
    const claimResult = await createClaim(suite, options, selectionResult, run);
    if (!claimResult.ok) throw new Error(claimResult.mistakes.map(escapeMessageLine).join("\n"));
    claimed = claimResult;
    const { stop, notes, target } = await runPreflight(suite, run, { ...selectionResult, properties: [] }, options);
    if (stop) throw new Error(run.mask.hide(stop.why));
    for (const note of notes) console.warn(escapeMessageLine(run.mask.hide(note)));
    run = { ...run, target };
  });
  afterAll(async () => {
    if (run) await closeKeptSessions(run);
    await run?.wire.close();
    warnOfLeftovers(run);
    if (skipped === selectionResult.scenarios.length) throw new Error("nothing was judged: every scenario was left out");
  });
  for (const [index, scenario] of selectionResult.scenarios.entries()) {
    test(getName(scenario), { timeout: timeout * 1000 }, async ({ skip }) => {
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
  const entry = createScenarioEntry(result, edition);
  const { scenarios, checks } = markUnclaimedEvidence({ scenarios: [entry], checks: result.checks, claim });
  const [{ verdict } = entry] = scenarios;
  return { ...result, verdict, checks };
}

function warnOfLeftovers(run: Run | undefined): void {
  if (run && run.leftovers.length > 0) console.warn(formatLeftovers({ leftovers: escapeValue(run.mask.hideIn(run.leftovers)) }));
}

function getName({ name, text }: Scenario): string {
  return `${text.title} (${name})`;
}

function inWords({ target, profile }: Run, file: string | undefined, { verdict, reason = "", checks }: ScenarioResult): string {
  const origin = { url: target.urls.api, profile, ...(file !== undefined && { target_file: file }) };
  const failures = checks.filter((check) => check.verdict === "failed").map((check) => escapeValue(check, BLOCK_FIELDS));
  const shown = failures.map((check) => `${check.id}\n${formatFailure(check, suite, replayCommand(origin, check))}`);
  return shown.length > 0 ? shown.join("\n\n") : escapeMessageLine(`${verdict}: ${reason}`);
}
