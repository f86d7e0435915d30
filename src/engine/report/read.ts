import { statSync } from "node:fs";
import { join } from "node:path";
import { parseStrictJson } from "../../common/strict-json.js";
import { readRegularFile } from "../../common/user-file.js";
import { validatorOf } from "../schema.js";
import type { Report } from "./report.js";

/** A report holds all that a run has found. */
const MOST_BYTES = 512 * 1024 * 1024;

/** A report and the file it was read from, or what is wrong with the file. */
export type ReadReport = { file: string; report: Report } | { mistake: string };

/** The file of a report that is named by it or by its directory. */
export function reportFile(place: string): string {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? join(place, "report.json") : place;
}

/** Reads a report by its directory or its file, and checks that it is one of this version. */
export function readReport(place: string): ReadReport {
  const file = reportFile(place);
  const read = readRegularFile(file, MOST_BYTES);
  if (!read.ok) return { mistake: `${file}: ${read.why}` };
  const parsed = parseStrictJson(read.text);
  if (!parsed.ok) return { mistake: `${file}: ${parsed.why}` };
  const valid = validatorOf("report");
  if (valid(parsed.value)) return { file, report: parsed.value as Report };
  const [first] = valid.errors ?? [];
  return { mistake: `${file}: is no report of this version: ${first?.instancePath} ${first?.message}` };
}
