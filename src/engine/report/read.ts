import { statSync } from "node:fs";
import { join } from "node:path";
import { parseStrictJson } from "../../common/strict-json.js";
import { readRegularFile } from "../../common/user-file.js";
import { validatorOf } from "../schema.js";
import type { Report } from "./report.js";

/** The largest report that can be read. */
const MOST_BYTES = 512 * 1024 * 1024;

/** A report and its file, or the mistake in the file. */
export type ReadReport = { file: string; report: Report } | { mistake: string };

/** Returns the report file for a path: the path itself, or `report.json` in it if it is a directory. */
export function reportFile(place: string): string {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? join(place, "report.json") : place;
}

/** Reads and validates a report. `place` is its file or its directory. */
export function readReport(place: string): ReadReport {
  const file = reportFile(place);
  const read = readRegularFile(file, MOST_BYTES);
  if (!read.ok) return { mistake: `${file}: ${read.why}` };
  const parsed = parseStrictJson(read.text);
  if (!parsed.ok) return { mistake: `${file}: ${parsed.why}` };
  const valid = validatorOf("report");
  if (valid(parsed.value)) return { file, report: parsed.value as Report };
  const [first] = valid.errors ?? [];
  return { mistake: `${file}: is not a report of this version: ${first?.instancePath} ${first?.message}` };
}
