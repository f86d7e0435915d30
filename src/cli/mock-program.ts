import type { Command } from "commander";
import { createBareProgram } from "./bare-program.js";
import { addMock } from "./mock.js";

/** Returns the command line of `counterpart mock` alone. */
export function createCommandLine(): Command {
  const program = createBareProgram();
  addMock(program);
  return program;
}
