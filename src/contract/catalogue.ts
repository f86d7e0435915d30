import { contract, readYaml } from "./load.js";
import type { ErrorCode } from "./types.js";

/** One error of the catalogue with all that is known of it, as `counterpart errors` and the control plane show it. */
export interface CatalogueRow {
  code: ErrorCode;
  type: string;
  status: number;
  /** Whether the text names the code; false for one of ours. */
  shown: boolean;
  clause: string;
  /** What the clause says, in our words. */
  says: string;
  /** What brings it about on the mock, a line a step; the last one does. Null where nothing can. */
  recipe: string[] | null;
  /** Why there is no recipe. */
  unreachable?: string;
  /** The Prefer header with which the mock answers so, whatever is asked of it. */
  prefer: string;
}

/** As much of a recipe's step as is shown. */
interface Step extends Request {
  repeat?: string;
  drive?: string;
  with?: object;
  clock?: object;
  burst?: Request & { n: number };
  race?: Request & { n: number };
}

interface Request {
  rest?: string;
  as?: string;
  session?: string;
  authorization?: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string;
}

/** The recipe of a code, relative to the package: a scenario whose last step is answered with it. */
export function recipeFile(code: ErrorCode): string {
  return `scenarios/recipes/${code}.yaml`;
}

/** The preference that forces a code on the mock: `code=409, error=repo_already_registered`. */
export function preferenceFor(code: ErrorCode): string {
  return `code=${contract.errors[code].status}, error=${code}`;
}

/** Every error of the contract, in the order of `spec/errors.json`. */
export async function errorCatalogue(): Promise<CatalogueRow[]> {
  const { bindings } = (await readYaml("fixtures/mock.yaml")) as { bindings: object };
  return Promise.all((Object.keys(contract.errors) as ErrorCode[]).map((code) => rowOf(code, bindings)));
}

async function rowOf(code: ErrorCode, bindings: object): Promise<CatalogueRow> {
  const { message: _, ...row } = contract.errors[code];
  const recipe = row.unreachable === undefined ? await readRecipe(code, bindings) : null;
  return { code, ...row, says: contract.clauses[row.clause].says, recipe, prefer: preferenceFor(code) };
}

async function readRecipe(code: ErrorCode, bindings: object): Promise<string[]> {
  const { steps, fixture } = (await readYaml(recipeFile(code))) as { steps: Step[]; fixture?: string };
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

function requestLine({ rest = "", query, headers, json, body, ...who }: Request): string {
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

function callerOf({ as, session, authorization }: Request): string[] {
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
