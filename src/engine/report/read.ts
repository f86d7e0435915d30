import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { validatorOf } from "../schema.js";
import type { Report } from "./report.js";

/** A report and the file it was read from, or what is wrong with the file. */
export type ReadReport = { file: string; report: Report } | { mistake: string };

/** The file of a report that is named by it or by its directory. */
export function reportFile(place: string): string {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ? join(place, "report.json") : place;
}

/** Reads a report by its directory or its file, and checks that it is one of this version. */
export function readReport(place: string): ReadReport {
  const file = reportFile(place);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const { code } = error as { code?: string };
    return { mistake: `${file}: ${code ? `cannot be read (${code})` : "is not JSON"}` };
  }
  const valid = validatorOf("report");
  if (valid(value)) return { file, report: value as Report };
  const [first] = valid.errors ?? [];
  return { mistake: `${file}: is no report of this version: ${first?.instancePath} ${first?.message}` };
}
