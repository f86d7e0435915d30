import { existsSync } from "node:fs";
import type { Command } from "commander";
import { besideMock } from "./beside-mock.js";
import { stop } from "./run.js";
import { addTargetOptions, examine, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile">;

/** `counterpart replay FILE [URL]`: plays one scenario file again, on a server or on a mock that is started for it. */
export function addReplay(program: Command): void {
  const command = program
    .command("replay")
    .description("play one scenario file again")
    .argument("<file>", "the scenario file")
    .argument("[url]", "address of its API host; without one and without --target a mock is started");
  addTargetOptions(command).action(replay);
}

async function replay(file: string, url: string | undefined, flags: Flags): Promise<void> {
  if (!existsSync(file)) return stop(`${file} cannot be read: there is no such file.`);
  const play = (at: string | undefined) => examine(at, { ...flags, only: [file], report: [] });
  if (url !== undefined || flags.target !== undefined) return play(url);
  await besideMock((mock) => play(mock.api_url));
}
