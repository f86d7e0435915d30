import type { CorpusEntry } from "./entry.js";
import { jobEntries } from "./jobs.js";
import { listEntries } from "./lists.js";
import { observationEntries } from "./observations.js";
import { otherEntries } from "./others.js";

/** The kind of point of coverage that the entries are, as reports call it. */
export const CORPUS_KIND = "recipes";

/** The cases that the exploration starts from: every entry, its first command marked with its name. */
export const corpus: readonly (CorpusEntry & { name: string })[] = [
  ...jobEntries,
  ...observationEntries,
  ...listEntries,
  ...otherEntries,
].map(({ points, commands: [first, ...rest] }, index) => {
  const name = `${index + 1}: ${points[0]}`;
  return { name, points, commands: first ? [{ ...first, entry: name }, ...rest] : [] };
});

/** What refusals are told apart, beside their codes. */
export const REFUSALS: readonly string[] = [...new Set(corpus.flatMap(({ points }) => points))]
  .filter((point) => point.startsWith("refusals/"))
  .map((point) => point.slice("refusals/".length));
