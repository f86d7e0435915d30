import type { CaseOutcome, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { interpolate } from "../../engine/scenario/interpolate.js";
import { matchAnswer } from "../answer-rules.js";
import { inconclusive } from "./blame.js";

/** Sends steps that a case needs before it can be judged; the first that is refused says why the case tells nothing. */
export async function prepare(sut: SystemUnderTest, steps: readonly Step[]): Promise<CaseOutcome | undefined> {
  for (const step of steps) {
    if (step.drive !== undefined) {
      const driven = await sut.drive(step.drive, step.with ?? {}, step.save);
      if (!driven.ok) return inconclusive(`${step.drive} could not be driven: ${driven.why}`);
      continue;
    }
    const sent = await sut.send(step);
    if (!sent.ok) return inconclusive(sent.why);
    const { mismatches } = matchAnswer(interpolate(step.given ?? { status: "2xx" }, sut.lookup), sent.response);
    if (mismatches.length > 0)
      return inconclusive(`${step.rest ?? "a tool call"} answered ${sent.response.status} in the set-up`);
    const missing = Object.keys(step.save ?? {}).find((name) => sut.lookup(name) === undefined);
    if (missing !== undefined) return inconclusive(`nothing to save as ${missing}`);
  }
  return undefined;
}
