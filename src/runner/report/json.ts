import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "./report.js";

/** Writes `report.json` into a directory (made if need be), whole or not at all. Gives its path; throws what the file system throws. */
export async function writeReport(directory: string, report: Report): Promise<string> {
  await mkdir(directory, { recursive: true });
  return writeWhole(join(directory, "report.json"), `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes a file so that nobody ever sees half of it: under another name first, then renamed. */
export async function writeWhole(path: string, text: string): Promise<string> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return path;
}
