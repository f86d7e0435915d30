import type { Conclusion } from "./conclude.js";
import { writeReports } from "./report/files.js";
import { ledger } from "./suite.js";
import type { RunResult, VerifyOptions } from "./verify.js";

/** Writes a judged report in the forms asked for, and says where. Without a directory nothing is written. */
export async function deliver(
  { report, exitCode }: Conclusion,
  { out, forms = [] }: Pick<VerifyOptions, "out" | "forms">,
): Promise<RunResult> {
  if (out === undefined) return { exitCode, report, messages: [] };
  try {
    const paths = await writeReports(out, report, ledger, forms);
    return { exitCode, report, messages: paths.map((path) => `report: ${path}`) };
  } catch (error) {
    return { exitCode: 4, report, messages: [`the report could not be written: ${(error as Error).message}`] };
  }
}
