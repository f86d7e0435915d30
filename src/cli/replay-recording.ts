import { closeSync, readSync } from "node:fs";
import { recordingFormat } from "../client-report/recording.js";
import { formatJson } from "../common/escape/visible.js";
import { readTextLines } from "../common/json-lines.js";
import { createOutcome, outcomes } from "../common/outcomes.js";
import { openRegularFile } from "../common/user-file.js";
import type { Replay } from "../mock/replay/replay-lines.js";
import { printJson, printLines } from "./output.js";
import { endProcess, stop } from "./run.js";
import type { StepsForm } from "./show.js";

/** The first characters of each kind of recording. */
const marks = { mock: '{"counterpart_recording":', proxy: `{"format":"${recordingFormat}"` } as const;

/** Returns the command that wrote a recording, by the first characters of the file; undefined for any other file. */
export function findRecorder(file: string): keyof typeof marks | undefined {
  const begin = Buffer.alloc(64);
  try {
    const descriptor = openRegularFile(file);
    readSync(descriptor, begin, 0, begin.length, 0);
    closeSync(descriptor);
  } catch {
    return undefined;
  }
  return (["mock", "proxy"] as const).find((recorder) => begin.toString().startsWith(marks[recorder]));
}

/** Replays a recording of `mock --record` in a new mock. Prints the first response that differs, with exit code 1. */
export async function replayRecording(
  file: string,
  url: string | undefined,
  flags: { target?: string; as: StepsForm },
): Promise<void> {
  if (url !== undefined || flags.target !== undefined)
    return stop("The command replays a recording in a new mock. Leave out the address and --target.");
  const { replayLines } = await import("../mock/replay/replay-lines.js");
  const replay = await replayLines(readTextLines(file));
  if ("problem" in replay) return stop(`${file}, ${replay.problem}`);
  if (flags.as === "json") printJson(replay);
  else printLines(...formatReplay(file, replay));
  const { difference, answers: responses } = replay;
  if (difference) endProcess(createOutcome(outcomes.recording.different, { place: `${file}:${difference.line}` }));
  else endProcess(createOutcome(outcomes.recording.equal, { answers: responses }));
}

function formatReplay(file: string, { entries, answers: responses, worlds, difference, version }: Replay): string[] {
  const summary = `${entries} entries of ${worlds} ${worlds === 1 ? "world" : "worlds"} replayed, ${responses} answers compared`;
  if (!difference) return [`${file}: ${summary}, all equal.`];
  const { line, world, number, entry, where, recorded, now } = difference;
  return [
    `${file}:${line}: ${entry} (entry ${number} of the world ${world}) has another answer now.`,
    `  ${where}`,
    `    recorded  ${formatJson(recorded)}`,
    `    now       ${formatJson(now)}`,
    `${summary}; recorded by version ${version}.`,
  ];
}
