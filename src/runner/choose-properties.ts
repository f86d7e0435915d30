import type { VerifyOptions } from "./options.js";
import type { Property } from "./property/property.js";
import type { Ledger } from "./scenario/mistakes.js";
import { globbed } from "./scenario/select.js";

const PREFIX = "property:";

/** Whether `only` names properties rather than scenarios. */
export function meansProperties(pattern: string): boolean {
  return pattern.startsWith(PREFIX);
}

/** Whether a run's options ask for properties: all with the whole suite, else those that `only` names. */
export function triesProperties({ only = [], scenarios, runs }: Pick<VerifyOptions, "only" | "scenarios" | "runs">): boolean {
  return runs !== 0 && (only.some(meansProperties) || (only.length === 0 && scenarios === undefined));
}

/** The properties that a run's options select. What they are made of is loaded only for that. */
export async function chooseProperties(
  options: Pick<VerifyOptions, "only" | "scenarios" | "surface" | "shard" | "runs">,
  ledger: Ledger,
): Promise<Property[]> {
  if (!triesProperties(options)) return [];
  const { only = [], surface, shard } = options;
  const patterns = only.filter(meansProperties);
  const { properties } = await import("./properties.js");
  return properties
    .filter(({ id }) => patterns.length === 0 || patterns.some((pattern) => globbed(pattern, PREFIX + id)))
    .filter(({ proves }) => surface === undefined || proves.some((clause) => ledger[clause]?.surface.includes(surface)))
    .filter((_, index) => !shard || index % shard.of === shard.index - 1);
}
