import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { listFiles } from "../../src/suite/digest.js";

/** The list of reviews: lines of path, digest, date and result, separated by tabs and sorted by path. */
export const REVIEWS = join(packageRoot, "test", "quality", "reviews.tsv");
/** Files whose checks a person compares with the sentences of the contract. */
const REVIEWED_FILES =
  /^scenarios\/.+\.yaml$|^src\/suite\/((fuzz|laws|pairs|races|statements|model\/(commands|corpus|rules))\/.+|target\/.+-proofs?|(response|rate|request)-rules|legal-choices|unspecified-expectations)\.ts$/;
/** The number of files that a paragraph names. */
const maxNamedFiles = 20;

/** Parses lines of cells that tabs separate. Returns the other cells by the first one. */
export function parseRows(text: string): Map<string, string[]> {
  const rows = text.split("\n").filter((line) => line !== "");
  return new Map(rows.map((row) => [row.split("\t", 1)[0] ?? "", row.split("\t").slice(1)]));
}

/** Returns a text about the files whose current content was not reviewed. */
export function currentReviews(): string {
  return reviewsParagraph(readFileSync(REVIEWS, "utf8"), digestsNow());
}

/** Returns a digest (12 hex digits) of the text of each file to review, by path. */
export function digestsNow(): Map<string, string> {
  const files = [...listFiles("scenarios"), ...listFiles("src/suite")].filter((file) => REVIEWED_FILES.test(file));
  return new Map(files.map((file) => [file, digestOfText(readFileSync(join(packageRoot, file), "utf8"))]));
}

/** Returns the first 12 hex digits of the SHA-256 of a text. */
export function digestOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Returns the list with the results of a review. Drops the lines of files that no longer exist. */
export function withResults(
  list: string,
  results: ReadonlyMap<string, readonly string[]>,
  digests: ReadonlyMap<string, string>,
  date: string,
): string {
  const rows = parseRows(list);
  for (const [file, result] of results) rows.set(file, [digests.get(file) ?? "", date, result.join(" ")]);
  const kept = [...rows].filter(([file]) => digests.has(file)).map(([file, cells]) => [file, ...cells].join("\t"));
  return kept
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the files without a line in the list, and those that changed since their review. */
export function unreviewed(list: string, digests: ReadonlyMap<string, string>): string[] {
  const rows = parseRows(list);
  return [...digests].filter(([file, digest]) => rows.get(file)?.[0] !== digest).map(([file]) => file);
}

/** Returns a paragraph about the files whose current content was not reviewed. */
export function reviewsParagraph(list: string, digests: ReadonlyMap<string, string>): string {
  const files = unreviewed(list, digests);
  if (files.length === 0) return `All ${digests.size} files with checks were reviewed as they are now.`;
  const more = files.length > maxNamedFiles ? `, and ${files.length - maxNamedFiles} more` : "";
  return `${files.length} of ${digests.size} files with checks have no review or changed since: ${files.slice(0, maxNamedFiles).join(", ")}${more}.`;
}
