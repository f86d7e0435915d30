import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import type { Options } from "../../service/world/world.js";
import { createDraws } from "./draws.js";

/** The option `variations`: all of them (true, or a seed), some by name, or none. */
export type VariationsOption = boolean | number | readonly VariationName[];

/** The names of all variations. */
export const variationNames = Object.keys(contract.legalVariations.variations) as VariationName[];

/** The JSON Schema of the option. */
export const variationsSchema = {
  anyOf: [
    { type: "boolean" },
    { type: "integer", minimum: 0 },
    { type: "array", items: { enum: variationNames }, uniqueItems: true },
  ],
  description: "Legal variations of answers, see GET /__mock/variations: true for all, a seed, or some by name.",
};

/** The variations of a world and their seed. */
export interface VariationSetting {
  seed: number;
  names: readonly VariationName[];
}

/** Returns the setting for an option; null for none. */
export function readVariationSetting(option: VariationsOption | undefined, seed: number): VariationSetting | null {
  if (option === undefined || option === false) return null;
  if (typeof option === "number") return { seed: option, names: variationNames };
  return { seed, names: option === true ? variationNames : option };
}

/** Returns the world options that the variations draw with the seed. */
export function createVariedOptions(setting: VariationSetting | null): Partial<Options> {
  if (!setting) return {};
  const drawn = setting.names.flatMap((name) =>
    Object.entries(contract.legalVariations.variations[name].sets ?? {}).map(([option, values]) => [
      option,
      createDraws(setting.seed, 0, option).pick(values),
    ]),
  );
  return Object.fromEntries(drawn);
}
