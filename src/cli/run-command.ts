import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { formatJson } from "../common/escape/visible.js";

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command to its end and passes the first signal on. A second signal kills it. If a signal ended it, the code is the shell's: 128 plus
 * the signal's number.
 */
export function runCommand(
  [program, ...args]: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number } | { problem: string }> {
  let child: ChildProcess;
  try {
    child = spawn(program!, args, { stdio: "inherit", env });
  } catch (error) {
    return Promise.resolve({ problem: `Cannot run ${formatJson(program)}: ${(error as Error).message}.` }); // an empty name, or one with NUL
  }
  let isStopping = false;
  const forward = (signal: NodeJS.Signals) => {
    child.kill(isStopping ? "SIGKILL" : signal);
    isStopping = true;
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise<{ code: number } | { problem: string }>((resolve) => {
    child.once("error", (error) => resolve({ problem: `Cannot run ${program}: ${error.message}.` }));
    child.once("exit", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal!] }));
  }).finally(() => {
    for (const signal of forwardedSignals) process.off(signal, forward);
  });
}
