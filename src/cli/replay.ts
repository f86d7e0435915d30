import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { besideMock } from "./beside-mock.js";
import { stop } from "./run.js";
import { addTargetOptions, examine, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile">;

/** `counterpart replay FILE|TOKEN [URL]`: executes one scenario file or counterexample again, on a server or on a mock that is started for it. */
export function addReplay(program: Command): void {
  const command = program
    .command("replay")
    .description("play one scenario or counterexample again")
    .argument("<file|token>", "the scenario file, or the word that a report gives for a counterexample")
    .argument("[url]", "address of its API host; without one and without --target a mock is started");
  addTargetOptions(command).action(replay);
}

async function replay(what: string, url: string | undefined, flags: Flags): Promise<void> {
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
  const execute = (at: string | undefined) => examine(at, { ...flags, only: [file], runs: 0, report: [] });
  if (url !== undefined || flags.target !== undefined) return execute(url);
  await besideMock((mock) => execute(mock.api_url));
}
