import type { Memory } from "./server.js";

/** Memory at the start, in the middle and at the end of a run. Each is the median of several samples. */
export interface MemorySamples {
  start: Memory;
  middle: Memory;
  end: Memory;
}

/** The growth of memory that a run may have: a part of the start, and some MB for random differences. */
const allowedGrowth = { heap: { part: 0.1, mb: 12 }, rss: { part: 0.2, mb: 64 } };

/** The course of memory, without the first third of the run, in which it warms up. */
export function memorySamples(samples: readonly Memory[]): MemorySamples {
  const steady = samples.slice(Math.ceil(samples.length / 3));
  const around = Math.max(1, Math.floor(steady.length / 5));
  const middle = Math.floor((steady.length - around) / 2);
  return {
    start: median(steady.slice(0, around)),
    middle: median(steady.slice(middle, middle + around)),
    end: median(steady.slice(-around)),
  };
}

/** Returns a sentence for each kind of memory that has grown. */
export function getGrowth({ start, end }: MemorySamples): string[] {
  return (["heap", "rss"] as const).flatMap((what) => {
    const { part, mb } = allowedGrowth[what];
    const max = start[what] * (1 + part) + mb;
    if (end[what] <= max) return [];
    return [`${what} grew from ${start[what].toFixed(0)} to ${end[what].toFixed(0)} MB, and may be ${max.toFixed(0)}`];
  });
}

function median(samples: readonly Memory[]): Memory {
  const of = (what: keyof Memory) =>
    samples.map((sample) => sample[what]).sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
  return { heap: of("heap"), rss: of("rss") };
}
