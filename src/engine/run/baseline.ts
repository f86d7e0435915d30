import { dirname } from "node:path";
import { makeDirectory } from "../../common/directory.js";
import { formatJson } from "../../common/escape/visible.js";
import { parseStrictJson } from "../../common/strict-json.js";
import { readRegularFile, writeOutputFile } from "../../common/user-file.js";
import { findReportFile, readReport } from "../report/read.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Profile } from "../scenario/effects.js";
import { findValidator, formatFirstProblem } from "../schema.js";

/** The clauses that passed in a run. `spec/schema/baseline.json` describes the file. */
export interface Baseline {
  /** The suite that judged the run. */
  suite: Pick<SuiteIdentity, "version" | "clauses_digest">;
  target: string;
  profile: Profile;
  started_at: string;
  passed: readonly string[];
}

/** Writes the clauses that passed in a run to a file, which it replaces. Throws errors of the file system. */
export function writeBaseline(file: string, baseline: Baseline): void {
  makeDirectory(dirname(file));
  writeOutputFile(file, `${formatJson(baseline, 2)}\n`);
}

/** Reads a baseline, or the clauses that passed in a report. `place` is a file, or the directory of a report. */
export function readBaseline(place: string): { ok: true; baseline: Baseline } | { ok: false; mistake: string } {
  const file = findReportFile(place);
  const userFile = readRegularFile(file);
  const parsedStrictJson = userFile.ok ? parseStrictJson(userFile.text) : userFile;
  if (!parsedStrictJson.ok)
    return { ok: false, mistake: `${file}: ${parsedStrictJson.why}. Write a baseline with --save-baseline.` };
  const valid = findValidator("baseline");
  if (valid(parsedStrictJson.value)) return { ok: true, baseline: parsedStrictJson.value as Baseline };
  if (!isReport(parsedStrictJson.value))
    return { ok: false, mistake: `${file}: is not a baseline: ${formatFirstProblem(valid)}` };
  const report = readReport(file);
  if ("mistake" in report) return { ok: false, mistake: report.mistake };
  const { suite, target, profile, started_at, clauses } = report.report;
  const passed = clauses.filter(({ verdict }) => verdict === "passed").map(({ id }) => id);
  return { ok: true, baseline: { suite, target, profile, started_at, passed } };
}

function isReport(value: unknown): boolean {
  return typeof value === "object" && value !== null && "checks" in value;
}
