/** The names most like a word that is none of them, best first: those that share most pairs of letters with it. */
export function nearest<Name extends string>(word: string, names: readonly Name[], most = 3): Name[] {
  const wanted = pairsOf(word);
  const likeness = (name: string) => {
    const pairs = pairsOf(name);
    return (2 * [...pairs].filter((pair) => wanted.has(pair)).length) / (pairs.size + wanted.size);
  };
  return names.toSorted((a, b) => likeness(b) - likeness(a)).slice(0, most);
}

function pairsOf(word: string): Set<string> {
  return new Set(Array.from(word.slice(1), (letter, at) => word[at]! + letter));
}
