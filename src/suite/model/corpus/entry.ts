import type { Argument, CommandCall } from "../command.js";
import type { CommandName } from "../commands/index.js";

/** A short list of commands that leads to points which random cases rarely reach. */
export interface CorpusEntry {
  /** The points of the entry, as kind/name. */
  points: readonly string[];
  commands: readonly CommandCall[];
}

/** Returns one call of a command. Omitted arguments have their default. */
export function createCall(command: CommandName, given: Readonly<Record<string, Argument>> = {}): CommandCall {
  return { command, arguments: given };
}

/** Returns the point of a route. */
export function createRoutePoint(route: string): string {
  return `routes/${route}`;
}

/** Index of the job before the newest one. */
export const OLDER_ROW = 1;

/** Index of the target's second repository. */
export const SECOND_PAGE_ROW = 1;

/** Index after the target's three repositories: a spare one, or one that does not exist. */
export const FIRST_SPARE = 3;

/** A submission with `force=true`: a completed job does not answer it. */
export const submit = createCall("submit", { force: true });

/** A new observation. */
export const find = createCall("find");

/** Returns the item at an index; the index wraps around. */
export function pickElement<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
