import { createMask } from "../mask.js";
import type { Run } from "../play/run.js";
import { startRun } from "../start.js";
import type { RunLine } from "../trace/line.js";
import type { Told } from "../trace/read.js";
import { replay } from "../trace/replay.js";

/** What a play on a trace came to, without secrets, and where it departed from what was told. */
export interface PlayedAgain<Result> {
  result?: Result;
  departure?: string;
}

/** Plays on what was told, as it was begun; nothing is sent. */
export async function playTold<Result>(
  { run: line, lines }: Told,
  play: (run: Run, unique: string) => Promise<Result>,
): Promise<PlayedAgain<Result>> {
  const [first] = lines;
  if (first?.kind !== "begin") return { departure: "its first line does not say how it began" };
  const { run, departure } = replay(runOf(line), lines);
  const result = run.mask.hideIn(await play(run, first.unique));
  const departed = departure();
  return { result, ...(departed !== undefined && { departure: departed }) };
}

function runOf({ target, profile, max_wait_s, deadline = Number.POSITIVE_INFINITY }: RunLine): Run {
  const nobody = { send: () => Promise.reject(new Error("nothing is sent when a trace is judged")), close: async () => {} };
  return { ...startRun({ profile, maxWait: max_wait_s, env: {} }, target, nobody, createMask()), deadline };
}
