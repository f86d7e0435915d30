import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Command } from "commander";
import type { Mock } from "../mock/mock-world.js";
import { openMock } from "./beside-mock.js";
import { exportSnapshot } from "./export-snapshot.js";
import { addMockOptions, type MockFlags, mockOptionsOf } from "./mock-options.js";
import { stop } from "./run.js";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `counterpart exec -- CMD`: runs a command beside a mock on free ports, and ends as the command ends. */
export function addExec(program: Command): void {
  const command = program
    .command("exec")
    .description("start a mock, export its addresses and keys to a command, pass on its exit code");
  addMockOptions(command).argument("<command...>", "the command and its arguments, after --").action(runBeside);
}

async function runBeside(command: string[], flags: MockFlags): Promise<void> {
  const mock = await openMock(mockOptionsOf(flags));
  if ("problem" in mock) return stop(mock.problem);
  const end = await runCommand(command, { ...process.env, ...environmentOf(mock) });
  await mock.close();
  if (flags.exportOnExit) exportSnapshot(mock, flags.exportOnExit);
  if ("problem" in end) return stop(end.problem);
  if (end.code !== 0 || process.exitCode === undefined) process.exitCode = end.code;
}

/** Runs to the end; a command ended by a signal gives the shell's code for it. */
function runCommand([program, ...args]: string[], env: NodeJS.ProcessEnv): Promise<{ code: number } | { problem: string }> {
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

/** How the command learns where the mock is and with what to call it. */
function environmentOf({ api_url, app_url, docs_url, mcp_url, control_url, keys }: Mock): Record<string, string> {
  const byRole = Object.entries(keys).map(([role, key]) => [`COUNTERPART_KEY_${role.toUpperCase()}`, key]);
  return {
    COUNTERPART_API_URL: api_url,
    COUNTERPART_APP_URL: app_url,
    COUNTERPART_DOCS_URL: docs_url,
    COUNTERPART_MCP_URL: mcp_url,
    COUNTERPART_CONTROL_URL: control_url,
    ...("full" in keys && { COUNTERPART_KEY: keys.full }),
    ...Object.fromEntries(byRole),
  };
}
