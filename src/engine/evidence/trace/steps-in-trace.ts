import { formatJson } from "../../../common/escape/visible.js";
import { parseLine, readTextLines } from "../../../common/json-lines.js";
import { describeReadError } from "../../../common/user-file.js";
import type { ShownExchange, ShownStep } from "../../execute/shown-steps.js";
import { createExcerpt } from "../../http/excerpt.js";
import { createPlaceholder } from "../../http/mask-request.js";
import { findValidator, formatFirstProblem } from "../../schema.js";
import type { EventLine, ExchangeLine } from "./line.js";

const UNLIMITED_SIZE = { lines: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** The steps of a scenario, or the mistake in the trace. */
type StepsResult = { ok: true; steps: readonly ShownStep[] } | { ok: false; mistake: string };

/** Reads the steps of one scenario from a trace, with complete bodies: requests, hooks and waits. Validates only the lines of this scenario. */
export async function readSteps(path: string, scenario: string, defaultRole: string): Promise<StepsResult> {
  const steps: ShownStep[] = [];
  const valid = findValidator("trace");
  const mistake = (number: number, why: string): StepsResult => ({ ok: false, mistake: `${path}:${number}: ${why}` });
  let startedAt: number | undefined;
  const wanted = `"scenario":${formatJson(scenario)},`;
  try {
    for await (const text of readTextLines(path)) {
      if (text.ok && !text.text.includes(wanted)) continue;
      const result = parseLine(text.ok ? { ...text, text: insertVariables(text.text, defaultRole) } : text);
      if (!result.ok) return mistake(text.number, result.why);
      if (!valid(result.value)) return mistake(text.number, `is not a line of a trace: ${formatFirstProblem(valid)}`);
      const line = result.value as EventLine;
      if (line.scenario !== scenario) continue;
      const { step = "environment" } = line;
      if (line.kind === "exchange" && line.with === "service" && line.kept === undefined) {
        startedAt ??= line.started_at;
        steps.push(createExchange(line, step, startedAt));
      } else {
        const event = describeEvent(line);
        if (event !== undefined) steps.push({ step, event });
      }
    }
  } catch (error) {
    return { ok: false, mistake: `${path}: ${describeReadError(error)}` };
  }
  return { ok: true, steps };
}

/** Replaces the placeholders of secrets, such as `***key.ROLE***`, with variables. */
function insertVariables(text: string, defaultRole: string): string {
  return text.replace(/\*\*\*([\w.-]+)\*\*\*/g, (_, name: string) => createPlaceholder(name, defaultRole));
}

function createExchange(
  { request, response, failure, started_at, ended_at }: ExchangeLine,
  step: string,
  startedAt: number,
): ShownExchange {
  const { headers = {}, ...rest } = request;
  const whole = response?.whole && { characters: response.whole.bytes };
  const body = response?.body ?? (response?.base64 === undefined ? "" : `${response.base64} (base64)`);
  return {
    step,
    after_ms: Math.round(started_at - startedAt),
    took_ms: Math.round(ended_at - started_at),
    request: { ...rest, headers },
    ...(response
      ? {
          answer: {
            status: response.status,
            headers: response.headers,
            body: createExcerpt(body, [], UNLIMITED_SIZE).text,
            ...whole,
          },
        }
      : { failure: failure?.message ?? "nothing was received" }),
  };
}

/** Describes an event that is not a request. Returns undefined for events that readers do not need. */
function describeEvent(line: EventLine): string | undefined {
  switch (line.kind) {
    case "exchange":
      if (line.kept !== undefined)
        return `${line.request.method} ${line.request.url}: sent by an earlier execution in the same session`;
      return `hook ${line.request.method} ${line.request.url} → ${line.response?.status ?? `no response: ${line.failure?.message}`}`;
    case "command":
      return `hook ${line.program}${line.why === undefined ? "" : `: ${line.why}`}`;
    case "pause":
      return `a pause of ${line.seconds} s`;
    case "hold":
      return `waited ${line.seconds} s ${line.session ? "while another execution opened the session" : "to stay below a rate limit"}`;
    case "no-budget":
      return "the budget for paid work was used up";
    case "again":
      return `the connection was lost: the ${line.what} ${line.what === "request" ? "was sent" : "was run"} again`;
    case "stop":
      return line.why ?? "the run was stopped";
    case "left-out":
      return `not executed: ${line.reason}`;
    case "begin":
    case "clock":
      return undefined;
    default:
      return line satisfies never;
  }
}
