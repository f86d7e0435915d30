import { type Command, Option } from "commander";
import type { Trial } from "../card/compare.js";
import type { CardForm } from "../card/report.js";
import type { Mock } from "../mock/mock-world.js";
import { openMock } from "./beside-mock.js";
import { cardFlag, givesFindings, printCards } from "./client-cards.js";
import { exportSnapshot } from "./export-snapshot.js";
import { addMockOptions, type MockFlags, mockOptionsOf } from "./mock-options.js";
import { exitCodes, stop } from "./run.js";
import { runCommand } from "./run-command.js";

interface Flags extends MockFlags {
  clientReport?: CardForm[];
  out?: string;
}

/** `counterpart exec -- CMD`: runs a command beside a mock on free ports, and ends as the command ends. */
export function addExec(program: Command): void {
  const command = program
    .command("exec")
    .description("start a mock, export its addresses and keys to a command, pass on its exit code");
  addMockOptions(command)
    .addOption(cardFlag("what the command did that the contract forbids or discourages, and what it never met"))
    .addOption(new Option("--out <dir>", "where the client's report is written instead of printed"))
    .argument("<command...>", "the command and its arguments, after --")
    .action(runBeside);
}

async function runBeside(command: string[], flags: Flags): Promise<void> {
  const end = flags.clientReport ? await runForReport(command, flags) : await runOnce(command, flags);
  if ("problem" in end) return stop(end.problem);
  process.exitCode = end.exitCode;
  if (!flags.clientReport) return;
  await printCards(end.report, flags.clientReport, flags.out);
  if (end.exitCode === 0 && givesFindings(end.report)) process.exitCode = exitCodes.findings;
}

/** With `--grease` the command runs twice, plain and greased, so that what it leans on shows. */
async function runForReport(command: string[], flags: Flags): Promise<Trial | { problem: string }> {
  const { grease, ...plain } = flags as Flags & { grease?: unknown };
  const first = await runOnce(command, plain);
  if (grease === undefined || "problem" in first) return first;
  const second = await runOnce(command, flags);
  if ("problem" in second) return second;
  const { compareTrials } = await import("../card/compare.js");
  return { report: compareTrials(first, second), exitCode: first.exitCode || second.exitCode };
}

async function runOnce(command: string[], flags: MockFlags): Promise<Trial | { problem: string }> {
  const mock = await openMock(mockOptionsOf(flags));
  if ("problem" in mock) return mock;
  const end = await runCommand(command, { ...process.env, ...environmentOf(mock) });
  const report = mock.clientReport();
  await mock.close();
  if (flags.exportOnExit) exportSnapshot(mock, flags.exportOnExit);
  return "problem" in end ? end : { exitCode: end.code, report };
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
