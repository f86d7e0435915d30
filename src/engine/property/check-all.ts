import { runAt } from "../execute/place.js";
import { type Run, whyStopped } from "../execute/run.js";
import type { Executor } from "../execute/scenarios.js";
import { type Changes, NO_CHANGES } from "../pacing/changes.js";
import type { Task } from "../pacing/concurrent-tasks.js";
import type { CheckParameters } from "./check-property.js";
import type { Property } from "./property.js";
import { isIncomplete, type PropertyResult } from "./result.js";

/** Properties that are checked at once where every case has a world of its own. */
const SIDE_BY_SIDE = 3;

/** How properties are checked, and what an earlier run has come to. */
export interface CheckAllParameters extends Omit<CheckParameters, "tracer"> {
  tracer?: Executor | undefined;
  earlier?: ReadonlyMap<string, PropertyResult> | undefined;
  /** Called after each. */
  onProperty?: () => void;
}

/**
 * Checks all properties but those that an earlier run has checked to the end; the order of results is theirs. What draws and shrinks cases is
 * loaded when there are any.
 */
export async function checkAllProperties(
  run: Run,
  properties: readonly Property[],
  { earlier, onProperty, ...parameters }: CheckAllParameters,
): Promise<PropertyResult[]> {
  if (properties.length === 0) return [];
  const { checkProperty } = await import("./check-property.js");
  const results: PropertyResult[] = [];
  const left = properties.entries();
  const work = async () => {
    for (const [index, property] of left) {
      const before = earlier?.get(property.id);
      results[index] = before && !isIncomplete(before.line) ? before : await checkProperty(run, property, parameters, before);
      onProperty?.();
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return results;
}

/** Properties as tasks on a server that all share, as scenarios are; `results` gets them in their order. */
export function propertyTasks(
  run: Run,
  properties: readonly Property[],
  results: PropertyResult[],
  { earlier, onProperty, tracer, ...parameters }: CheckAllParameters,
): Task[] {
  return properties.map((property, index) => ({
    claim: undefined,
    changes: changesOfProperty(property),
    async execute(place) {
      const { checkProperty } = await import("./check-property.js");
      const before = earlier?.get(property.id);
      const draft = tracer?.draft();
      const own = runAt(place.isRetry ? { ...run, id: `${run.id}-again` } : run, place);
      const result =
        before && !isIncomplete(before.line)
          ? before
          : await checkProperty(own, property, { ...parameters, tracer: draft }, before);
      if (place.wasDisturbed() && isOpen(result) && whyStopped(run) === undefined) return "again";
      await draft?.keep();
      results[index] = result;
      onProperty?.();
      return "done";
    },
  }));
}

/** What the cases of a property change; of one that does not say nobody knows, unless they read alone. */
export function changesOfProperty({ effects, changes }: Pick<Property, "effects" | "changes">): Changes {
  if (effects.every((effect) => effect === "read")) return NO_CHANGES;
  return changes ? new Set(changes) : "anything";
}

function isOpen({ line: { verdict } }: PropertyResult): boolean {
  return verdict !== "passed" && verdict !== "not-applicable";
}
