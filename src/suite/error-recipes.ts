import { readYaml } from "../contract/load.js";
import type { ErrorCode } from "../contract/types.js";
import type { RequestText, ScenarioText, Step } from "../engine/scenario/format.js";

/** The recipe of an error code, relative to the package: a scenario whose last step is answered with it. */
export function recipeFile(code: ErrorCode): string {
  return `scenarios/error-recipes/${code}.yaml`;
}

/** The target file of a mock, read when the first recipe is. */
let mockTarget: Promise<unknown> | undefined;

/** What brings an error about on a mock, a line a step; the last one does. */
export async function recipeOf(code: ErrorCode): Promise<string[]> {
  const { steps, fixture } = (await readYaml(recipeFile(code))) as Pick<ScenarioText, "steps" | "fixture">;
  mockTarget ??= readYaml("fixtures/mock.yaml");
  const { bindings } = (await mockTarget) as { bindings: object };
  const world = fixture === undefined ? [] : [`in a world of the fixture ${fixture}`];
  return [...world, ...steps.map((step) => fillBindings(lineOf(step), bindings))];
}

function lineOf({ repeat, drive, with: values, clock, burst, race, ...request }: Step): string {
  if (repeat !== undefined) return `${repeat} once more`;
  if (drive !== undefined) return `drive ${drive} ${JSON.stringify(values ?? {})}`;
  if (clock) return `clock ${JSON.stringify(clock)}`;
  if (burst) return `up to ${burst.n} times, until a 429: ${requestLine(burst)}`;
  if (race) return `${race.n} times at once: ${requestLine(race)}`;
  return requestLine(request);
}

function requestLine({ rest = "", query, headers, json, body, ...who }: RequestText): string {
  const search = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
  const parts = [
    search.length > 0 ? `${rest}?${search.join("&")}` : rest,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(json === undefined ? [] : [JSON.stringify(json)]),
    ...(body === undefined ? [] : [body.replaceAll("{{", "{")]),
    ...callerOf(who),
  ];
  return parts.join("  ");
}

function callerOf({ as, session, authorization }: RequestText): string[] {
  if (authorization !== undefined) return [`authorization: ${authorization}`];
  if (session !== undefined) return [`signed in as ${session}`];
  if (as === "none") return ["without a key"];
  return as === undefined ? [] : [`with the key ${as}`];
}

/** Puts the mock's own names where a recipe leaves them to the target: `{binding.spare.owner}`. */
function fillBindings(line: string, bindings: object): string {
  return line.replace(/\{binding\.([a-z_.]+)\}/g, (place, path: string) => {
    const value = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], bindings);
    return typeof value === "string" ? value : place;
  });
}
