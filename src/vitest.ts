import { afterAll, beforeAll, describe, test } from "vitest";
import { choose } from "./runner/choose.js";
import type { VerifyOptions } from "./runner/options.js";
import { type Played, playScenario } from "./runner/play/play.js";
import type { Run } from "./runner/play/run.js";
import { preflight } from "./runner/preflight.js";
import { replayCommand } from "./runner/report/summary.js";
import { failureText, leftoverText } from "./runner/report/text.js";
import type { Scenario } from "./runner/scenario/format.js";
import { openTarget, startRun } from "./runner/start.js";
import { ledger } from "./runner/suite.js";

/** What `describeConformance` takes: the options of `verify` that say which server, what of the suite, and how. */
export interface ConformanceOptions
  extends Pick<
    VerifyOptions,
    "target" | "key" | "profile" | "only" | "surface" | "shard" | "scenarios" | "budgetPaid" | "maxWait" | "env"
  > {
  /** Address of the API host, or a function that gives it once the server is up; it is called before the first scenario. */
  url?: string | (() => string | Promise<string>);
  /** Title of the suite. Default `conformance`. */
  title?: string;
  /** Longest time for one scenario in seconds. Default 300. */
  timeout?: number;
}

/**
 * Registers a suite with one test for each scenario. A scenario that the target or the profile leaves out is skipped with its reason; one
 * that could not be told fails, as nothing was earned. A mistake in the options, a wrong address and a wrong key fail at once, with all there
 * is to say. What could not be taken back from the server is told at the end. A second opinion is part of no test: it is told by `verify`.
 */
export function describeConformance({ url, title = "conformance", timeout = 300, ...options }: ConformanceOptions): void {
  const chosen = choose(options);
  if (!chosen.ok) throw new Error(chosen.mistakes.join("\n"));
  describe(title, () => {
    let run: Run;
    let skipped = 0;
    beforeAll(async () => {
      const address = typeof url === "function" ? await url() : url;
      const opened = await openTarget({ ...options, ...(address !== undefined && { url: address }) });
      if (!opened.ok) throw new Error(opened.mistakes.join("\n"));
      run = startRun(options, opened.target, opened.wire);
      const { stop, notes, target } = await preflight(run, chosen.scenarios, options);
      if (stop) throw new Error(run.mask.hide(stop.why));
      for (const note of notes) console.warn(run.mask.hide(note));
      run = { ...run, target };
    });
    afterAll(async () => {
      await run?.wire.close();
      tellLeftovers(run);
      if (skipped === chosen.scenarios.length) throw new Error("nothing was judged: every scenario was left out");
    });
    for (const [index, scenario] of chosen.scenarios.entries()) {
      test(nameOf(scenario), { timeout: timeout * 1000 }, async ({ skip }) => {
        const played = await playScenario(run, scenario, `${run.id}-${index}`);
        if (played.verdict === "not-applicable") {
          skipped += 1;
          skip(played.reason);
        }
        if (played.verdict !== "passed" && played.verdict !== "informational")
          throw new Error(run.mask.hide(inWords(run, options.target, played)));
      });
    }
  });
}

function tellLeftovers(run: Run | undefined): void {
  if (run && run.leftovers.length > 0) console.warn(leftoverText({ leftovers: run.mask.hideIn(run.leftovers) }));
}

function nameOf({ name, text }: Scenario): string {
  return `${text.title} (${name})`;
}

function inWords({ target, profile }: Run, file: string | undefined, { verdict, reason = "", checks }: Played): string {
  const origin = { url: target.urls.api, profile, ...(file !== undefined && { target_file: file }) };
  const failures = checks.filter((check) => check.verdict === "failed");
  const shown = failures.map((check) => `${check.id}\n${failureText(check, ledger, replayCommand(origin, check))}`);
  return shown.length > 0 ? shown.join("\n\n") : `${verdict}: ${reason}`;
}
