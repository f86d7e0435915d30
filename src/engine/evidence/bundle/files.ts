import { createHash } from "node:crypto";

/** The names of the files in a bundle on which its verdict depends. */
export const bundleFiles = {
  report: "report.json",
  trace: "trace.ndjson",
  clauses: "clauses.json",
  waivers: "waivers.yaml",
  quality: "quality.json",
  statement: "statement.json",
  envelope: "statement.dsse.json",
} as const;

/** A file of a bundle with its digest. */
export interface FileDigest {
  name: string;
  sha256: string;
}

/** Paths of the suite files that a bundle contains: the clauses, and the measured quality of the suite if it exists. */
export interface SuiteFiles {
  clauses: string;
  quality: string;
}

/** Returns the SHA-256 digest of a text or bytes, in hexadecimal. */
export function hashContent(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
