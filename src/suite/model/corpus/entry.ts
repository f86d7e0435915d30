import type { Argument, CommandCall } from "../command.js";
import type { CommandName } from "../commands/index.js";

/** A short list of commands that leads to points which chance seldom meets. */
export interface CorpusEntry {
  /** What it leads to, as kind/name. */
  points: readonly string[];
  commands: readonly CommandCall[];
}

/** One call of a command; arguments that are not named are the plain ones. */
export function call(command: CommandName, given: Readonly<Record<string, Argument>> = {}): CommandCall {
  return { command, arguments: given };
}

/** The point of having asked for a route. */
export function routePoint(route: string): string {
  return `routes/${route}`;
}

/** Of jobs, which are counted from the newest: the one before it. */
export const BEFORE_NEWEST = 1;

/** Of repositories, which are counted from the target's first: the second. */
export const SECOND = 1;

/** Of repositories: the first behind the target's three, a spare one or one that is not there. */
export const FIRST_SPARE = 3;

/** A submission that no job which has ended answers for. */
export const submit = call("submit", { force: true });

/** An observation that is found. */
export const find = call("find");

/** The item of a list at an index, which begins again behind the end. */
export function cycled<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
