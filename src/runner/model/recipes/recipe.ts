import type { Drawn } from "../command.js";
import type { CommandName } from "../commands/index.js";

/** A short list of commands that leads to points which chance seldom meets. */
export interface Recipe {
  /** What it leads to, as kind/name. */
  points: readonly string[];
  commands: readonly Drawn[];
}

/** One command of a recipe; choices that are not named are the plain ones. */
export function go(command: CommandName, picks: Drawn["picks"] = {}): Drawn {
  return { command, picks };
}

/** The point of having asked for a route. */
export function routeOf(name: string): string {
  return `routes/${name}`;
}

/** A submission that no job which has ended answers for. */
export const submit = go("submit", { force: 1 });

/** An observation that is found. */
export const find = go("find");
