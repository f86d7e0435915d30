import { readYaml, readYamlDocuments } from "../contract/load.js";
import type { ErrorCode } from "../contract/types.js";
import type { RequestText, ScenarioText, Step } from "../engine/scenario/format.js";
import { expandShortNames } from "../engine/scenario/short-names.js";
import { shortNames } from "./statements/short-names.js";

/** The file of all error recipes, relative to the package: for each error code a scenario whose last step gets the error. */
export const RECIPES_FILE = "scenarios/error-recipes.yaml";

/** Returns the name of the scenario that is the recipe of an error code. */
export function findRecipeName(code: ErrorCode): string {
  return code.replaceAll("_", "-");
}

/** The target file of a mock and the recipes, read with the first recipe. */
let mockTarget: Promise<unknown> | undefined;
let recipes: Promise<unknown[]> | undefined;

/** Returns the steps that cause an error on a mock, one line each. The last step gets the error. */
export async function readRecipe(code: ErrorCode): Promise<string[]> {
  recipes ??= readYamlDocuments(RECIPES_FILE).then((documents) => expandShortNames(documents, shortNames) as unknown[]);
  const recipe = ((await recipes) as ScenarioText[]).find(({ scenario }) => scenario === findRecipeName(code));
  if (!recipe) throw new Error(`${RECIPES_FILE} has no scenario called "${findRecipeName(code)}"`);
  mockTarget ??= readYaml("fixtures/mock.yaml");
  const { bindings } = (await mockTarget) as { bindings: object };
  const world = recipe.fixture === undefined ? [] : [`in a world of the fixture ${recipe.fixture}`];
  return [...world, ...recipe.steps.map((step) => fillBindings(formatLine(step), bindings))];
}

function formatLine({ repeat, drive, with: values, clock, burst, race, ...request }: Step): string {
  if (repeat !== undefined) return `repeat ${repeat}`;
  if (drive !== undefined) return `drive ${drive} ${JSON.stringify(values ?? {})}`;
  if (clock) return `clock ${JSON.stringify(clock)}`;
  if (burst) return `up to ${burst.n} times, until a 429: ${formatRequestLine(burst)}`;
  if (race) return `${race.n} times concurrently: ${formatRequestLine(race)}`;
  return formatRequestLine(request);
}

function formatRequestLine({ rest = "", query, headers, json, body, ...caller }: RequestText): string {
  const search = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
  const parts = [
    search.length > 0 ? `${rest}?${search.join("&")}` : rest,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(json === undefined ? [] : [JSON.stringify(json)]),
    ...(body === undefined ? [] : [body.replaceAll("{{", "{")]),
    ...describeCaller(caller),
  ];
  return parts.join("  ");
}

function describeCaller({ as, session, authorization }: RequestText): string[] {
  if (authorization !== undefined) return [`authorization: ${authorization}`];
  if (session !== undefined) return [`signed in as ${session}`];
  if (as === "none") return ["without a key"];
  return as === undefined ? [] : [`with the key ${as}`];
}

/** Replaces the bindings that a recipe leaves to the target (`{binding.spare.owner}`) with the mock's own names. */
function fillBindings(line: string, bindings: object): string {
  return line.replace(/\{binding\.([a-z_.]+)\}/g, (place, path: string) => {
    const value = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], bindings);
    return typeof value === "string" ? value : place;
  });
}
