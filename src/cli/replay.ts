import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { besideMock } from "./beside-mock.js";
import { printText } from "./output.js";
import { isRecording, replayRecording } from "./replay-recording.js";
import { printResult } from "./report-forms.js";
import { stop } from "./run.js";
import { type StepsForm, shownAs, stepsForm } from "./show.js";
import { addTargetOptions, examine, type VerifyFlags } from "./verify.js";

interface Flags extends Pick<VerifyFlags, "target" | "key" | "profile"> {
  verbose?: true;
  as: StepsForm;
}

/** `counterpart replay FILE|TOKEN [URL]`: executes one scenario file or counterexample again, on a server or on a mock that is started for it. */
export function addReplay(program: Command): void {
  const command = program
    .command("replay")
    .description("play one scenario, counterexample or recorded session again")
    .argument("<file|token>", "the scenario file, the word that a report gives for a counterexample, or what mock --record wrote")
    .argument("[url]", "address of its API host; without one and without --target a mock is started");
  addTargetOptions(command).option("--verbose", "print each exchange too").addOption(stepsForm()).action(replay);
}

async function replay(what: string, url: string | undefined, flags: Flags): Promise<void> {
  if (isRecording(what)) return replayRecording(what, url, flags);
  const { isToken, yamlOfToken } = await import("../engine/property/token.js");
  if (!isToken(what)) return replayFile(what, url, flags);
  const yaml = yamlOfToken(what);
  if (yaml === undefined) return stop("this token is damaged: copy the whole word, from cp1_ to its end.");
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
  if (!existsSync(file)) return stop(`${file} cannot be read: there is no such file.`);
  const { verbose, as, ...target } = flags;
  const asked = { ...target, only: [file], runs: 0, report: [] };
  const execute = (at: string | undefined) => (verbose || as !== "text" ? examineAloud(at, asked, as) : examine(at, asked));
  if (url !== undefined || flags.target !== undefined) return execute(url);
  await besideMock((mock) => execute(mock.api_url));
}

/** Prints what was sent and what came, of every scenario in the file, before the report. */
async function examineAloud(url: string | undefined, flags: VerifyFlags, as: StepsForm): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "counterpart-"));
  try {
    await examine(url, { ...flags, out }, async (result, forms) => {
      const { suite } = await import("../suite/suite.js");
      const { findChecks } = await import("../engine/run/find-checks.js");
      for (const { scenario } of result.report?.scenarios ?? []) {
        const seen = await findChecks(suite, out, scenario);
        if (seen.ok && seen.found) printText(`${await shownAs(as, seen.found)}\n`);
      }
      const messages = result.report ? [] : result.messages;
      if (as === "text" || !result.report) return printResult({ ...result, messages }, forms);
      process.exitCode = result.exitCode;
    });
  } finally {
    rmSync(out, { recursive: true });
  }
}
