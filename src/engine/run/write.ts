import { rm } from "node:fs/promises";
import { createOutcome, outcomes } from "../../common/outcomes.js";
import { formatCount } from "../../common/phrases.js";
import type { BundleParts } from "../evidence/bundle/write.js";
import type { Verdict } from "../execute/check.js";
import type { RunEvidence } from "../report/report.js";
import type { Suite } from "../suite.js";
import { type Judgement, judgeEvidence } from "../verdict/judge.js";
import { writeBaseline } from "./baseline.js";
import type { RunResult, VerifyOptions } from "./options.js";

/** Writes a report and its evidence in the requested forms. Returns a message with each path. Writes nothing without a directory. */
export async function write(
  suite: Suite,
  { out, forms = [] }: Pick<VerifyOptions, "out" | "forms">,
  { report, exitCode }: Judgement<RunEvidence>,
  collectParts: () => Promise<BundleParts>,
): Promise<RunResult> {
  if (out === undefined) return { exitCode, report, messages: [] };
  let parts: BundleParts = {};
  try {
    const { writeBundle } = await import("../evidence/bundle/write.js");
    parts = await collectParts();
    const paths = await writeBundle(suite, out, report, forms, parts);
    return { exitCode, report, directory: out, messages: paths.map((path) => `report: ${path}`) };
  } catch (error) {
    return {
      exitCode: 4,
      outcome: createOutcome(outcomes.run["report-not-written"], {}),
      report,
      messages: [writeFailure(error)],
    };
  } finally {
    if (parts.trace) await rm(parts.trace.path, { force: true });
  }
}

/** Writes the clauses that passed in a run, claimed or not, to a file that a later run can claim. Adds a message to the result. */
export function saveBaseline(suite: Suite, file: string, evidence: RunEvidence, result: RunResult): RunResult {
  const { claim: _, ...unclaimed } = evidence;
  const { suite: identity, target, profile, started_at, clauses } = judgeEvidence<RunEvidence>(suite, unclaimed).report;
  const { version, clauses_digest } = identity;
  const getIds = (wantedVerdict: Verdict) => clauses.filter(({ verdict }) => verdict === wantedVerdict).map(({ id }) => id);
  const [passed, failed] = [getIds("passed"), getIds("failed")];
  const withMessage = (message: string): RunResult => ({ ...result, messages: [...result.messages, message] });
  if (passed.length === 0) return withMessage(`${file} was not written: no clause passed.`);
  try {
    writeBaseline(file, { suite: { version, clauses_digest }, target, profile, started_at, passed });
    const without = failed.length > 0 ? `, without the ${formatCount(failed.length, "clause")} that failed` : "";
    return withMessage(`baseline: ${file}: ${formatCount(passed.length, "clause")}${without}`);
  } catch (error) {
    const outcome = createOutcome(outcomes.run["report-not-written"], {});
    return { ...withMessage(`the baseline could not be written: ${(error as Error).message}`), exitCode: 4, outcome };
  }
}

/** Returns the message for a report that could not be written. */
export function writeFailure(error: unknown): string {
  return `the report could not be written: ${(error as Error).message}`;
}
