import { matchAnswer } from "../expect/answer.js";
import type { Found, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import { failed, inconclusive } from "./blame.js";

/** A step that must hold, the clauses that it judges, and what is wrong when it does not. */
export interface Claim {
  step: Step & { expect: AnswerText };
  clauses: readonly string[];
  why: string;
}

/** Sends a step and holds its answer against what it expects after steps that it needs, and loose ones; undefined when that is so. */
export async function check(
  scene: Scene,
  { step, clauses, why }: Claim,
  { needed, loose = [] }: { needed: readonly Step[]; loose?: readonly Step[] },
): Promise<Found | undefined> {
  const sent = await scene.send(step);
  if (!sent.ok) return inconclusive(sent.why);
  const { mismatches, hollow } = matchAnswer(interpolate(step.expect, scene.look), sent.response);
  if (hollow.length > 0) return inconclusive(`nothing to judge: ${hollow.join("; ")}`);
  const [first] = mismatches;
  return first && failed(clauses, `${why} (${first.at}: ${first.actual})`, [...loose, ...needed, step]);
}

/** Sends steps that a case needs before it can be judged; the first that is refused says why the case tells nothing. */
export async function prepare(scene: Scene, steps: readonly Step[]): Promise<Found | undefined> {
  for (const step of steps) {
    if (step.drive !== undefined) {
      const driven = await scene.drive(step.drive, step.with ?? {}, step.save);
      if (!driven.ok) return inconclusive(`${step.drive} could not be driven: ${driven.why}`);
      continue;
    }
    const sent = await scene.send(step);
    if (!sent.ok) return inconclusive(sent.why);
    const { mismatches } = matchAnswer(interpolate(step.given ?? { status: "2xx" }, scene.look), sent.response);
    if (mismatches.length > 0)
      return inconclusive(`${step.rest ?? "a tool call"} answered ${sent.response.status} in the set-up`);
    const missing = Object.keys(step.save ?? {}).find((name) => scene.look(name) === undefined);
    if (missing !== undefined) return inconclusive(`nothing to save as ${missing}`);
  }
  return undefined;
}
