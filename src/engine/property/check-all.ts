import type { Run } from "../execute/run.js";
import type { CheckParameters } from "./check-property.js";
import type { Property } from "./property.js";
import { isCut, type PropertyResult } from "./result.js";

/** Properties that are checked at once where every case has a world of its own. */
const SIDE_BY_SIDE = 3;

/**
 * Checks all properties but those that an earlier run has checked to the end; the order of results is theirs. `onProperty` is called after each.
 * What draws and shrinks cases is loaded when there are any.
 */
export async function checkAllProperties(
  run: Run,
  properties: readonly Property[],
  parameters: CheckParameters,
  earlier: ReadonlyMap<string, PropertyResult> = new Map(),
  onProperty: () => void = () => {},
): Promise<PropertyResult[]> {
  if (properties.length === 0) return [];
  const { checkProperty } = await import("./check-property.js");
  const results: PropertyResult[] = [];
  const left = properties.entries();
  const work = async () => {
    for (const [index, property] of left) {
      const before = earlier.get(property.id);
      results[index] = before && !isCut(before.line) ? before : await checkProperty(run, property, parameters, before);
      onProperty();
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return results;
}
