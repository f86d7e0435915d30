import { join } from "node:path";
import { exitCodes } from "../../common/outcomes.js";
import { readStatus, writeOutputFile } from "../../common/user-file.js";
import { bundleFiles } from "../evidence/bundle/files.js";
import { readPublicKey } from "../evidence/bundle/sign.js";
import { type PublishedRun, renderResultsPage } from "../report/results.js";
import type { Suite } from "../suite.js";
import { judgeBundle } from "./judge-bundle.js";
import type { RunResult } from "./options.js";
import { findOutputProblem } from "./output-directory.js";

/** Options of a results page. */
export interface PublishOptions {
  /** Output directories of `verify --out`. */
  bundles: readonly string[];
  /** Directory of the page. */
  out: string;
  /** Public key (PEM) that must verify the signature of every bundle. */
  publicKey?: string;
}

/** The name of the page in its directory. */
export const RESULTS_FILE = "index.html";

/** The page was written, with these runs; or nothing was written, because of a mistake. */
export type PublishResult = { ok: true; runs: PublishedRun[] } | { ok: false; mistake: string };

/**
 * Verifies each bundle, and writes one page with the results of those that are unchanged and whose traces confirm their
 * verdicts. The page also lists unchanged bundles that another version of the suite judged, without their verdicts on clauses.
 */
export async function publishResults(suite: Suite, { bundles, out, publicKey }: PublishOptions): Promise<PublishResult> {
  const key = publicKey === undefined ? undefined : readPublicKey(publicKey);
  if (key?.ok === false) return { ok: false, mistake: key.mistake };
  const foreign = bundles.find((place) => !readStatus(join(place, bundleFiles.statement))?.isFile());
  if (foreign !== undefined) return { ok: false, mistake: `${foreign} is not a bundle: verify --out writes one.` };
  const problem = findOutputProblem(out);
  if (problem !== undefined) return { ok: false, mistake: problem };
  const runs: PublishedRun[] = [];
  for (const place of new Set(bundles)) {
    const bundle = { bundle: place, ...(publicKey !== undefined && { publicKey }) };
    const { report, otherSuite, exitCode, messages, outcome } = await judgeBundle(suite, bundle);
    if (report) runs.push({ place, state: "verified", report, messages });
    else if (otherSuite) runs.push({ place, state: "other-suite", report: otherSuite, messages });
    else
      runs.push({
        place,
        state: exitCode === 1 ? "changed" : "not-verified",
        messages: listReasons(exitCode, messages, outcome),
      });
  }
  writeOutputFile(join(out, RESULTS_FILE), renderResultsPage(runs, suite));
  return { ok: true, runs };
}

/** Returns why a bundle is not verified. Without a trace, takes the reason from the outcome. */
function listReasons(exitCode: number, messages: readonly string[], outcome: RunResult["outcome"]): string[] {
  return [...messages, ...(exitCode === exitCodes.inconclusive && outcome ? [outcome.sentence] : [])];
}
