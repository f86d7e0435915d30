import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server in a process of its own that has printed its ready line. */
export interface Child<Ready> {
  ready: Ready;
  /** When it was started, on the clock of `performance.now`. */
  startedAt: number;
  /** Resident memory in MB, null where the system does not tell. */
  memory(): number | null;
  /** Milliseconds of processor time used so far, in steps of 10; null where the system does not tell. */
  processorTime(): number | null;
  stop(): Promise<void>;
}

/** Runs node with these arguments and waits for the first line it prints, which is JSON. Throws what it said when it ends before that. */
export async function startChild<Ready>(args: string[]): Promise<Child<Ready>> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const complaint: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaint.push(chunk));
  const line = await Promise.race([firstLine(child), once(child, "close").then(() => null)]);
  if (line === null) throw new Error(`${args.join(" ")} ended before it was ready: ${Buffer.concat(complaint)}`);
  return {
    ready: JSON.parse(line) as Ready,
    startedAt,
    memory: () => figure(child, "status", /^VmRSS:\s+(\d+)/m, 1 / 1024),
    processorTime: () => figure(child, "stat", /\) (?:\S+ ){11}(\d+) (\d+)/, 10),
    stop: () => stop(child),
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  return line;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

/** The sum of what a pattern captures in a file that Linux keeps about a process, in a unit of ours. Other systems keep none. */
function figure({ pid }: ChildProcess, file: string, pattern: RegExp, unit: number): number | null {
  try {
    const found = pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"));
    return found ? found.slice(1).reduce((sum, digits) => sum + Number(digits), 0) * unit : null;
  } catch {
    return null;
  }
}
