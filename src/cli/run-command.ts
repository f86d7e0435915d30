import { spawn } from "node:child_process";
import { constants } from "node:os";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a command to its end, signals passed on; one that a signal ended gives the shell's code for it. */
export function runCommand(
  [program, ...args]: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number } | { problem: string }> {
  const child = spawn(program!, args, { stdio: "inherit", env });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of passedOn) process.on(signal, pass);
  return new Promise<{ code: number } | { problem: string }>((resolve) => {
    child.once("error", (error) => resolve({ problem: `Cannot run ${program}: ${error.message}.` }));
    child.once("exit", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal!] }));
  }).finally(() => {
    for (const signal of passedOn) process.off(signal, pass);
  });
}
