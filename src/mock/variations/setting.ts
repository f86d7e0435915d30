import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import type { Options } from "../../service/world/world.js";
import { drawsFor } from "./draws.js";

/** What variations is wished for: all of it (drawn by the world's seed, or by one of its own), some of it, or none. */
export type VariationsOption = boolean | number | readonly VariationName[];

/** The names of all variations. */
export const variationNames = Object.keys(contract.legalVariations.variations) as VariationName[];

/** How a wish is written in JSON. */
export const variationsSchema = {
  anyOf: [
    { type: "boolean" },
    { type: "integer", minimum: 0 },
    { type: "array", items: { enum: variationNames }, uniqueItems: true },
  ],
  description:
    "Legal variations that clients forget, see GET /__mock/variations: true for all, a seed of its own, or some by name.",
};

/** What a world is varied with. */
export interface VariationSetting {
  seed: number;
  names: readonly VariationName[];
}

/** The variations that a wish stands for; null for none. */
export function variationSettingOf(wish: VariationsOption | undefined, seed: number): VariationSetting | null {
  if (wish === undefined || wish === false) return null;
  if (typeof wish === "number") return { seed: wish, names: variationNames };
  return { seed, names: wish === true ? variationNames : wish };
}

/** The options of a world that its variations draws, by the seed. */
export function variedOptions(setting: VariationSetting | null): Partial<Options> {
  if (!setting) return {};
  const drawn = setting.names.flatMap((name) =>
    Object.entries(contract.legalVariations.variations[name].sets ?? {}).map(([option, values]) => [
      option,
      drawsFor(setting.seed, 0, option).pick(values),
    ]),
  );
  return Object.fromEntries(drawn);
}
