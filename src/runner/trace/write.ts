import { createHash } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { convict } from "../play/convict.js";
import { type Played, playScenario } from "../play/play.js";
import type { Player } from "../play/play-all.js";
import type { Run } from "../play/run.js";
import type { Scenario } from "../scenario/format.js";
import { record, runLine } from "./record.js";

/** A trace being written, scenario by scenario as they are played, under a name of its own until it is whole. */
export interface Tracer extends Player {
  /** Ends the file; throws what the file system throws, now or before. */
  close(): Promise<Draft>;
  /** Takes the file away, unless it has been renamed. */
  discard(): Promise<void>;
}

/** A file that is whole but not yet under its name. */
export interface Draft {
  path: string;
  sha256: string;
}

/** An earlier trace, and the scenarios that a run takes over from it. */
export interface EarlierTrace {
  path: string;
  scenarios: { has(name: string): boolean };
}

/** Begins the trace of a run in a directory, which is made if need be. Secrets are masked before a line leaves the memory. */
export async function openTrace(directory: string, run: Run, earlier?: EarlierTrace): Promise<Tracer> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, `trace.ndjson.${process.pid}.tmp`);
  const file = await open(path, "w");
  const removeNow = () => rmSync(path, { force: true });
  process.once("exit", removeNow); // of a run that is ended at once
  const digest = createHash("sha256");
  let written: Promise<void> = Promise.resolve();
  const write = (lines: readonly object[]) => writeText(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const writeText = (text: string): Promise<void> => {
    digest.update(text);
    const before = written;
    written = before.then(() => file.appendFile(text));
    return written.catch(() => {}); // told when the file is closed
  };
  for await (const line of earlier ? linesOf(earlier) : []) await writeText(`${line}\n`);
  await write([runLine(run)]);
  return {
    async play(played: Run, scenario: Scenario, unique: string) {
      const recording = record(played, scenario.name, unique);
      const result = await playScenario(recording.run, scenario, unique);
      await write(recording.end());
      return result;
    },
    leaveOut: (played) => write([leftOut(played)]),
    async convict(played: Run, scenario: Scenario, unique: string) {
      const recording = record(played, scenario.name, unique);
      const failed = await convict(recording.run, scenario, unique);
      const lines = recording.end();
      if (failed) await write(lines);
      return failed;
    },
    async close() {
      await written.finally(() => file.close());
      return { path, sha256: digest.digest("hex") };
    },
    async discard() {
      process.off("exit", removeNow);
      await file.close().catch(() => {});
      await rm(path, { force: true });
    },
  };
}

/** The lines of an earlier trace that are taken over, with those of its runs. */
async function* linesOf({ path, scenarios }: EarlierTrace): AsyncGenerator<string> {
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const { kind, scenario = "" } = JSON.parse(text) as { kind: string; scenario?: string };
    if (kind === "run" || scenarios.has(scenario)) yield text;
  }
}

/** The line of a scenario that was not played. */
function leftOut({ scenario, reason = "" }: Played): object {
  return { scenario: scenario.name, n: 0, kind: "left-out", reason };
}
