import { openKeptSessions } from "../execute/kept-sessions.js";
import { closeKeptSessions } from "../execute/mcp-sessions.js";
import { obstacle } from "../execute/obstacle.js";
import type { Run } from "../execute/run.js";
import { preflight } from "../preflight/preflight.js";
import type { Suite } from "../suite.js";
import { judgeEvidence } from "../verdict/judge.js";
import { close } from "./close.js";
import { startRun, withTarget } from "./connect.js";
import { evidenceOf } from "./evidence.js";
import { execute } from "./execute.js";
import type { RunResult, VerifyOptions } from "./options.js";
import { estimateDuration } from "./plan/duration.js";
import { prepare, type RunInput } from "./prepare.js";
import { bundleParts, openRecorders } from "./recorders.js";
import { continueFrom } from "./resume.js";
import { write } from "./write.js";

export type { RunResult, VerifyOptions } from "./options.js";

/** Examines one server: says what it found, or in a sentence why nothing was examined. Never throws for what a server or a user does. */
export async function verify(suite: Suite, options: VerifyOptions): Promise<RunResult> {
  const prepared = await prepare(suite, options);
  if (!prepared.ok) return { exitCode: 2, messages: prepared.mistakes };
  const { input } = prepared;
  return withTarget(suite, options, async (target, wire) => {
    const run = { ...startRun(suite, options, target, wire), keptSessions: openKeptSessions(target) };
    const other = input.earlier && continueFrom(input.earlier, run);
    if (other) return { exitCode: 2, messages: [other.mistake] };
    return examineIfReady(suite, options, input, run).finally(() => closeKeptSessions(run));
  });
}

/** Examines a server, unless the preflight says why not. */
async function examineIfReady(suite: Suite, options: VerifyOptions, input: RunInput, run: Run): Promise<RunResult> {
  const { target } = run;
  const ready = options.preflight === false ? { notes: [], target } : await preflight(suite, run, input.scenarios, options);
  if (ready.stop) return { exitCode: ready.stop.exitCode, messages: run.mask.hideIn([ready.stop.why, ...ready.notes]) };
  return examine(suite, options, input, { ...run, target: ready.target }, ready.notes);
}

/** Examines a server that is ready, and keeps records of it. */
async function examine(
  suite: Suite,
  options: VerifyOptions,
  input: RunInput,
  ready: Run,
  notes: readonly string[],
): Promise<RunResult> {
  const opened = await openRecorders(suite, options, input, ready);
  if (!opened.ok) return opened.result;
  const { records } = opened;
  options.onEstimate?.(await minutesOf(suite, options, input, ready));
  try {
    const startedAt = new Date();
    const results = await execute(suite, options, input, records);
    const evidence = evidenceOf(suite, options, input, records, { startedAt, notes, ...results });
    const judgement = judgeEvidence(suite, evidence);
    const written = await write(suite, options, judgement, () => bundleParts(suite, input, records, evidence));
    return close(suite, input, ready, written);
  } finally {
    await records.close();
  }
}

/** For how many minutes the scenarios wait that nothing stands in the way of. */
async function minutesOf(suite: Suite, { shard }: VerifyOptions, { scenarios }: RunInput, run: Run): Promise<number> {
  const clear = scenarios.filter((scenario) => !obstacle(run, scenario));
  return (await estimateDuration(suite, run.target, shard, clear)).expected;
}
