import type { CaseOutcome, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { interpolate } from "../../engine/scenario/interpolate.js";
import { matchAnswer } from "../answer-rules.js";
import { failed, inconclusive } from "./blame.js";

/** A step that must hold, the clauses that it judges, and what is wrong when it does not. */
export interface Assertion {
  step: Step & { expect: AnswerText };
  clauses: readonly string[];
  why: string;
}

/** Sends a step and holds its answer against what it expects after steps that it needs, and loose ones; undefined when that is so. */
export async function assertAnswer(
  sut: SystemUnderTest,
  { step, clauses, why }: Assertion,
  { needed, loose = [] }: { needed: readonly Step[]; loose?: readonly Step[] },
): Promise<CaseOutcome | undefined> {
  const sent = await sut.send(step);
  if (!sent.ok) return inconclusive(sent.why);
  const { mismatches, hollow } = matchAnswer(interpolate(step.expect, sut.lookup), sent.response);
  if (hollow.length > 0) return inconclusive(`nothing to judge: ${hollow.join("; ")}`);
  const [first] = mismatches;
  return first && failed(clauses, `${why} (${first.at}: ${first.actual})`, [...loose, ...needed, step]);
}
