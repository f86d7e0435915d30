import type { Contradiction, ModelRun } from "./model-run.js";

/** One step of a case: which command, and what it is called with. Plain data. */
export interface CommandCall {
  command: string;
  arguments: Readonly<Record<string, Argument>>;
  /** The entry of the corpus that begins here. */
  entry?: string;
}

/** Which of its options a call takes: the one of that name, or, as it is drawn, a number that counts on from the first and begins again. */
export type Argument = string | number | boolean;

/** What a command chooses from: words are their own names. */
export type Options<T> = readonly T[] | Readonly<Record<string, T>>;

/** Takes one of some options for an argument: the first where the call says nothing, and so many times as often as each other. */
export type Choose = <T>(argument: string, options: Options<T>, timesFirst?: number) => T | undefined;

/** Something that a case can do. Where it does not apply to what is known it does nothing. */
export interface Command {
  /** Names of its arguments. */
  arguments: readonly string[];
  /** How often it is drawn beside others. */
  weight: number;
  run(modelRun: ModelRun, choose: Choose): Promise<Contradiction>;
}

/** The chooser of one call. Undefined when there are no options; the first where none has the name that the call gives. */
export function chooseBy(given: CommandCall["arguments"]): Choose {
  return <T>(argument: string, options: Options<T>, timesFirst = 1) => {
    const named = namedOptions(options);
    const value = given[argument] ?? 0;
    if (typeof value !== "number") return (named.find(([name]) => name === String(value)) ?? named[0])?.[1];
    const index = value % Math.max(1, named.length + timesFirst - 1);
    return named[Math.max(0, index - timesFirst + 1)]?.[1];
  };
}

function namedOptions<T>(options: Options<T>): (readonly [name: string, T])[] {
  return isList(options) ? options.map((option) => [String(option), option]) : Object.entries(options);
}

function isList<T>(options: Options<T>): options is readonly T[] {
  return Array.isArray(options);
}
