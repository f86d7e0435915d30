import { parseSeconds, type Step } from "../scenario/format.js";
import { interpolateText } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { formatMismatches } from "./check.js";
import { describeWaitLimit, pause } from "./clock.js";
import type { Execution } from "./execution.js";
import { judge } from "./judge.js";
import type { SendResult } from "./send-result.js";

/** Sends the request of a step until its expectation holds or its time is over. Returns the last response. */
export async function poll(
  execution: Execution,
  { text: { expect, given } }: CompiledStep,
  until: NonNullable<Step["until"]>,
  send: () => Promise<SendResult>,
): Promise<SendResult> {
  const [within, every] = [until.within, until.every ?? "1s"].map((duration) =>
    parseSeconds(interpolateText(duration, execution.look)),
  ) as [number, number];
  const awaited = expect ?? given ?? {};
  const { run, environment } = execution;
  const budget = environment.target.clock ? Number.POSITIVE_INFINITY : run.maxWaitSeconds;
  for (let passedSeconds = 0; ; passedSeconds += every) {
    const result = await send();
    if (!result.ok) return result;
    const { mismatches, empty } = judge(execution, awaited, result.response);
    if ((mismatches.length === 0 && empty.length === 0) || passedSeconds + every > within) return result;
    const { request } = result;
    if (passedSeconds + every > budget)
      return {
        ok: false,
        request,
        why: describeWaitLimit(run, `the expectation did not hold before: ${formatMismatches(mismatches)}`),
      };
    const waitResult = await pause(run, environment, every, "the expected answer");
    if (!waitResult.ok) return { ok: false, request, why: waitResult.why };
    execution.served.noteEvent();
    passedSeconds += waitResult.lateSeconds ?? 0;
  }
}
