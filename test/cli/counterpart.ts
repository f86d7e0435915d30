import { execFile } from "node:child_process";
import { join } from "node:path";
import { format } from "node:util";
import { createCommandLine } from "../../src/cli/program.js";
import { run } from "../../src/cli/run.js";
import { packageRoot } from "../../src/contract/load.js";

/** The exit code of a command, and its output. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** The command line as the package ships it, in few files: it starts in half the time of the compiled modules. */
export const main = join(packageRoot, "dist/bundled/cli/main.js");

/** A person's environment: in CI a run that draws cases wants a seed. */
const ownEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, CI: "" });

/** Runs a command line to its end, as a person would, but in this process: to start one takes longer than most commands. */
export function counterpart(...args: string[]): Promise<Ended> {
  return counterpartIn(ownEnvironment(), ...args);
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a command line to its end in an environment. One after the other, as all have the one output and exit code of this process. */
export function counterpartIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  const ended = last.then(() => runHere(env, args));
  last = ended.catch(() => {});
  return ended;
}

/**
 * Runs the built command line to its end in a separate process: for tests of the process, or of programs that it starts and that write to its
 * output.
 */
export function counterpartProcess(...args: string[]): Promise<Ended> {
  return counterpartProcessIn(ownEnvironment(), ...args);
}

/** Starts a command with environment variables. Only a new process reads some of them. */
export function counterpartProcessIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

async function runHere(env: NodeJS.ProcessEnv, args: string[]): Promise<Ended> {
  const output = { out: "", err: "" };
  const putBack = [takeOutput(output), takeSignals(), take(process, "env", env), take(process, "exitCode", undefined)];
  try {
    await run(createCommandLine(), [process.execPath, main, ...args]);
    return { code: Number(process.exitCode ?? 0), ...output };
  } finally {
    for (const restore of putBack) restore();
  }
}

/** Collects the output of this process. Returns a function that restores the output. */
function takeOutput(output: { out: string; err: string }): () => void {
  const write = (to: "out" | "err") => (text: unknown) => {
    output[to] += String(text);
    return true;
  };
  const putBack = [
    take(process.stdout, "write", write("out")),
    take(process.stderr, "write", write("err")),
    take(process.stdout, "isTTY", false),
    take(process.stderr, "isTTY", false),
    take(console, "log", (...parts) => void write("out")(`${format(...parts)}\n`)),
    take(console, "error", (...parts) => void write("err")(`${format(...parts)}\n`)),
  ];
  return () => {
    for (const restore of putBack) restore();
  };
}

/** A command that waits for a signal runs until its process ends. */
function takeSignals(): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  return () => {
    for (const [at, signal] of signals.entries())
      for (const listener of process.listeners(signal)) if (!before[at]?.includes(listener)) process.off(signal, listener);
  };
}

function take<T extends object, K extends keyof T>(from: T, name: K, instead: T[K]): () => void {
  const before = from[name];
  from[name] = instead;
  return () => {
    from[name] = before;
  };
}
