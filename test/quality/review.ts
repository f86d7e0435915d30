import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { digestsNow, parseRows, REVIEWS, withResults } from "./reviews.js";

// `node dist/test/quality/review.js FILE.tsv… [--date 2026-11-27]`: writes the results of a review (lines of path and result) into the list.
const { values, positionals } = parseArgs({ options: { date: { type: "string" } }, allowPositionals: true });
const results = parseRows(positionals.map((file) => readFileSync(file, "utf8")).join("\n"));
const digests = digestsNow();
const date = values.date ?? new Date().toISOString().slice(0, 10);
writeFileSync(REVIEWS, withResults(readFileSync(REVIEWS, "utf8"), results, digests, date));
const unknown = [...results.keys()].filter((file) => !digests.has(file));
if (unknown.length > 0) {
  console.error(`Not in the list, as no such file has checks: ${unknown.join(", ")}. Correct the paths and run this again.`);
  process.exitCode = 2;
}
