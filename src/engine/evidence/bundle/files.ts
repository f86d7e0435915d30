import { createHash } from "node:crypto";

/** The files of a bundle that have a part in judging it again. */
export const bundleFiles = {
  report: "report.json",
  trace: "trace.ndjson",
  clauses: "clauses.json",
  waivers: "waivers.yaml",
  quality: "quality.json",
  statement: "statement.json",
  envelope: "statement.dsse.json",
} as const;

/** A file of a bundle and its digest. */
export interface FileDigest {
  name: string;
  sha256: string;
}

/** Files of the suite that go into a bundle as they stand: the clauses, and the figures of how good the suite is, where there are any. */
export interface SuiteFiles {
  clauses: string;
  quality: string;
}

/** The digest of a file's content. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
