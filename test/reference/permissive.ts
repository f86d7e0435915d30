import { base } from "./base.js";
import type { Choices } from "./choices.js";
import { type Freedom, freedoms } from "./freedoms.js";
import { type RandomDraws, randomDraws } from "./random-draws.js";

/** Returns a legal server that draws every freedom of the contract: some once, the others at each response. */
export function permissive(seed: number): Choices {
  const secrets = randomDraws(seed + 1);
  const responses = randomDraws(seed + 2);
  return {
    ...base,
    ...drawAll(randomDraws(seed), "server"),
    name: `permissive, seed ${seed}`,
    token: () => Array.from({ length: 4 }, () => secrets.whole(0, 2 ** 32 - 1).toString(36)).join("-"),
    redraw: () => drawAll(responses, "answer"),
  };
}

/** Draws every freedom of a scope, each after the ones in whose place it comes. */
function drawAll(chance: RandomDraws, scope: Freedom["scope"]): Partial<Choices> {
  return Object.assign({}, ...freedoms.filter((freedom) => freedom.scope === scope).map(({ draw }) => draw(chance)));
}
