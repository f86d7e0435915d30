import { type Command, CommanderError } from "commander";
import { type CommandOutcome, exitCodes, formatLastLine } from "../common/outcomes.js";
import { printErrors, printText } from "./output.js";

/** What a command line without a command prints. */
const FIRST_STEPS = `Three things to do first:
  counterpart demo                     start the mock on free ports, verify it and write a report
  counterpart mock                     start the mock server; its console is at http://127.0.0.1:4010/__mock
  counterpart verify URL --key KEY     verify a server, clause by clause

"counterpart guide first-test" and "counterpart guide certify" explain them step by step.
"counterpart guide" lists all guides, and "counterpart --help" lists all commands.
`;

/**
 * Parses a command line and runs its command; without a command it prints the first steps. Bad input exits with 2 and one sentence; an error of the toolkit with 4 and one line,
 * without a stack trace.
 */
export async function run(program: Command, argv: string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) watchOutput(stream);
  for (const command of listCommands(program))
    command.exitOverride().configureOutput({
      writeOut: printText,
      writeErr: (text) => printErrors(...text.trimEnd().split("\n")),
      outputError: reportOutputError,
    });
  if (argv.length === 2) return printText(FIRST_STEPS);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = readExitCode(error);
  }
}

/** Prints an error of the parser on one line, with its suggestion on a second one. A line feed in a refused value begins no line. */
function reportOutputError(text: string): void {
  const suggestion = text.lastIndexOf("\n(Did you mean ");
  const end = suggestion < 0 ? text.length : suggestion;
  printErrors(text.slice(0, end).trimEnd(), ...(suggestion < 0 ? [] : [text.slice(suggestion).trim()]));
}

/** Ends a command with sentences on standard error, one a line. */
export function stop(sentences: string | readonly string[], code: number = exitCodes["bad-input"]): void {
  const [first = "", ...others] = typeof sentences === "string" ? [sentences] : sentences;
  printErrors(`counterpart: ${first}`, ...others);
  process.exitCode = code;
}

/** Ends a command with an outcome: sets the exit code and prints the last line, unless the command passed or has printed the sentence. */
export function endProcess(outcome: CommandOutcome, isPrinted = false): void {
  process.exitCode = outcome.exit_code;
  if (outcome.exit_code !== exitCodes.passed && !isPrinted) printErrors(formatLastLine(outcome));
}

/** Listens once, however many commands a process runs. */
function watchOutput(stream: NodeJS.WriteStream): void {
  if (isWatched.has(stream)) return;
  isWatched.add(stream);
  stream.on("error", (error) => handleLostOutput(stream, error));
}

/**
 * Handles an output that cannot be written. A reader that has read enough, as `head` does, causes no error: the command continues to its own end.
 * Otherwise, such as on a full disk, the command ends with 4.
 */
function handleLostOutput(stream: NodeJS.WriteStream, { code = "unknown error" }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || lostStreams.has(stream)) return;
  lostStreams.add(stream);
  process.on("exit", () => {
    process.exitCode = exitCodes["harness-error"];
  });
  if (stream === process.stdout) printErrors(`counterpart: Standard output cannot be written (${code}).`);
}

const isWatched = new Set<NodeJS.WriteStream>();
const lostStreams = new Set<NodeJS.WriteStream>();

function listCommands(program: Command): Command[] {
  return [program, ...program.commands.flatMap(listCommands)];
}

function readExitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes["bad-input"];
  printErrors(`counterpart: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes["harness-error"];
}
