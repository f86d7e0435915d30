import { runAt } from "../execute/place.js";
import { explainStop, type Run } from "../execute/run.js";
import type { Executor } from "../execute/scenarios.js";
import { type Changes, NO_CHANGES } from "../pacing/changes.js";
import type { Task } from "../pacing/concurrent-tasks.js";
import type { CheckParameters } from "./check-property.js";
import type { Property } from "./property.js";
import { isIncomplete, type PropertyResult } from "./result.js";

/** Number of properties that are checked at the same time if every case has its own world. */
const MAX_PARALLEL_SCENARIOS = 3;

/** Options for checking properties. `earlier`: the results of the run that is resumed. */
export interface CheckAllParameters extends Omit<CheckParameters, "tracer"> {
  tracer?: Executor | undefined;
  earlier?: ReadonlyMap<string, PropertyResult> | undefined;
  /** Called with the result of each property. */
  onProperty?: (result: PropertyResult) => void;
}

/** Checks all properties that an earlier run has not completed. Returns the results of all, in order. Loads fast-check only if there is a property. */
export async function checkAllProperties(
  run: Run,
  properties: readonly Property[],
  { earlier, onProperty, ...parameters }: CheckAllParameters,
): Promise<PropertyResult[]> {
  if (properties.length === 0) return [];
  const { checkProperty } = await import("./check-property.js");
  const results: PropertyResult[] = [];
  const remaining = properties.entries();
  const work = async () => {
    for (const [index, property] of remaining) {
      const propertyResultBefore = earlier?.get(property.id);
      const result =
        propertyResultBefore && !isIncomplete(propertyResultBefore.line)
          ? propertyResultBefore
          : await checkProperty(run, property, parameters, propertyResultBefore);
      results[index] = result;
      onProperty?.(result);
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? MAX_PARALLEL_SCENARIOS : 1 }, work));
  return results;
}

/** Converts properties to tasks for a target that all tasks share. Writes each result to `results` at the index of its property. */
export function createPropertyTasks(
  run: Run,
  properties: readonly Property[],
  results: PropertyResult[],
  { earlier, onProperty, tracer, ...parameters }: CheckAllParameters,
): Task[] {
  return properties.map((property, index) => ({
    reservation: undefined,
    changes: listPropertyChanges(property),
    async execute(context) {
      const { checkProperty } = await import("./check-property.js");
      const propertyResultBefore = earlier?.get(property.id);
      const draft = tracer?.draft();
      const ownRun = runAt(context.isRetry ? { ...run, id: `${run.id}-again` } : run, context);
      const result =
        propertyResultBefore && !isIncomplete(propertyResultBefore.line)
          ? propertyResultBefore
          : await checkProperty(ownRun, property, { ...parameters, tracer: draft }, propertyResultBefore);
      if (context.wasDisturbed() && isUnresolved(result) && explainStop(run) === undefined) return "retry";
      await draft?.keep();
      results[index] = result;
      onProperty?.(result);
      return "done";
    },
  }));
}

/** Returns which kinds of resources the cases of a property change: none if they only read, any if the property does not declare them. */
export function listPropertyChanges({ effects, changes }: Pick<Property, "effects" | "changes">): Changes {
  if (effects.every((effect) => effect === "read")) return NO_CHANGES;
  return changes ? new Set(changes) : "anything";
}

function isUnresolved({ line: { verdict } }: PropertyResult): boolean {
  return verdict !== "passed" && verdict !== "not-applicable";
}
