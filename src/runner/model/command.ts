import type { Journey, Turn } from "./journey.js";

/** One step of a case as it is drawn: which command, and a number for each of its choices. Plain data. */
export interface Drawn {
  command: string;
  picks: Readonly<Record<string, number>>;
  /** The recipe that begins here. */
  recipe?: string;
}

/** Chooses one of some options by a pick's number; the first where the pick is 0. Undefined when there are none. */
export type Pick = <T>(name: string, options: readonly T[]) => T | undefined;

/** Something that a case can do. Where it does not apply to what is known it does nothing. */
export interface Command {
  /** Names of its choices. */
  picks: readonly string[];
  /** How often it is drawn beside others. */
  weight: number;
  play(journey: Journey, pick: Pick): Promise<Turn>;
}

/** The chooser of one drawn command; a number beyond the options begins again. */
export function pickBy(picks: Drawn["picks"]): Pick {
  return (name, options) => options[(picks[name] ?? 0) % Math.max(1, options.length)];
}
