import { isDeepStrictEqual } from "node:util";
import type { RequestText, Step } from "../../../engine/scenario/format.js";

/** Replaces repeated steps by bursts, each of which ends at the first refusal. */
export function groupBursts(steps: readonly Step[]): Step[] {
  const runs: { step: Step; times: number }[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last && isRequest(step) && isDeepStrictEqual(last.step, step)) last.times += 1;
    else runs.push({ step, times: 1 });
  }
  return runs.map(({ step, times }) => (times === 1 ? createSingle(step) : createBurst(step, times)));
}

/** Returns a step that accepts every response, so that the steps after it run. */
function createSingle({ save: _s, ...step }: Step): Step {
  return isRequest(step) ? { ...step, given: { status: "any" } } : step;
}

/** Returns a repeated request as one step. */
function createBurst({ effect, retry: _, save: _s, ...request }: Step, times: number): Step {
  return { burst: { ...(request as RequestText), n: times }, ...(effect && { effect }) };
}

function isRequest({ rest, mcp }: Step): boolean {
  return rest !== undefined || mcp !== undefined;
}
