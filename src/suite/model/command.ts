import type { Contradiction, ModelRun } from "./model-run.js";

/** One step of a case, as plain data: a command and its arguments. */
export interface CommandCall {
  command: string;
  arguments: Readonly<Record<string, Argument>>;
  /** The corpus entry that starts with this step. */
  entry?: string;
}

/** The option of an argument: its name, or a number that counts options from the first and wraps around. */
export type Argument = string | number | boolean;

/** The options of an argument. In a list, each value is also its name. */
export type Options<T> = readonly T[] | Readonly<Record<string, T>>;

/** Returns an option of an argument, by default the first. `timesFirst` is the weight of the first option. */
export type Choose = <T>(argument: string, options: Options<T>, timesFirst?: number) => T | undefined;

/** A possible step of a case. It does nothing if the known states do not allow it. */
export interface Command {
  /** The names of its arguments. */
  arguments: readonly string[];
  /** How often it is drawn, relative to others. */
  weight: number;
  run(modelRun: ModelRun, choose: Choose): Promise<Contradiction>;
}

/** Returns the chooser of one call. It returns undefined without options, and the first option for an unknown name. */
export function chooseBy(given: CommandCall["arguments"]): Choose {
  return <T>(argument: string, options: Options<T>, timesFirst = 1) => {
    const named = listOptions(options);
    const value = given[argument] ?? 0;
    if (typeof value !== "number") return (named.find(([name]) => name === String(value)) ?? named[0])?.[1];
    const index = value % Math.max(1, named.length + timesFirst - 1);
    return named[Math.max(0, index - timesFirst + 1)]?.[1];
  };
}

function listOptions<T>(options: Options<T>): (readonly [name: string, T])[] {
  return isList(options) ? options.map((option) => [String(option), option]) : Object.entries(options);
}

function isList<T>(options: Options<T>): options is readonly T[] {
  return Array.isArray(options);
}
