import fc from "fast-check";
import { type Demand, demandsOf, total } from "../play/demand.js";
import { unmetNeed } from "../play/needs.js";
import type { Run } from "../play/run.js";
import { openCoverage } from "../property/coverage.js";
import type { Property } from "../property/property.js";
import { openScene } from "../property/scene.js";
import { type Step, unfiled } from "../scenario/format.js";
import type { Target } from "../target/target.js";

/** Cases of a property that are played to learn what it sends. */
export const CASES = 3;

/** What some cases send: their steps tell to which rates, and the wire how much, pages, tries and greetings of the tool server included. */
interface Sent {
  steps: readonly Step[];
  rest: number;
  tool: number;
}

/** What `CASES` cases of each property send. They are drawn as for the target and played on another server, which costs nothing. */
export async function sampleDemands(
  rehearsal: Run,
  target: Target,
  properties: readonly Property[],
  seed: number,
): Promise<Map<string, Demand[]>> {
  const sampled = new Map<string, Demand[]>();
  for (const property of properties) {
    const offers = (need: string) => unmetNeed([need], target) === undefined;
    const drawn = fc.sample(property.cases({ coverage: openCoverage(), offers }), { numRuns: CASES, seed });
    const sent = await Promise.all(drawn.map((one, n) => play(rehearsal, property, one, `${rehearsal.id}-${property.id}-${n}`)));
    sampled.set(property.id, sent.flatMap(asDemands));
  }
  return sampled;
}

async function play(rehearsal: Run, property: Property, drawn: unknown, unique: string): Promise<Sent> {
  const sent = { rest: 0, tool: 0 };
  const { wire, target } = rehearsal;
  const send: typeof wire.send = (request, signal) => {
    sent[request.url === target.urls.mcp ? "tool" : "rest"] += 1;
    return wire.send(request, signal);
  };
  const counted = { ...rehearsal, wire: { ...wire, send } };
  const opened = await openScene(counted, { name: property.id, unique, coverage: openCoverage() });
  if (!opened.ok) return { steps: [], ...sent };
  const { scene, close } = opened;
  const atOnce: Step[] = [];
  const together: typeof scene.together = (steps) => {
    atOnce.push(...steps);
    return scene.together(steps);
  };
  try {
    await property.play({ ...scene, together }, drawn);
    return { steps: [...scene.played, ...atOnce], ...sent };
  } finally {
    await close();
  }
}

function asDemands({ steps, ...sent }: Sent): Demand[] {
  const demands = demandsOf(unfiled({ scenario: "sample", title: "Sample", proves: [], steps: [...steps] }));
  return (["rest", "tool"] as const).flatMap((kind) => {
    const own = demands.filter(({ tool }) => tool === (kind === "tool"));
    const factor = sent[kind] / total(own, "count");
    return own.map((demand) => ({ ...demand, count: demand.count * factor }));
  });
}
