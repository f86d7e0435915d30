/** Names that are less alike than this are not taken for slips of each other. */
const ALIKE = 0.5;

/** The names most like a word that is none of them, best first: those that share most pairs of letters with it. */
export function nearest<Name extends string>(word: string, names: readonly Name[], most = 3): Name[] {
  return names.toSorted((a, b) => likeness(word, b) - likeness(word, a)).slice(0, most);
}

/** The names that a word may be a slip of, best first; none where nothing is like it. */
export function slipsOf<Name extends string>(word: string, names: readonly Name[], most = 3): Name[] {
  return nearest(word, names, most).filter((name) => likeness(word, name) >= ALIKE);
}

/** `; nearest: a, b` for the end of a sentence about a word that is none of the names; empty where nothing is like it. */
export function nearestIn(word: string, names: readonly string[]): string {
  const slips = slipsOf(word, names);
  return slips.length > 0 ? `; nearest: ${slips.join(", ")}` : "";
}

/** How alike two names are, from 0 to 1, by the letters in a row that they share or by the slips between them; upper case and what stands between words do not count. */
export function likeness(a: string, b: string): number {
  const [short, long] = [plain(a), plain(b)].toSorted((one, two) => one.length - two.length) as [string, string];
  return Math.max(sharing(a, b), 1 - slipsBetween(short, long) / Math.max(1, long.length));
}

function sharing(a: string, b: string): number {
  const [own, other] = [pairsOf(a), pairsOf(b)];
  const shared = [...own].filter((pair) => other.has(pair)).length;
  return own.size + other.size === 0 ? Number(plain(a) === plain(b)) : (2 * shared) / (own.size + other.size);
}

/** Letters put in, left out, changed or swapped with the next, between two words (the distance of Damerau and Levenshtein). */
function slipsBetween(a: string, b: string): number {
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

function pairsOf(word: string): Set<string> {
  const letters = plain(word);
  return new Set(Array.from(letters.slice(1), (letter, at) => letters[at]! + letter));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[\W_]+/g, "_");
}
