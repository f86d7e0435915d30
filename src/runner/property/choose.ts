import type { Ledger } from "../scenario/mistakes.js";
import { globbed } from "../scenario/select.js";
import type { VerifyOptions } from "../verify.js";
import type { Property } from "./property.js";

const PREFIX = "property:";

/** Whether `only` names properties rather than scenarios. */
export function meansProperties(pattern: string): boolean {
  return pattern.startsWith(PREFIX);
}

/** The properties that a run's options select: all with the whole suite, else those that `only` names. What they are made of is loaded only for that. */
export async function chooseProperties(
  { only = [], scenarios, surface, shard, runs }: Pick<VerifyOptions, "only" | "scenarios" | "surface" | "shard" | "runs">,
  ledger: Ledger,
): Promise<Property[]> {
  const patterns = only.filter(meansProperties);
  const none = runs === 0 || (patterns.length === 0 && (only.length > 0 || scenarios !== undefined));
  if (none) return [];
  const { properties } = await import("./list.js");
  return properties
    .filter(({ id }) => patterns.length === 0 || patterns.some((pattern) => globbed(pattern, PREFIX + id)))
    .filter(({ proves }) => surface === undefined || proves.some((clause) => ledger[clause]?.surface.includes(surface)))
    .filter((_, index) => !shard || index % shard.of === shard.index - 1);
}
