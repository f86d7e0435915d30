import { parseLine, textLinesOf } from "../../../common/json-lines.js";
import { validatorOf } from "../../schema.js";
import type { EndLine, EventLine, RunLine, TraceLine } from "./line.js";

/** The events of one scenario, and the run that it belongs to. */
export interface ScenarioTrace {
  run: RunLine;
  scenario: string;
  lines: EventLine[];
}

/** The end of a run, below its scenarios. */
export interface RunEnd {
  run: RunLine;
  end: EndLine;
}

/** Reads a trace scenario by scenario, each run with its end; where a line is none of a trace it says so and ends. */
export async function* readTrace(path: string): AsyncGenerator<ScenarioTrace | RunEnd | { mistake: string }> {
  const valid = validatorOf("trace");
  const seen = new Set<string>();
  let run: RunLine | undefined;
  let isEmpty = false; // no scenario stands below the line of the run
  let current: ScenarioTrace | undefined;
  for await (const text of textLinesOf(path)) {
    const { number } = text;
    const line = parseLine(text);
    if (!line.ok) return yield { mistake: `line ${number} ${line.why}` };
    if (!valid(line.value)) {
      yield { mistake: `line ${number} is none of a trace: ${valid.errors?.[0]?.instancePath} ${valid.errors?.[0]?.message}` };
      return;
    }
    const known = line.value as TraceLine;
    if (current && (known.kind === "run" || known.kind === "end" || known.scenario !== current.scenario)) {
      yield current;
      current = undefined;
      isEmpty = false;
    }
    if (known.kind === "run") {
      if (run && isEmpty) return yield { mistake: `line ${number} begins another run, and the one before it holds nothing` };
      run = known;
      isEmpty = true;
      continue;
    }
    const wrong = !run
      ? "stands before the line of its run"
      : known.kind !== "end" && !current && seen.has(known.scenario)
        ? "is of a scenario that was there before"
        : undefined;
    if (!run || wrong !== undefined) {
      yield { mistake: `line ${number} ${wrong}` };
      return;
    }
    if (known.kind === "end") {
      yield { run, end: known };
      run = undefined;
      continue;
    }
    seen.add(known.scenario);
    current ??= { run, scenario: known.scenario, lines: [] };
    current.lines.push(known);
  }
  if (current) yield current;
}
