import type { Command } from "../command.js";
import { eventCommands } from "./events.js";
import { excessCommands } from "./excesses.js";
import { jobCommands } from "./jobs.js";
import { keyCommands } from "./keys.js";
import { listCommands } from "./lists.js";
import { misuseCommands } from "./misuses.js";
import { observationCommands } from "./observations.js";
import { repositoryCommands } from "./repositories.js";
import { toolCommands } from "./tools.js";
import { trespassCommands } from "./trespass.js";

/** Everything that a case can do, by name. */
export const commands = {
  ...jobCommands,
  ...observationCommands,
  ...listCommands,
  ...repositoryCommands,
  ...keyCommands,
  ...eventCommands,
  ...toolCommands,
  ...trespassCommands,
  ...misuseCommands,
  ...excessCommands,
} satisfies Record<string, Command>;

/** The name of a command. */
export type CommandName = keyof typeof commands;
