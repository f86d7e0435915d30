import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { interpolate } from "../../engine/scenario/interpolate.js";
import { matchAnswer } from "../answer-rules.js";
import type { Assertion } from "../laws/assertion.js";
import { failed } from "../laws/blame.js";
import { prepare } from "../laws/prepare.js";
import { bindingsOfTool } from "../request-rules.js";
import type { RowOutcome } from "./table.js";

/** One row played from its beginning: what is brought about, and what must then be so, step by step. */
export interface Script {
  setUp: readonly Step[];
  assertions: readonly RowAssertion[];
}

/** An assertion of a row; `excused` lists statuses of which the row says nothing. */
export type RowAssertion = Assertion & { excused?: readonly number[] };

/** What a refusal for credit, rate or an outage says of any rule but its own: nothing. */
export const ASIDE: readonly number[] = [402, 429, 503];

/** Plays a row; an answer that contradicts what must be so is shown with all that went before. */
export async function play(sut: SystemUnderTest, { setUp, assertions }: Script): Promise<RowOutcome> {
  const unbound = [...setUp, ...assertions.map(({ step }) => step)].flatMap(({ mcp }) => (mcp ? bindingsOfTool(mcp) : []));
  const missing = unbound.find((name) => !sut.offers(`binding.${name}`));
  if (missing !== undefined) return { verdict: "unsaid", why: `the target offers no binding.${missing}` };
  const unready = await prepare(sut, setUp);
  if (unready?.verdict === "inconclusive") return { verdict: "unsaid", why: unready.why };
  const needed: Step[] = [...setUp];
  for (const { step, clauses, why, excused = [] } of assertions) {
    const sent = await sut.send(step);
    if (!sent.ok) return { verdict: "unsaid", why: sent.why };
    if (excused.includes(sent.response.status)) return { verdict: "unsaid", why: `${sent.response.status} says nothing of it` };
    const { mismatches, hollow } = matchAnswer(interpolate(step.expect, sut.lookup), sent.response);
    if (hollow.length > 0) return { verdict: "unsaid", why: hollow.join("; ") };
    const [first] = mismatches;
    if (first) return failed(clauses, `${why} (${first.at}: ${first.actual})`, [...needed, step]);
    const { expect, ...rest } = step;
    needed.push({ ...rest, given: expect });
  }
  return { verdict: "kept", judged: true };
}
