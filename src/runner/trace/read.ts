import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { compileSchema, readSpec } from "../../contract/load.js";
import type { NotedLine, RunLine, TraceLine } from "./line.js";

/** What one scenario was told, and the run that it belongs to. */
export interface Told {
  run: RunLine;
  scenario: string;
  lines: NotedLine[];
}

/** Reads a trace scenario by scenario; where a line is none of a trace it says so and ends. */
export async function* readTrace(path: string): AsyncGenerator<Told | { mistake: string }> {
  const valid = compileSchema(readSpec("schema/trace.json") as object);
  const seen = new Set<string>();
  let run: RunLine | undefined;
  let told: Told | undefined;
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const line = parse(text);
    if (!valid(line)) {
      yield { mistake: `line ${number} is none of a trace: ${valid.errors?.[0]?.instancePath} ${valid.errors?.[0]?.message}` };
      return;
    }
    const known = line as TraceLine;
    if (told && (known.kind === "run" || known.scenario !== told.scenario)) {
      yield told;
      told = undefined;
    }
    if (known.kind === "run") {
      run = known;
      continue;
    }
    const wrong = !run
      ? "stands before the line of its run"
      : !told && seen.has(known.scenario)
        ? "is of a scenario that was there before"
        : undefined;
    if (!run || wrong !== undefined) {
      yield { mistake: `line ${number} ${wrong}` };
      return;
    }
    seen.add(known.scenario);
    told ??= { run, scenario: known.scenario, lines: [] };
    told.lines.push(known);
  }
  if (told) yield told;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
