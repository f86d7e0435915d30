import { type Command, CommanderError } from "commander";
import { printErrors, printText } from "./output.js";

/** Exit codes of every command. */
export const exitCodes = { conforms: 0, findings: 1, badInput: 2, inconclusive: 3, fault: 4 } as const;

/**
 * Parses a command line and runs its command. Bad input exits with 2 and one sentence; an error of the toolkit with 4 and one line,
 * without a stack trace.
 */
export async function run(program: Command, argv: string[]): Promise<void> {
  for (const command of allOf(program))
    command
      .exitOverride()
      .configureOutput({ writeOut: printText, writeErr: (text) => printErrors(...text.trimEnd().split("\n")) });
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Ends a command with sentences on standard error, one a line. */
export function stop(sentences: string | readonly string[], code: number = exitCodes.badInput): void {
  const [first = "", ...others] = typeof sentences === "string" ? [sentences] : sentences;
  printErrors(`counterpart: ${first}`, ...others);
  process.exitCode = code;
}

function allOf(program: Command): Command[] {
  return [program, ...program.commands.flatMap(allOf)];
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.conforms : exitCodes.badInput;
  printErrors(`counterpart: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.fault;
}
