import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { interpolateExpected } from "../../engine/scenario/interpolate.js";
import { createFailure, createInconclusive } from "../laws/outcome.js";
import { type Assertion, prepare } from "../laws/steps.js";
import { findToolBindings } from "../request-rules.js";
import { matchResponseTo } from "../response-rules.js";
import type { RowOutcome } from "./pair-table.js";

/** One row from its setup to its assertions. */
export interface Script {
  setup: readonly Step[];
  assertions: readonly RowAssertion[];
}

/** An assertion of a row; `excused` lists statuses that show nothing about the row. If `voidedBy` matches after a failure, neither does the failure. */
export type RowAssertion = Assertion & { excused?: readonly number[]; voidedBy?: Assertion["step"] };

/** Statuses of refusals for credit, rate or an outage, which show nothing about other rules. */
export const UNJUDGED_STATUSES: readonly number[] = [402, 429, 503];

/** Returns an inconclusive outcome if the target lacks a need, or a binding that a tool call of the steps needs. */
export function findUnmetNeed(
  sut: SystemUnderTest,
  steps: readonly Step[],
  needs: readonly string[] = [],
): RowOutcome | undefined {
  const bindings = steps.flatMap(({ mcp }) => (mcp ? findToolBindings(mcp) : [])).map((name) => `binding.${name}`);
  const missing = [...needs, ...bindings].find((need) => !sut.offers(need));
  return missing === undefined ? undefined : createInconclusive(`the target offers no ${missing}`);
}

/** Runs a row. A failure contains all earlier steps. */
export async function runScript(sut: SystemUnderTest, { setup, assertions }: Script): Promise<RowOutcome> {
  const unmet = findUnmetNeed(sut, [...setup, ...assertions.map(({ step }) => step)]);
  if (unmet) return unmet;
  const setupFailure = await prepare(sut, setup);
  if (setupFailure?.verdict === "inconclusive") return createInconclusive(setupFailure.why);
  const steps: Step[] = [...setup];
  for (const { step, clauses, why, excused = [], voidedBy } of assertions) {
    const stepResult = await sut.send(step);
    if (!stepResult.ok) return createInconclusive(stepResult.why);
    if (excused.includes(stepResult.response.status))
      return createInconclusive(`status ${stepResult.response.status} shows nothing about the row`);
    const { mismatches, empty } = matchResponseTo(interpolateExpected(step.expect, sut.lookup), stepResult.response);
    if (empty.length > 0) return createInconclusive(empty.join("; "));
    const [first] = mismatches;
    if (first && voidedBy && (await matches(sut, voidedBy)))
      return createInconclusive(`${why}, but the state has changed meanwhile`);
    if (first) return createFailure(clauses, `${why} (${first.at}: ${first.actual})`, [...steps, step]);
    const { expect, ...rest } = step;
    steps.push({ ...rest, given: expect });
  }
  return { verdict: "passed", judged: true };
}

async function matches(sut: SystemUnderTest, step: Assertion["step"]): Promise<boolean> {
  const stepResult = await sut.send(step);
  return (
    stepResult.ok && matchResponseTo(interpolateExpected(step.expect, sut.lookup), stepResult.response).mismatches.length === 0
  );
}
