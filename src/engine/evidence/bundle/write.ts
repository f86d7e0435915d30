import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../../common/directory.js";
import { writeOutputFile } from "../../../common/user-file.js";
import { type FileForm, formFiles, renderFiles } from "../../report/forms.js";
import type { Outline } from "../../report/outline.js";
import type { Report } from "../../report/report.js";
import type { TraceDraft } from "../trace/write.js";
import { bundleFiles, hashContent, type SuiteFiles } from "./files.js";
import { formatEnvelope, signStatement } from "./sign.js";
import { formatStatement } from "./statement.js";

/** The parts of a bundle besides the report: the trace, the text of the waiver file, and the signing key. */
export interface BundleParts {
  trace?: TraceDraft | undefined;
  waivers?: string | undefined;
  key?: KeyObject | undefined;
}

const NO_WAIVERS = "waivers: []\n";
const NOT_MEASURED = { measured: null, note: "The quality of this suite was not measured. Run `npm run quality` to measure it." };

/**
 * Writes the bundle of a run into a directory: the report in its forms, the files on which the verdict depends, and a statement of their
 * digests, signed if there is a key. Returns the paths of the reports. Throws errors of the file system.
 */
export async function writeBundle(
  suite: Outline & { files: SuiteFiles },
  directory: string,
  report: Report,
  forms: readonly FileForm[],
  { trace, waivers = NO_WAIVERS, key }: BundleParts,
): Promise<string[]> {
  const reports = await renderFiles(report, suite, forms);
  const texts = [
    ...reports,
    { name: bundleFiles.clauses, text: readFileSync(suite.files.clauses, "utf8") },
    { name: bundleFiles.waivers, text: waivers },
    { name: bundleFiles.quality, text: formatQuality(suite.files) },
  ];
  const digests = texts.map(({ name, text }) => ({ name, sha256: hashContent(text) }));
  if (trace) digests.push({ name: bundleFiles.trace, sha256: trace.sha256 });
  const statement = formatStatement(report, digests);
  const files: OutputFile[] = [
    ...texts,
    ...(trace ? [{ name: bundleFiles.trace, draft: trace.path }] : []),
    { name: bundleFiles.statement, text: statement },
    ...(key ? [{ name: bundleFiles.envelope, text: formatEnvelope(signStatement(statement, key)) }] : []),
  ];
  await writeFiles(directory, files);
  // otherwise files of an earlier run would belong to this bundle
  for (const name of [bundleFiles.trace, bundleFiles.envelope, ...formFiles])
    if (!files.some((file) => file.name === name)) rmSync(join(directory, name), { force: true });
  return reports.map(({ name }) => join(directory, name));
}

/** Returns the digests of the waivers and the quality file of a bundle. */
export function digestInputs(files: SuiteFiles, waivers: string = NO_WAIVERS): { waivers: string; quality: string } {
  return { waivers: hashContent(waivers), quality: hashContent(formatQuality(files)) };
}

function formatQuality({ quality }: SuiteFiles): string {
  return existsSync(quality) ? readFileSync(quality, "utf8") : `${JSON.stringify(NOT_MEASURED, null, 2)}\n`;
}

/** A file to write: its text, or the path of a complete draft. Names are relative and use slashes. */
type OutputFile = { name: string; text: string } | { name: string; draft: string };

/**
 * Writes files into a directory, which it creates if necessary. Writes all files under temporary names and then renames them, so that no
 * reader sees an incomplete file. Writes no file if one fails. Throws errors of the file system.
 */
export async function writeFiles(directory: string, files: readonly OutputFile[]): Promise<void> {
  const drafts = files.map((file) => {
    const path = join(directory, file.name);
    return {
      path,
      draft: "draft" in file ? file.draft : `${path}.${process.pid}.tmp`,
      ...("text" in file && { text: file.text }),
    };
  });
  for (const { path } of drafts) makeDirectory(dirname(path));
  try {
    for (const { draft, text } of drafts) if (text !== undefined) writeOutputFile(draft, text);
    for (const { draft, path } of drafts) await rename(draft, path);
  } finally {
    await Promise.allSettled(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
}
