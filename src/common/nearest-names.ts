/** The minimum similarity between a typo and the intended name. */
const MIN_SIMILARITY = 0.5;
/** The maximum number of compared characters of a word: counting edits takes quadratic time. */
const MAX_COMPARED_NAMES = 128;

/** Returns the names most similar to a word, best first, by the pairs of letters that they share. */
export function findNearest<Name extends string>(word: string, names: readonly Name[], max = 3): Name[] {
  return rankNames(word, names, max).map(({ name }) => name);
}

/** Returns the probable intended names for an unknown word, best first; an empty list if no name is similar. */
export function listClosestNames<Name extends string>(word: string, names: readonly Name[], max = 3): Name[] {
  return rankNames(word, names, max).flatMap(({ name, alike }) => (alike >= MIN_SIMILARITY ? [name] : []));
}

/** Returns the names most similar to a word, each with its similarity. Compares each name once, because a comparison is slow. */
function rankNames<Name extends string>(word: string, names: readonly Name[], max: number): { name: Name; alike: number }[] {
  const compared = names.map((name) => ({ name, alike: computeLikeness(word, name) }));
  return compared.sort((a, b) => b.alike - a.alike).slice(0, max);
}

/** Returns `; nearest: a, b` for the end of a message about an unknown word; an empty text if no name is similar. */
export function findClosestName(word: string, names: readonly string[]): string {
  const closest = listClosestNames(word, names);
  return closest.length > 0 ? `; nearest: ${closest.join(", ")}` : "";
}

/** Returns how alike two names are, from 0 to 1: by shared sequences of letters or by the edits between them. Ignores case and separators. */
export function computeLikeness(a: string, b: string): number {
  const [short, long] = [normalizeWord(a), normalizeWord(b)].toSorted((one, two) => one.length - two.length) as [string, string];
  return Math.max(countShared(a, b), 1 - editDistance(short, long) / Math.max(1, long.length));
}

function countShared(a: string, b: string): number {
  const [own, other] = [listPairs(a), listPairs(b)];
  const sharedCount = [...own].filter((pair) => other.has(pair)).length;
  return own.size + other.size === 0
    ? Number(normalizeWord(a) === normalizeWord(b))
    : (2 * sharedCount) / (own.size + other.size);
}

/** Counts the inserted, missing, changed and swapped letters between two words (Damerau-Levenshtein distance). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (rows[i - 1]?.[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? i + j) + 1 : i + j;
      row[j] = Math.min(changed, swapped, (rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

function listPairs(word: string): Set<string> {
  const letters = normalizeWord(word);
  return new Set(Array.from(letters.slice(1), (letter, at) => letters[at]! + letter));
}

function normalizeWord(word: string): string {
  return word
    .slice(0, MAX_COMPARED_NAMES)
    .toLowerCase()
    .replace(/[\W_]+/g, "_");
}
