import { join } from "node:path";
import { parseStrictJson } from "../../common/strict-json.js";
import { readRegularFile, readStatus } from "../../common/user-file.js";
import { findValidator, formatFirstProblem } from "../schema.js";
import { createOutcome } from "../verdict/outcome.js";
import { formatReport } from "./forms.js";
import type { Report } from "./report.js";

/** The largest report that can be read. */
const MAX_BYTES = 512 * 1024 * 1024;

/** A report and its file, or the mistake in the file. */
export type ReadReport = { file: string; report: Report } | { mistake: string };

/** Returns the report file for a path: the path itself, or `report.json` in it if it is a directory. */
export function findReportFile(place: string): string {
  return readStatus(place)?.isDirectory() ? join(place, "report.json") : place;
}

/** A report, and whether its text is the one that this package writes; or the problem. */
type ParsedReport = { ok: true; report: Report; isAsWritten: boolean } | { ok: false; why: string; isEarlier?: true };

/** Why a report of an earlier build cannot be read. A waived check then had another reason, and not its verdict before the waiver. */
const EARLIER_BUILD_MESSAGE = "was written by an earlier build, which did not keep the verdicts before waivers: run verify again";

/** A placeholder for a missing outcome until it is derived. */
const NO_OUTCOME: Report["outcome"] = { verdict: "passed", exit_code: 0, reason: "passed", sentence: "" };

/** Reads and validates a report. `place` is its file or its directory. */
export function readReport(place: string): ReadReport {
  const file = findReportFile(place);
  const userFile = readRegularFile(file, MAX_BYTES);
  if (!userFile.ok) return { mistake: `${file}: ${userFile.why}` };
  const parsedReport = parseReport(userFile.text);
  return parsedReport.ok ? { file, report: parsedReport.report } : { mistake: `${file}: ${parsedReport.why}` };
}

/** Parses the text of a report. Derives the outcome of a report that was written before reports had one. */
export function parseReport(text: string): ParsedReport {
  const parsedStrictJson = parseStrictJson(text);
  if (!parsedStrictJson.ok) return parsedStrictJson;
  const written = parsedStrictJson.value as Partial<Report> | null;
  const valid = findValidator("report");
  const hasOutcome = typeof written !== "object" || written === null || written.outcome !== undefined;
  const value = hasOutcome ? written : { ...written, outcome: NO_OUTCOME };
  if (!valid(value))
    return {
      ok: false,
      why: `is not a report that this version can read: ${formatFirstProblem(valid)}${describeVersion(written)}`,
    };
  const report = value as Report;
  if (report.checks.some((check) => check.verdict === "waived" && !check.before_waiver))
    return { ok: false, isEarlier: true, why: EARLIER_BUILD_MESSAGE };
  const isAsWritten = formatReport(written as Report) === text;
  return { ok: true, report: hasOutcome ? report : { ...report, outcome: createOutcome(report) }, isAsWritten };
}

/** Returns `; version 1.2.0 wrote it: read it with that version, or run verify again`, if the report names its version. */
function describeVersion(report: Partial<Report> | null): string {
  const { version } = report?.suite ?? {};
  return typeof version === "string" ? `; version ${version} wrote it: read it with that version, or run verify again` : "";
}
