import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError } from "commander";
import { exitCodes } from "../common/outcomes.js";
import { formatProblemLines } from "../common/problem.js";
import { formatCallLine } from "../mock/journal/call-line.js";
import type { Entry } from "../mock/journal/read-entry.js";
import type { MockOptions } from "../mock/worlds/options.js";
import { addMockOptions, createFlag, type MockFlags, parseMockOptions, parsePort, parseWholeNumber } from "./mock-options.js";
import { formatReadyLines, type Ready, readAddresses } from "./mock-ready.js";
import { printErrors, printJson, printLines } from "./output.js";
import { stop } from "./run.js";
import { exportSnapshot, startSilentMock } from "./start-mock.js";

interface Flags extends MockFlags {
  port: number;
  appPort?: number;
  docsPort?: number;
  json?: true;
  quiet?: true;
  store?: string;
  workers: number;
  publicUrl?: string;
  publicAppUrl?: string;
  publicDocsUrl?: string;
}

/** Adds `counterpart mock`, which starts the mock server and keeps it running until a signal ends it. */
export function addMock(program: Command): void {
  const command = program.command("mock").description("start the mock server");
  addMockOptions(command)
    .addOption(createFlag("--port <n>", "port of the API host; 0 takes a free one").argParser(parsePort).default(4010))
    .addOption(createFlag("--app-port <n>", "port of the app host (default: --port plus 1)").argParser(parsePort))
    .addOption(createFlag("--docs-port <n>", "port of the docs host (default: --port plus 2)").argParser(parsePort))
    .addOption(createFlag("--store <url>", "share the worlds with other mocks through Redis or Valkey: redis://host:6379"))
    .addOption(
      createFlag("--workers <n>", "number of processes that serve as one mock, each world in one of them")
        .argParser(parseWorkerCount)
        .default(1),
    )
    .addOption(createFlag("--public-url <url>", "address of the API host at a proxy, which the mock then gives as its own"))
    .addOption(createFlag("--public-app-url <url>", "address of the app host at a proxy (default: below --public-url)"))
    .addOption(createFlag("--public-docs-url <url>", "address of the docs host at a proxy (default: below --public-url)"))
    .option("--json", "print one line of JSON when ready")
    .option("--quiet", "print nothing when ready, and no line per call")
    .action(startUntilSignal);
}

async function startUntilSignal(flags: Flags): Promise<void> {
  const shows = !flags.quiet && !flags.json && process.stdout.isTTY;
  const onCall = (entry: Entry, world: string) => printLines(formatCallLine(entry, world));
  if (flags.store && flags.exportOnExit)
    return stop(
      "--export-on-exit writes the worlds of one mock, and with --store another mock may own them. Use one of the two.",
    );
  if (flags.workers > 1) return startWorkers(flags, shows);
  const mock = await startSilentMock({ ...parseOptions(flags), ...(shows && { onCall }) }, flags.store);
  if ("problem" in mock)
    return stop(formatProblemLines(mock), mock.unreachable ? exitCodes["harness-error"] : exitCodes["bad-input"]);
  const end = async () => {
    await mock.close();
    if (flags.exportOnExit) exportSnapshot(mock, flags.exportOnExit);
  };
  runUntilSignal(flags, readAddresses(mock), end);
}

/** Starts several worker processes; this process only passes connections to them. */
async function startWorkers(flags: Flags, shows: boolean): Promise<void> {
  const { workers: count, store, exportOnExit } = flags;
  const { openFront } = await import("../mock/cluster/workers/front.js");
  const program = fileURLToPath(new URL("mock-worker.js", import.meta.url));
  const say = (line: string) => printErrors(`counterpart: ${line}`);
  const front = await openFront({ count, program, options: parseOptions(flags), store, shows, exportOnExit, say });
  if ("problem" in front)
    return stop(formatProblemLines(front), front.unreachable ? exitCodes["harness-error"] : exitCodes["bad-input"]);
  runUntilSignal(flags, front.info as Ready, front.close);
}

/** Prints that the mock is ready, and closes it on a signal. */
function runUntilSignal({ json, quiet }: Flags, ready: Ready, end: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
  if (json) printJson(ready);
  else if (!quiet) printLines(...formatReadyLines(ready));
}

/** Parses the number of workers, at most four per core. */
function parseWorkerCount(text: string): number {
  const count = parseWholeNumber(text);
  const maxWorkers = 4 * availableParallelism();
  if (count >= 1 && count <= maxWorkers) return count;
  throw new InvalidArgumentError(`It must be from 1 to ${maxWorkers}, four per core of this machine.`);
}

function parseOptions(flags: Flags): MockOptions {
  const { port, appPort, docsPort, publicUrl, publicAppUrl, publicDocsUrl } = flags;
  return {
    ...parseMockOptions(flags),
    port,
    ...(appPort !== undefined && { appPort }),
    ...(docsPort !== undefined && { docsPort }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(publicAppUrl !== undefined && { publicAppUrl }),
    ...(publicDocsUrl !== undefined && { publicDocsUrl }),
  };
}
