import { rm } from "node:fs/promises";
import { outcomeIn, outcomes } from "../../common/outcomes.js";
import type { BundleParts } from "../evidence/bundle/write.js";
import type { RunEvidence } from "../report/report.js";
import type { Suite } from "../suite.js";
import type { Judgement } from "../verdict/judge.js";
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
    return { exitCode, report, messages: paths.map((path) => `report: ${path}`) };
  } catch (error) {
    return { exitCode: 4, outcome: outcomeIn(outcomes.run["report-not-written"], {}), report, messages: [writeFailure(error)] };
  } finally {
    if (parts.trace) await rm(parts.trace.path, { force: true });
  }
}

/** Returns the message for a report that could not be written. */
export function writeFailure(error: unknown): string {
  return `the report could not be written: ${(error as Error).message}`;
}
