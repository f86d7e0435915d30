/** Which points of the contract the cases of a property have reached, and how often. */
export interface Coverage {
  /** Says that a kind of point exists with these names, so that what is unreached can be named. */
  expect(kind: string, names: Iterable<string>): void;
  /** Counts one visit. */
  reach(kind: string, name: string): void;
  /** Counts visits that were made before. */
  add(kind: string, visits: Readonly<Record<string, number>>): void;
  /** Visits of one point. */
  visits(kind: string, name: string): number;
  /** Points that are expected and not reached, by kind. */
  unreached(kind: string): string[];
  /** Everything, as plain data for a report: kind -> name -> visits. */
  toJSON(): Record<string, Record<string, number>>;
}

/** Opens a coverage of nothing yet. */
export function openCoverage(): Coverage {
  const kinds = new Map<string, Map<string, number>>();
  const pointsOf = (kind: string) => {
    const known = kinds.get(kind) ?? new Map<string, number>();
    kinds.set(kind, known);
    return known;
  };
  return {
    expect(kind, names) {
      for (const name of names) if (!pointsOf(kind).has(name)) pointsOf(kind).set(name, 0);
    },
    reach: (kind, name) => void pointsOf(kind).set(name, (pointsOf(kind).get(name) ?? 0) + 1),
    add(kind, visits) {
      for (const [name, count] of Object.entries(visits)) pointsOf(kind).set(name, (pointsOf(kind).get(name) ?? 0) + count);
    },
    visits: (kind, name) => pointsOf(kind).get(name) ?? 0,
    unreached: (kind) => [...pointsOf(kind)].filter(([, visits]) => visits === 0).map(([name]) => name),
    toJSON: () => Object.fromEntries([...kinds].map(([kind, names]) => [kind, Object.fromEntries(names)])),
  };
}
