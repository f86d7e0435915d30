import { contract } from "../../contract/load.js";
import type { GreaseName } from "../../contract/types.js";
import type { Options } from "../../service/world/world.js";
import { diceFor } from "./draws.js";

/** What grease is wished for: all of it (drawn by the world's seed, or by one of its own), some of it, or none. */
export type GreaseWish = boolean | number | readonly GreaseName[];

/** The names of all variations. */
export const greaseNames = Object.keys(contract.grease.variations) as GreaseName[];

/** How a wish is written in JSON. */
export const greaseSchema = {
  anyOf: [
    { type: "boolean" },
    { type: "integer", minimum: 0 },
    { type: "array", items: { enum: greaseNames }, uniqueItems: true },
  ],
  description: "Legal variations that clients forget, see GET /__mock/grease: true for all, a seed of its own, or some by name.",
};

/** What a world is greased with. */
export interface GreaseSetting {
  seed: number;
  names: readonly GreaseName[];
}

/** The variations that a wish stands for; null for none. */
export function greaseOf(wish: GreaseWish | undefined, seed: number): GreaseSetting | null {
  if (wish === undefined || wish === false) return null;
  if (typeof wish === "number") return { seed: wish, names: greaseNames };
  return { seed, names: wish === true ? greaseNames : wish };
}

/** The options of a world that its grease draws, by the seed. */
export function greasedOptions(setting: GreaseSetting | null): Partial<Options> {
  if (!setting) return {};
  const drawn = setting.names.flatMap((name) =>
    Object.entries(contract.grease.variations[name].sets ?? {}).map(([option, values]) => [
      option,
      diceFor(setting.seed, 0, option).pick(values),
    ]),
  );
  return Object.fromEntries(drawn);
}
