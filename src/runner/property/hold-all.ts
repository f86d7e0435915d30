import type { Run } from "../play/run.js";
import { type Held, isCut } from "./held.js";
import type { Trial } from "./hold.js";
import type { Property } from "./property.js";

/** Properties that are tried at once where every case has a world of its own. */
const SIDE_BY_SIDE = 3;

/**
 * Tries all properties but those that an earlier run has tried to the end; the order of results is theirs. `onHeld` is told of each. What draws
 * and shrinks cases is loaded when there are any.
 */
export async function holdAll(
  run: Run,
  properties: readonly Property[],
  trial: Trial,
  earlier: ReadonlyMap<string, Held> = new Map(),
  onHeld: () => void = () => {},
): Promise<Held[]> {
  if (properties.length === 0) return [];
  const { hold } = await import("./hold.js");
  const held: Held[] = [];
  const goOn = async (property: Property) => {
    const before = earlier.get(property.id);
    return before && !isCut(before.line) ? before : hold(run, property, trial, before);
  };
  let next = 0;
  const work = async () => {
    for (let index = next++; index < properties.length; index = next++) {
      held[index] = await goOn(properties[index] as Property);
      onHeld();
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return held;
}
