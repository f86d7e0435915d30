import { isDeepStrictEqual } from "node:util";
import type { SeriesRequest, Step } from "../scenario/format.js";

/**
 * All that a case has played, up to the step that a failure judges, each as the failure has it where it has it: what a failure needs is not
 * always what it names. Undefined where the failure has steps that were not played, or in another order, as nobody knows where those belong.
 */
export function withWholeCase(played: readonly Step[], failure: readonly Step[]): Step[] | undefined {
  const named = failure.flatMap(onePerRequest);
  const whole: Step[] = [];
  let left = played;
  for (const step of named.toReversed()) {
    const place = left.findLastIndex((one) => isSameRequest(one, step));
    if (place < 0) return undefined;
    // what came after the judged step is not needed
    if (whole.length > 0) whole.unshift(...left.slice(place + 1));
    whole.unshift(whole.length > 0 ? joined(left[place] as Step, step) : step);
    left = left.slice(0, place);
  }
  return [...left, ...whole];
}

/** A burst stands for so many requests. */
function onePerRequest(step: Step): Step[] {
  const { burst } = step;
  if (!burst) return [step];
  const { requests, n, ...common } = burst;
  return Array.from(
    { length: n },
    (_, at) => ({ ...common, ...requests?.[at % requests.length] }) satisfies Partial<SeriesRequest>,
  );
}

/** Whether two steps do the same, whatever is expected or kept of the answer. */
function isSameRequest(one: Step, other: Step): boolean {
  return isDeepStrictEqual(requestPartOf(one), requestPartOf(other));
}

function requestPartOf({
  id,
  given,
  expect,
  save,
  saveKey,
  asIs,
  effect,
  until,
  observe,
  inconclusiveIf,
  control,
  proves,
  ...act
}: Step) {
  return act;
}

/** What the failure says of a step goes before what was seen of it. */
function joined({ save, saveKey, ...seen }: Step, named: Step): Step {
  const [saves, keys] = [
    { ...save, ...named.save },
    { ...saveKey, ...named.saveKey },
  ];
  return {
    ...seen,
    ...named,
    ...(Object.keys(saves).length > 0 && { save: saves }),
    ...(Object.keys(keys).length > 0 && { saveKey: keys }),
  };
}
