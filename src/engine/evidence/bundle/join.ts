import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../../common/directory.js";
import { parseStrictJson } from "../../../common/strict-json.js";
import { outputFlags, readChunks, readRegularFile } from "../../../common/user-file.js";
import type { TraceDraft } from "../trace/write.js";
import { bundleFiles, hashContent } from "./files.js";
import type { Statement } from "./statement.js";

/** A trace with its digest in the statement of its bundle. */
interface TraceFile {
  path: string;
  sha256: string;
}

/** The largest report or statement that is read, in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Returns the traces of the bundles of these reports. Refuses a bundle without a trace, or with a changed report. */
export function joinBundleTraces(reports: readonly string[]): { ok: true; traces: TraceFile[] } | { ok: false; why: string } {
  const traces: TraceFile[] = [];
  for (const report of reports) {
    const directory = dirname(report);
    const digest = readDigest(directory, bundleFiles.trace);
    const userFile = readRegularFile(report, MAX_BYTES);
    if (
      digest === undefined ||
      !userFile.ok ||
      readDigest(directory, bundleFiles.report) !== hashContent(Buffer.from(userFile.text))
    )
      return { ok: false, why: `${directory} is not a bundle with a trace, or its report was changed` };
    traces.push({ path: join(directory, bundleFiles.trace), sha256: digest });
  }
  return { ok: true, traces };
}

/** Writes several traces as one. Throws if a trace does not match its digest, and errors of the file system. */
export async function joinTraces(directory: string, traces: readonly TraceFile[]): Promise<TraceDraft> {
  makeDirectory(directory);
  const path = join(directory, `${bundleFiles.trace}.${process.pid}.tmp`);
  const file = await open(path, outputFlags | constants.O_TRUNC);
  const whole = createHash("sha256");
  try {
    for (const trace of traces) {
      const own = createHash("sha256");
      for await (const chunk of readChunks(trace.path)) {
        own.update(chunk);
        whole.update(chunk);
        await file.appendFile(chunk);
      }
      if (own.digest("hex") !== trace.sha256) throw new Error(`${trace.path} was changed: its digest differs from the statement`);
    }
  } finally {
    await file.close();
  }
  return { path, sha256: whole.digest("hex") };
}

function readDigest(directory: string, name: string): string | undefined {
  const file = readRegularFile(join(directory, bundleFiles.statement), MAX_BYTES);
  if (!file.ok) return undefined;
  try {
    const strictJson = parseStrictJson(file.text);
    return strictJson.ok ? (strictJson.value as Statement).subject.find((file) => file.name === name)?.digest.sha256 : undefined;
  } catch {
    return undefined;
  }
}
