/** Counts how often the cases of a property reached each point of the contract. */
export interface Coverage {
  /** Registers the points of a kind, so that `unreached` can return them. */
  expect(kind: string, names: Iterable<string>): void;
  /** Counts one visit. */
  reach(kind: string, name: string): void;
  /** Adds the visits of an earlier run. */
  add(kind: string, visits: Readonly<Record<string, number>>): void;
  /** Returns the number of visits of a point. */
  visits(kind: string, name: string): number;
  /** Returns the registered points of a kind without a visit. */
  unreached(kind: string): string[];
  /** Returns all counts as plain data: kind -> name -> visits. */
  toJSON(): Record<string, Record<string, number>>;
}

/** Creates an empty coverage. */
export function openCoverage(): Coverage {
  const kinds = new Map<string, Map<string, number>>();
  const getPoints = (kind: string) => {
    const known = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, known);
    return known;
  };
  return {
    expect(kind, names) {
      for (const name of names) if (!getPoints(kind).has(name)) getPoints(kind).set(name, 0);
    },
    reach: (kind, name) => void getPoints(kind).set(name, (getPoints(kind).get(name) ?? 0) + 1),
    add(kind, visits) {
      for (const [name, count] of Object.entries(visits)) getPoints(kind).set(name, (getPoints(kind).get(name) ?? 0) + count);
    },
    visits: (kind, name) => getPoints(kind).get(name) ?? 0,
    unreached: (kind) => [...getPoints(kind)].filter(([, visits]) => visits === 0).map(([name]) => name),
    toJSON: () => Object.fromEntries([...kinds].map(([kind, names]) => [kind, Object.fromEntries(names)])),
  };
}
