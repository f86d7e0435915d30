import { rm } from "node:fs/promises";
import type { Beside } from "./bundle/write.js";
import type { Conclusion } from "./conclude.js";
import type { RunResult, VerifyOptions } from "./options.js";

/** Writes a judged report with its evidence in the forms asked for, and says where. Without a directory nothing is written. */
export async function deliver(
  { report, exitCode }: Conclusion,
  { out, forms = [] }: Pick<VerifyOptions, "out" | "forms">,
  gather: () => Promise<Beside>,
): Promise<RunResult> {
  if (out === undefined) return { exitCode, report, messages: [] };
  let beside: Beside = {};
  try {
    const { writeBundle } = await import("./bundle/write.js");
    beside = await gather();
    const paths = await writeBundle(out, report, forms, beside);
    return { exitCode, report, messages: paths.map((path) => `report: ${path}`) };
  } catch (error) {
    return { exitCode: 4, report, messages: [unwritten(error)] };
  } finally {
    if (beside.trace) await rm(beside.trace.path, { force: true });
  }
}

/** Why there are no reports, in a sentence. */
export function unwritten(error: unknown): string {
  return `the report could not be written: ${(error as Error).message}`;
}
