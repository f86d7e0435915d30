import type { CorpusEntry } from "./entry.js";
import { jobEntries } from "./jobs.js";
import { listEntries } from "./lists.js";
import { observationEntries } from "./observations.js";
import { otherEntries } from "./others.js";

/** Coverage kind of the corpus entries. */
export const CORPUS_KIND = "corpus entries";

/** The entries of the corpus, with the name of the entry on its first command. */
export const corpus: readonly (CorpusEntry & { name: string })[] = [
  ...jobEntries,
  ...observationEntries,
  ...listEntries,
  ...otherEntries,
].map(({ points, commands: [first, ...rest] }, index) => {
  const name = `${index + 1}: ${points[0]}`;
  return { name, points, commands: first ? [{ ...first, entry: name }, ...rest] : [] };
});

/** The names of refusals, apart from error codes. */
export const REFUSAL_POINTS: readonly string[] = [...new Set(corpus.flatMap(({ points }) => points))]
  .filter((point) => point.startsWith("refusals/"))
  .map((point) => point.slice("refusals/".length));
