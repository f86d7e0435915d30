import fc from "fast-check";
import { type Demand, demandsOf } from "../play/demand.js";
import { unmetNeed } from "../play/needs.js";
import type { Run } from "../play/run.js";
import { openCoverage } from "../property/coverage.js";
import type { Property } from "../property/property.js";
import { openScene } from "../property/scene.js";
import { type Step, unfiled } from "../scenario/format.js";
import type { Target } from "../target/target.js";

/** Cases of a property that are played to learn what it sends. */
export const CASES = 3;

/**
 * What `CASES` cases of each property send. They are drawn as for the target and played on another server, which costs nothing; pages and
 * repeated tries come on top.
 */
export async function sampleDemands(
  rehearsal: Run,
  target: Target,
  properties: readonly Property[],
  seed: number,
): Promise<Map<string, Demand[]>> {
  const sampled = new Map<string, Demand[]>();
  for (const property of properties) {
    const coverage = openCoverage();
    const offers = (need: string) => unmetNeed([need], target) === undefined;
    const drawn = fc.sample(property.cases({ coverage, offers }), { numRuns: CASES, seed });
    const sent = await Promise.all(
      drawn.map((one, n) => stepsOf(rehearsal, property, one, `${rehearsal.id}-${property.id}-${n}`)),
    );
    const whole = unfiled({ scenario: property.id, title: property.title, proves: [], steps: sent.flat() });
    sampled.set(property.id, demandsOf(whole));
  }
  return sampled;
}

async function stepsOf(rehearsal: Run, property: Property, drawn: unknown, unique: string): Promise<Step[]> {
  const opened = await openScene(rehearsal, { name: property.id, unique, coverage: openCoverage() });
  if (!opened.ok) return [];
  const { scene, close } = opened;
  const atOnce: Step[] = [];
  const together: typeof scene.together = (steps) => {
    atOnce.push(...steps);
    return scene.together(steps);
  };
  try {
    await property.play({ ...scene, together }, drawn);
    return [...scene.played, ...atOnce];
  } finally {
    await close();
  }
}
