import type { Command } from "../command.js";
import { eventCommands } from "./events.js";
import { invalidRequestCommands } from "./invalid-requests.js";
import { jobCommands } from "./jobs.js";
import { keyCommands } from "./keys.js";
import { limitedRoleCommands } from "./limited-roles.js";
import { limitCommands } from "./limits.js";
import { listCommands } from "./lists.js";
import { observationCommands } from "./observations.js";
import { repositoryCommands } from "./repositories.js";
import { toolCommands } from "./tools.js";

/** Every command by name. */
export const commands = {
  ...jobCommands,
  ...observationCommands,
  ...listCommands,
  ...repositoryCommands,
  ...keyCommands,
  ...eventCommands,
  ...toolCommands,
  ...limitedRoleCommands,
  ...invalidRequestCommands,
  ...limitCommands,
} satisfies Record<string, Command>;

/** The name of a command. */
export type CommandName = keyof typeof commands;
