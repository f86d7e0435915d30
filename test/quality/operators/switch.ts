// The questions of instrumented code: the active mutants, and the recorder of reached ones.

/** The most decisions of active mutants in one order. More mean an endless loop. */
const MAX_DECISIONS = 3_000_000;

let on: ReadonlySet<string> = new Set();
let decisions = 0;
let reached: Set<string> | undefined;

/** Switches on these mutants and no others. */
export function switchOn(mutants: readonly string[]): void {
  on = new Set(mutants);
  decisions = 0;
}

/** Records the reached mutants from now on, until the next call. */
export function recordReached(into: Set<string> | undefined): void {
  reached = into;
}

/** Whether the active mutants were reached without end. */
export function isEndless(): boolean {
  return decisions > MAX_DECISIONS;
}

/** Called by instrumented code before it behaves as a mutant. */
export function isActive(mutant: string): boolean {
  if (!on.has(mutant)) return false;
  decisions += 1;
  if (isEndless()) throw new Error("it went round without end");
  return true;
}

/** Instrumented code calls it where it behaves as before. */
export function cover(...mutants: string[]): void {
  if (reached) for (const mutant of mutants) reached.add(mutant);
}
