import { statSync } from "node:fs";
import { join } from "node:path";
import { nameTwice } from "../../common/json-names.js";
import { readUserFile } from "../../common/user-file.js";
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
  const read = readUserFile(file, MOST_BYTES);
  if (!read.ok) return { mistake: `${file}: ${read.why}` };
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return { mistake: `${file}: is not JSON` };
  }
  const twice = nameTwice(read.text);
  if (twice !== undefined) return { mistake: `${file}: has the name ${JSON.stringify(twice)} twice in one object` };
  const valid = validatorOf("report");
  if (valid(value)) return { file, report: value as Report };
  const [first] = valid.errors ?? [];
  return { mistake: `${file}: is no report of this version: ${first?.instancePath} ${first?.message}` };
}
