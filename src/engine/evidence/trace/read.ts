import { readTextLines, type TextLine } from "../../../common/json-lines.js";
import { parseStrictJson } from "../../../common/strict-json.js";
import { findValidator, formatFirstProblem } from "../../schema.js";
import { type EndLine, type EventLine, formatLine, type RunLine, type TraceLine } from "./line.js";

/** The events of one scenario, with its run. */
export interface ScenarioTrace {
  run: RunLine;
  scenario: string;
  lines: EventLine[];
}

/** The end of a run. It follows the scenarios of the run. */
export interface RunEnd {
  run: RunLine;
  end: EndLine;
}

/** A mistake in a trace, such as `trace.ndjson:3: is not JSON`. The reader stops after it. */
export interface TraceMistake {
  mistake: string;
}

/** Yields the scenarios of a trace and the end of each run. Yields a mistake and stops if a line is not as this package writes it. */
export async function* readTrace(path: string): AsyncGenerator<ScenarioTrace | RunEnd | TraceMistake> {
  const seen = new Set<string>();
  let number = 0;
  let run: RunLine | undefined;
  let isEmpty = false; // no scenario follows the line of the run
  let current: ScenarioTrace | undefined;
  const mistake = (why: string) => ({ mistake: `${path}:${number}: ${why}` });
  for await (const text of readTextLines(path)) {
    number = text.number;
    const line = parseTraceLine(text);
    if (!line.ok) return yield mistake(line.why);
    const traceLine = line.value;
    if (current && (traceLine.kind === "run" || traceLine.kind === "end" || traceLine.scenario !== current.scenario)) {
      yield current;
      current = undefined;
      isEmpty = false;
    }
    if (traceLine.kind === "run") {
      if (run && isEmpty) return yield mistake("starts another run, but the previous run has no scenario");
      run = traceLine;
      isEmpty = true;
      continue;
    }
    const wrong = !run
      ? "precedes the line of its run"
      : traceLine.kind !== "end" && !current && seen.has(traceLine.scenario)
        ? "belongs to a scenario that has already ended"
        : traceLine.kind !== "end" && traceLine.n !== (current?.lines.length ?? 0)
          ? `is event ${traceLine.n} of its scenario, but event ${current?.lines.length ?? 0} must be next`
          : undefined;
    if (!run || wrong !== undefined) return yield mistake(wrong ?? "");
    if (traceLine.kind === "end") {
      yield { run, end: traceLine };
      run = undefined;
      continue;
    }
    seen.add(traceLine.scenario);
    current ??= { run, scenario: traceLine.scenario, lines: [] };
    current.lines.push(traceLine);
  }
  if (current) yield current;
  if (run || number === 0) yield { mistake: `${path}:${number + 1}: the end of the run is missing` };
}

function parseTraceLine(line: TextLine): { ok: true; value: TraceLine } | { ok: false; why: string } {
  if (!line.ok) return line;
  const parsedStrictJson = parseStrictJson(line.text);
  if (!parsedStrictJson.ok) return parsedStrictJson;
  const valid = findValidator("trace");
  if (!valid(parsedStrictJson.value)) return { ok: false, why: `is not a line of a trace: ${formatFirstProblem(valid)}` };
  if (!line.isEnded) return { ok: false, why: "has no line feed at its end" };
  return formatLine(parsedStrictJson.value as TraceLine) === line.text
    ? { ok: true, value: parsedStrictJson.value as TraceLine }
    : { ok: false, why: "is not in canonical form (no spaces between values, one spelling of each value)" };
}
