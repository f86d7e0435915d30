import type { Command } from "commander";
import { bareProgram } from "./bare-program.js";
import { addMock } from "./mock.js";

/** Returns the command line of `counterpart mock` alone. */
export function commandLine(): Command {
  const program = bareProgram();
  addMock(program);
  return program;
}
