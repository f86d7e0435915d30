import { showsList } from "../../engine/http/exchange.js";
import type { CaseOutcome, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Step } from "../../engine/scenario/format.js";
import { interpolateExpected } from "../../engine/scenario/interpolate.js";
import { matchResponseTo } from "../response-rules.js";
import { createFailure, createInconclusive } from "./outcome.js";

/** Sends the steps that a case needs. Returns the inconclusive outcome of the first one that fails. */
export async function prepare(sut: SystemUnderTest, steps: readonly Step[]): Promise<CaseOutcome | undefined> {
  for (const step of steps) {
    const failure = await send(sut, step);
    if (!failure) continue;
    const { why, isList } = failure;
    if (!isList || !step.otherwise || !sut.offers(`drive.${step.otherwise.drive}`)) return createInconclusive(why);
    const next = await send(sut, step.otherwise);
    if (next) return createInconclusive(`${why}; then ${next.why}`);
  }
  return undefined;
}

/** Why a step failed. `isList`: the response is a list, but a value is missing or different. */
interface StepFailure {
  why: string;
  isList?: boolean;
}

/** Sends one step and saves its values. Returns why it failed; undefined if it succeeded. */
async function send(sut: SystemUnderTest, step: Step): Promise<StepFailure | undefined> {
  if (step.drive !== undefined) {
    const hookResponse = await sut.drive(step.drive, step.with ?? {}, step.save);
    return hookResponse.ok ? undefined : { why: `the target could not run the event ${step.drive}: ${hookResponse.why}` };
  }
  const sent = await sut.send(step);
  if (!sent.ok) return { why: sent.why };
  const { status } = sent.response;
  const isList = showsList(sent.response);
  const { mismatches } = matchResponseTo(interpolateExpected(step.given ?? { status: "2xx" }, sut.lookup), sent.response);
  if (mismatches.length > 0) return { why: `setup: ${step.rest ?? "a tool call"} returned status ${status}`, isList };
  const missing = Object.keys(step.save ?? {}).find((name) => sut.lookup(name) === undefined);
  return missing === undefined ? undefined : { why: `setup: no value to save as ${missing}`, isList };
}

/** A step that must hold, the clauses that it judges, and the message of the failure. */
export interface Assertion {
  step: Step & { expect: ResponseText };
  clauses: readonly string[];
  why: string;
}

/**
 * Sends a step and compares the response with its expectation. Returns undefined when it matches. `needed` and `loose` are the earlier steps of a
 * counterexample.
 */
export async function assertResponse(
  sut: SystemUnderTest,
  { step, clauses, why }: Assertion,
  { needed, loose = [] }: { needed: readonly Step[]; loose?: readonly Step[] },
): Promise<CaseOutcome | undefined> {
  const sent = await sut.send(step);
  if (!sent.ok) return createInconclusive(sent.why);
  const { mismatches, empty } = matchResponseTo(interpolateExpected(step.expect, sut.lookup), sent.response);
  if (empty.length > 0) return createInconclusive(`nothing to judge: ${empty.join("; ")}`);
  const [first] = mismatches;
  return first && createFailure(clauses, `${why} (${first.at}: ${first.actual})`, [...loose, ...needed, step]);
}
