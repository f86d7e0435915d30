/** Rows that are tried for each one that is taken. */
const CANDIDATES = 20;

/**
 * Returns a covering array of strength two: rows of one value of each factor. Each two values of two factors meet in a row. The algorithm is
 * greedy and deterministic. It builds several candidates value by value, and takes the one with the most new pairs.
 */
export function pairwise(sizes: readonly number[]): number[][] {
  const first = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const open = new Uint8Array(count * count).fill(1);
  let left = sizes.reduce((sum, size, at) => sum + size * (first[at] ?? 0), 0);
  const drawChance = numbers();
  const rows: number[][] = [];
  while (left > 0) {
    const candidates = Array.from({ length: CANDIDATES }, () => fill(drawChance));
    const best = candidates.reduce((a, b) => (b.news > a.news ? b : a));
    for (const a of best.values) for (const b of best.values) open[a * count + b] = 0;
    left -= best.news;
    rows.push(best.values.map((value, at) => value - (first[at] ?? 0)));
  }
  return rows;

  /** Returns a row. Chooses the factors one after the other, those with most values first. Takes the value that adds most new pairs. */
  function fill(randomNumber: () => number): { values: number[]; news: number } {
    const values: number[] = [];
    const order = sizes.map((size, at) => ({ at, turn: randomNumber() / 2 - size })).sort((a, b) => a.turn - b.turn);
    const taken: number[] = [];
    let news = 0;
    for (const { at } of order) {
      let best = { value: 0, news: -1 };
      const size = sizes[at] ?? 0;
      const shift = Math.floor(randomNumber() * size);
      for (let step = 0; step < size; step++) {
        const value = (first[at] ?? 0) + ((step + shift) % size);
        const met = taken.reduce((sum, other) => sum + (open[value * count + other] ?? 0), 0);
        if (met > best.news) best = { value, news: met };
      }
      taken.push(best.value);
      values[at] = best.value;
      news += best.news;
    }
    return { values, news };
  }
}

/** Numbers from 0 to 1 that look like chance, and are always the same. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
