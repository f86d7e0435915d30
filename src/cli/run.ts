import { type Command, CommanderError } from "commander";

/** Exit codes of every command. */
export const exitCodes = { conforms: 0, findings: 1, badInput: 2, inconclusive: 3, fault: 4 } as const;

/**
 * Parses a command line and runs its command. Bad input exits with 2 and one sentence; a failure of ours with 4 and one line, no stack
 * trace.
 */
export async function run(program: Command, argv: string[]): Promise<void> {
  for (const command of allOf(program)) command.exitOverride();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Ends a command with a sentence on standard error. */
export function stop(sentence: string, code: number = exitCodes.badInput): void {
  console.error(`counterpart: ${sentence}`);
  process.exitCode = code;
}

function allOf(program: Command): Command[] {
  return [program, ...program.commands.flatMap(allOf)];
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.conforms : exitCodes.badInput;
  console.error(`counterpart: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.fault;
}
