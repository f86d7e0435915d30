import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { printText } from "./output.js";
import { findRecorder, replayRecording } from "./replay-recording.js";
import { printResult } from "./report-forms.js";
import { stop } from "./run.js";
import { createFormOption, renderCheck, type StepsForm } from "./show.js";
import { runWithMock } from "./start-mock.js";
import { addTargetOptions, type VerifyFlags, verifyServer } from "./verify.js";

interface Flags extends Pick<VerifyFlags, "target" | "key" | "profile"> {
  verbose?: true;
  as: StepsForm;
}

/** Adds `counterpart replay FILE|TOKEN [URL]`, which runs one scenario file, counterexample or recording again, on a server or on a new mock. */
export function addReplay(program: Command): void {
  const command = program
    .command("replay")
    .description("run one scenario, counterexample or recorded session again")
    .argument("<file|token>", "a scenario file, the token of a counterexample from a report, or a recording of mock --record")
    .argument("[url]", "address of the API host; without it and without --target, a mock is started");
  addTargetOptions(command).option("--verbose", "also print each exchange").addOption(createFormOption()).action(replay);
}

async function replay(what: string, url: string | undefined, flags: Flags): Promise<void> {
  const recorder = findRecorder(what);
  if (recorder === "mock") return replayRecording(what, url, flags);
  if (recorder === "proxy")
    return stop(
      `${what} is a recording of counterpart proxy. For a mock with its answers, use counterpart mock --answers ${what}`,
    );
  const { isReplayToken, decodeReplayToken: yamlOfReplayToken } = await import("../engine/property/replay-token.js");
  if (!isReplayToken(what)) return replayFile(what, url, flags);
  const yaml = yamlOfReplayToken(what);
  if (yaml === undefined) return stop("This token is damaged. Copy it from cp1_ to its end.");
  const directory = mkdtempSync(join(tmpdir(), "counterpart-"));
  try {
    const file = join(directory, "counterexample.yaml");
    writeFileSync(file, yaml);
    await replayFile(file, url, flags);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function replayFile(file: string, url: string | undefined, flags: Flags): Promise<void> {
  if (!existsSync(file)) return stop(`${file}: there is no such file. Check the path.`);
  const { isFile } = await import("../engine/scenario/select.js");
  if (!isFile(file)) return stop(`${file} is neither a scenario file (.yaml) nor a recording of counterpart mock --record.`);
  const { verbose, as, ...target } = flags;
  const verifyFlags = { ...target, only: [file], runs: 0, report: [] };
  const execute = (at: string | undefined) =>
    verbose || as !== "text" ? verifyVerbosely(at, verifyFlags, as) : verifyServer(at, verifyFlags);
  if (url !== undefined || flags.target !== undefined) return execute(url);
  await runWithMock((mock) => execute(mock.api_url));
}

/** Prints the exchanges of every scenario in the file, then the report. */
async function verifyVerbosely(url: string | undefined, flags: VerifyFlags, as: StepsForm): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "counterpart-"));
  try {
    await verifyServer(url, { ...flags, out }, async (result, forms) => {
      const { suite } = await import("../suite/suite.js");
      const { findChecks } = await import("../engine/run/find-checks.js");
      for (const { scenario } of result.report?.scenarios ?? []) {
        const findResult = await findChecks(suite, out, scenario);
        if (findResult.ok && findResult.found) printText(`${await renderCheck(as, findResult.found)}\n`);
      }
      const messages = result.report ? [] : result.messages;
      if (as === "text" || !result.report) return printResult({ ...result, messages }, forms);
      process.exitCode = result.exitCode;
    });
  } finally {
    rmSync(out, { recursive: true });
  }
}
