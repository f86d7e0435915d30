import type { Figure } from "./figures.js";

/** The options of the bench, and functions that print. */
export interface BenchContext {
  /** Short runs that check that everything works: the figures are rough. */
  quick: boolean;
  /** Measures without the packages of others. */
  alone: boolean;
  /** Whether each filter and order has a separate row, not just the slowest one. */
  each: boolean;
  /** Prints the current work. */
  tell(line: string): void;
  /** Prints a note about the figures once, such as a measurement that was left out. */
  note(line: string): void;
}

/** A part of the bench that can be run alone. */
export interface Section {
  name: string;
  title: string;
  measure(bench: BenchContext): Promise<Figure[]>;
}
