import { isDeepStrictEqual } from "node:util";
import type { RequestText, Step } from "../../../engine/scenario/format.js";

/** Steps with those that come several times in a row as one burst each, which ends at the first refusal. */
export function inBursts(steps: readonly Step[]): Step[] {
  const runs: { step: Step; times: number }[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last && isRequest(step) && isDeepStrictEqual(last.step, step)) last.times += 1;
    else runs.push({ step, times: 1 });
  }
  return runs.map(({ step, times }) => (times === 1 ? onceOf(step) : burstOf(step, times)));
}

/** However it comes out, what follows is to be seen. */
function onceOf({ save: _s, ...step }: Step): Step {
  return isRequest(step) ? { ...step, given: { status: "any" } } : step;
}

/** One request again and again as a step. */
function burstOf({ effect, retry: _, save: _s, ...request }: Step, times: number): Step {
  return { burst: { ...(request as RequestText), n: times }, ...(effect && { effect }) };
}

function isRequest({ rest, mcp }: Step): boolean {
  return rest !== undefined || mcp !== undefined;
}
