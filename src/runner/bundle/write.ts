import { createHash, type KeyObject } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";
import { type FileForm, renderReports, type Written, writeWhole } from "../report/files.js";
import type { Report } from "../report/report.js";
import { ledger } from "../suite.js";
import type { Draft } from "../trace/write.js";
import { seal } from "./sign.js";
import { statementText } from "./statement.js";

/** What goes into a bundle beside the report: the trace, where there is one, the waivers as they were given, and a key to sign with. */
export interface Beside {
  trace?: Draft | undefined;
  waivers?: string | undefined;
  key?: KeyObject | undefined;
}

/** The files of a bundle that have a part in judging it again. */
export const BUNDLE = {
  report: "report.json",
  trace: "trace.ndjson",
  clauses: "clauses.json",
  waivers: "waivers.yaml",
  quality: "quality.json",
  statement: "statement.json",
  envelope: "statement.dsse.json",
} as const;

const NO_WAIVERS = "waivers: []\n";
const NOT_MEASURED = { measured: null, note: "The quality of this suite was not measured: npm run quality does it." };

/**
 * Writes the evidence of a run into a directory: the report in its forms, all that it was judged by, and a statement of their digests, signed
 * where there is a key. Gives the paths of the reports; throws what the file system throws.
 */
export async function writeBundle(
  directory: string,
  report: Report,
  forms: readonly FileForm[],
  beside: Beside,
): Promise<string[]> {
  const reports = await renderReports(report, ledger, forms);
  const texts = [
    ...reports,
    { name: BUNDLE.clauses, text: readFileSync(join(packageRoot, "spec/clauses.json"), "utf8") },
    { name: BUNDLE.waivers, text: beside.waivers ?? NO_WAIVERS },
    { name: BUNDLE.quality, text: qualityText() },
  ];
  const { trace, key } = beside;
  const digested = texts.map(({ name, text }) => ({ name, sha256: sha256(text) }));
  if (trace) digested.push({ name: BUNDLE.trace, sha256: trace.sha256 });
  const statement = statementText(report, digested);
  const files: Written[] = [
    ...texts,
    ...(trace ? [{ name: BUNDLE.trace, draft: trace.path }] : []),
    { name: BUNDLE.statement, text: statement },
    ...(key ? [{ name: BUNDLE.envelope, text: envelopeText(seal(statement, key)) }] : []),
  ];
  await writeWhole(directory, files);
  // what an earlier run has left would speak for this one
  for (const name of [BUNDLE.trace, BUNDLE.envelope])
    if (!files.some((file) => file.name === name)) rmSync(join(directory, name), { force: true });
  return reports.map(({ name }) => join(directory, name));
}

/** An envelope as it is written: there is one way only, so that a changed byte shows. */
export function envelopeText(envelope: object): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** The digest of a file's content. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The figures that ship with the package; they are measured, so without them there is nothing to say. */
function qualityText(): string {
  const file = join(packageRoot, "spec/quality.json");
  return existsSync(file) ? readFileSync(file, "utf8") : `${JSON.stringify(NOT_MEASURED, null, 2)}\n`;
}
