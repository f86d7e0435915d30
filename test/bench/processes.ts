import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

/** The cores of a measurement: the measured program has one alone, the load tools have the other. `any`: both. */
export type Core = "server" | "load" | "any";

/** A command with its arguments. */
export type CommandLine = [command: string, ...args: string[]];

/** A server in a separate process. */
export interface Server {
  url: string;
  /** From its start to the end of its first response. */
  firstResponseMs: number;
  /** The first line of its output. */
  firstLine: Promise<string>;
  /** Resident memory in MB, NaN where the system does not report it. */
  memory(): number;
  /** Milliseconds of processor time used so far, in steps of 10; NaN where the system does not report it. */
  processorMs(): number;
  stop(): Promise<void>;
}

const longestStartMs = 60_000;
const running = new Set<ChildProcess>();

/** Whether processes can be bound to a core: on two cores or more, with `taskset`. */
export const canPin: boolean = cpus().length > 1 && isThere("taskset", "--version");

/** Whether a command can be run. */
export function isThere(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Binds this process, and so its requests, to the core of the load. */
export function pinThisProcess(): void {
  if (canPin) execFileSync("taskset", ["-a", "-c", "-p", getCore("load"), String(process.pid)], { stdio: "ignore" });
}

/** Starts a process on a core. It ends with this one at the latest. */
export function start(core: Core, line: CommandLine, cwd?: string): ChildProcess {
  const [command, ...args] = canPin ? (["taskset", "-c", getCore(core), ...line] as CommandLine) : line;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], cwd });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Runs a command to its end and returns its output. Throws its error output if it fails. */
export async function run(core: Core, line: CommandLine, cwd?: string): Promise<string> {
  const child = start(core, line, cwd);
  const said: Buffer[] = [];
  const complaint: Buffer[] = [];
  child.stdout!.on("data", (chunk: Buffer) => said.push(chunk));
  child.stderr!.on("data", (chunk: Buffer) => complaint.push(chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${line.join(" ")} ended with ${code}: ${Buffer.concat(complaint)}`);
  return String(Buffer.concat(said));
}

/**
 * Starts a server on a free port, which its command line names, and waits until it answers `path`. Throws the output of the server if it does
 * not.
 */
export async function startServer(lineOf: (port: number) => CommandLine, path: string, headers = {}): Promise<Server> {
  const port = await freePort();
  const line = lineOf(port);
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = start("server", line);
  const said: Buffer[] = [];
  const firstLine = new Promise<string>((resolve) => {
    child.stdout!.on("data", (chunk: Buffer) => {
      if (said.length < 100) said.push(chunk);
      const text = String(Buffer.concat(said));
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
  child.stderr!.on("data", (chunk: Buffer) => said.length < 100 && said.push(chunk));
  while (!(await respondsTo(url + path, headers))) {
    if (child.exitCode !== null || performance.now() - startedAt > longestStartMs) {
      await stop(child);
      throw new Error(`${line.join(" ")} gave no answer: ${Buffer.concat(said)}`);
    }
    await sleep(2);
  }
  return {
    url,
    firstResponseMs: performance.now() - startedAt,
    firstLine,
    memory: () => sum(child, (pid) => figure(pid, "status", /^VmRSS:\s+(\d+)/m, 1 / 1024)),
    processorMs: () => processorMs(child),
    stop: () => stop(child),
  };
}

/** Binds a process of another program to a core, and ends it with this one. Returns the processor time that it has used. */
export function adopt(core: Core, child: ChildProcess): Server["processorMs"] {
  running.add(child);
  child.once("exit", () => running.delete(child));
  if (canPin) execFileSync("taskset", ["-a", "-c", "-p", getCore(core), String(child.pid)], { stdio: "ignore" });
  return () => processorMs(child);
}

/** Ends every process that still runs. */
export function stopAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

async function respondsTo(url: string, headers: Record<string, string>): Promise<boolean> {
  try {
    const { body } = await request(url, { headers, reset: true });
    await body.dump();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), 3000);
  await ended;
  clearTimeout(timer);
}

function processorMs(child: ChildProcess): number {
  return sum(child, (pid) => figure(pid, "stat", /\) (?:\S+ ){11}(\d+) (\d+)/, 10));
}

/** Adds up what a process and its children use. */
function sum({ pid = 0 }: ChildProcess, use: (pid: number) => number): number {
  let children: number[] = [];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    // not known here
  }
  return [pid, ...children].reduce((total, one) => total + use(one), 0);
}

function getCore(core: Core): string {
  return core === "any" ? "0,1" : core === "server" ? "0" : "1";
}

/** Returns the sum of the values that a pattern matches in a file of Linux's /proc, converted to another unit. Returns nothing on other systems. */
function figure(pid: number, file: string, pattern: RegExp, unit: number): number {
  try {
    const found = pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"));
    return found ? found.slice(1).reduce((sum, digits) => sum + Number(digits), 0) * unit : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
