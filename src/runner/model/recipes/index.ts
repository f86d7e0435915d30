import { jobRecipes } from "./jobs.js";
import { listRecipes } from "./lists.js";
import { observationRecipes } from "./observations.js";
import { otherRecipes } from "./others.js";
import type { Recipe } from "./recipe.js";

/** Every recipe, its first command marked with its name. */
export const recipes: readonly (Recipe & { name: string })[] = [
  ...jobRecipes,
  ...observationRecipes,
  ...listRecipes,
  ...otherRecipes,
].map(({ points, commands: [first, ...rest] }, index) => {
  const name = `${index + 1}: ${points[0]}`;
  return { name, points, commands: first ? [{ ...first, recipe: name }, ...rest] : [] };
});

/** What refusals are told apart, beside their codes. */
export const REFUSALS: readonly string[] = [...new Set(recipes.flatMap(({ points }) => points))]
  .filter((point) => point.startsWith("refusals/"))
  .map((point) => point.slice("refusals/".length));
