import { type Command, Option } from "commander";
import type { Trial } from "../client-report/compare.js";
import type { ReportForm } from "../client-report/report.js";
import { createTrialCall, type TrialCall } from "../client-report/trial-call.js";
import { createOutcome, outcomes } from "../common/outcomes.js";
import type { Mock } from "../mock/in-process/mock-world.js";
import type { Entry } from "../mock/journal/read-entry.js";
import { createClientReportOption, judgeClient, printClientReport } from "./client-report.js";
import { addMockOptions, type MockFlags, parseMockOptions } from "./mock-options.js";
import { endProcess, stop } from "./run.js";
import { runCommand } from "./run-command.js";
import { exportSnapshot, startSilentMock } from "./start-mock.js";

/** The maximum number of compared calls of a run. */
const maxCompared = 5000;

interface Flags extends MockFlags {
  clientReport?: ReportForm[];
  out?: string;
}

/** Adds `counterpart exec -- CMD`, which runs a command with a mock on free ports, and ends with the command's exit code. */
export function addExec(program: Command): void {
  const command = program
    .command("exec")
    .description("start a mock, export its addresses and keys to a command, and end with its exit code");
  addMockOptions(command)
    .addOption(createClientReportOption("report calls that the contract forbids or discourages, and coverage"))
    .addOption(new Option("--out <dir>", "write the client report to this directory instead of printing it"))
    .argument("<command...>", "the command and its arguments, after --")
    .action(runWithMock);
}

async function runWithMock(command: string[], flags: Flags): Promise<void> {
  if (flags.out !== undefined && !flags.clientReport) return stop("--out is for the client report. Give --client-report too.");
  const ended = flags.clientReport ? await runForReport(command, flags) : await runOnce(command, flags);
  if ("problem" in ended) return stop(ended.problem);
  const { exitCode: code, report } = ended;
  process.exitCode = code;
  if (!flags.clientReport) return;
  await printClientReport(report, flags.clientReport, flags.out);
  if (code !== 0) endProcess(createOutcome(outcomes.exec["command-failed"], { code, requests: report.requests }, code));
  else endProcess(judgeClient(report, outcomes.exec));
}

/** Runs the command; with `--variations` twice, first with plain answers and then with varied ones, and compares both runs. */
async function runForReport(command: string[], flags: Flags): Promise<Omit<Trial, "calls"> | { problem: string }> {
  const { variations, ...plain } = flags as Flags & { variations?: unknown };
  if (variations === undefined) return runOnce(command, plain);
  const first = await runOnce(command, plain, true);
  if ("problem" in first) return first;
  const second = await runOnce(command, flags, true);
  if ("problem" in second) return second;
  const { compareTrials } = await import("../client-report/compare.js");
  return { report: compareTrials(first, second), exitCode: first.exitCode || second.exitCode };
}

/** Runs the command once with a mock. With `compares`, the result has its calls. */
async function runOnce(command: string[], flags: MockFlags, compares = false): Promise<Trial | { problem: string }> {
  const calls: TrialCall[] = [];
  const onCall = (entry: Entry, world: string) => void (calls.length < maxCompared && calls.push(createTrialCall(entry, world)));
  const mock = await startSilentMock({ ...parseMockOptions(flags), ...(compares && { onCall }) });
  if ("problem" in mock) return mock;
  const end = await runCommand(command, { ...process.env, ...createEnvironment(mock) });
  const report = await mock.joinedClientReport();
  await mock.close();
  if (flags.exportOnExit) exportSnapshot(mock, flags.exportOnExit);
  return "problem" in end ? end : { exitCode: end.code, report, calls };
}

/** Returns the environment variables with the mock's addresses and keys. */
function createEnvironment({ api_url, app_url, docs_url, mcp_url, control_url, keys }: Mock): Record<string, string> {
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
