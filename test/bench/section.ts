import type { Figure } from "./figures.js";

/** What a section of the bench is given. */
export interface Bench {
  /** Short runs, to see that all works: the figures are rough. */
  quick: boolean;
  /** Each filter and order in a row of its own, not just the worst. */
  each: boolean;
  /** Says what is being done. */
  tell(line: string): void;
  /** Says once what the reader of the figures must know: what was left out. */
  note(line: string): void;
}

/** A part of the bench that can be run alone. */
export interface Section {
  name: string;
  title: string;
  measure(bench: Bench): Promise<Figure[]>;
}
