import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FileForm, formFiles, renderFiles } from "../../report/forms.js";
import type { Outline } from "../../report/outline.js";
import type { Report } from "../../report/report.js";
import type { TraceDraft } from "../trace/write.js";
import { bundleFiles, type SuiteFiles, sha256 } from "./files.js";
import { envelopeText, signStatement } from "./sign.js";
import { statementText } from "./statement.js";
import { type OutputFile, writeFiles } from "./write-files.js";

/** What goes into a bundle beside the report: the trace, where there is one, the waivers as they were given, and a key to sign with. */
export interface BundleParts {
  trace?: TraceDraft | undefined;
  waivers?: string | undefined;
  key?: KeyObject | undefined;
}

const NO_WAIVERS = "waivers: []\n";
const NOT_MEASURED = { measured: null, note: "The quality of this suite was not measured: npm run quality does it." };

/**
 * Writes the evidence of a run into a directory: the report in its forms, all that it was judged by, and a statement of their digests, signed
 * where there is a key. Gives the paths of the reports; throws what the file system throws.
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
    { name: bundleFiles.quality, text: qualityText(suite.files) },
  ];
  const digests = texts.map(({ name, text }) => ({ name, sha256: sha256(text) }));
  if (trace) digests.push({ name: bundleFiles.trace, sha256: trace.sha256 });
  const statement = statementText(report, digests);
  const files: OutputFile[] = [
    ...texts,
    ...(trace ? [{ name: bundleFiles.trace, draft: trace.path }] : []),
    { name: bundleFiles.statement, text: statement },
    ...(key ? [{ name: bundleFiles.envelope, text: envelopeText(signStatement(statement, key)) }] : []),
  ];
  await writeFiles(directory, files);
  // what an earlier run has left would speak for this one
  for (const name of [bundleFiles.trace, bundleFiles.envelope, ...formFiles])
    if (!files.some((file) => file.name === name)) rmSync(join(directory, name), { force: true });
  return reports.map(({ name }) => join(directory, name));
}

/** Digests of what a bundle holds beside the report that a run is judged by. */
export function digestsBeside(files: SuiteFiles, waivers: string = NO_WAIVERS): { waivers: string; quality: string } {
  return { waivers: sha256(waivers), quality: sha256(qualityText(files)) };
}

function qualityText({ quality }: SuiteFiles): string {
  return existsSync(quality) ? readFileSync(quality, "utf8") : `${JSON.stringify(NOT_MEASURED, null, 2)}\n`;
}
