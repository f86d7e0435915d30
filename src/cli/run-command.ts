import { spawn } from "node:child_process";
import { constants } from "node:os";

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a command to its end and passes signals on. If a signal ended it, the code is the shell's: 128 plus the signal's number. */
export function runCommand(
  [program, ...args]: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number } | { problem: string }> {
  const child = spawn(program!, args, { stdio: "inherit", env });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise<{ code: number } | { problem: string }>((resolve) => {
    child.once("error", (error) => resolve({ problem: `Cannot run ${program}: ${error.message}.` }));
    child.once("exit", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal!] }));
  }).finally(() => {
    for (const signal of forwardedSignals) process.off(signal, forward);
  });
}
