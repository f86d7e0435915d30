import { contract } from "./load.js";
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
  /** What brings it about on the mock, a line a step; the last one does. Null where nothing is known to. */
  recipe: readonly string[] | null;
  /** Why there is no recipe. */
  unreachable?: string;
  /** The Prefer header with which the mock answers so, whatever is asked of it. */
  prefer: string;
}

/** Tells what brings an error about, a line a step; null where nothing is known to. */
export type RecipeOf = (code: ErrorCode) => Promise<readonly string[] | null>;

/** Every error of the contract, in the order of `spec/errors.json`. */
export async function errorCatalogue(recipeOf: RecipeOf): Promise<CatalogueRow[]> {
  return Promise.all(errorCodes.map((code) => rowOf(code, recipeOf)));
}

/** The preference that forces a code on the mock: `code=409, error=repo_already_registered`. */
export function preferenceFor(code: ErrorCode): string {
  return `code=${contract.errors[code].status}, error=${code}`;
}

/** Whether the catalogue has a code of this name. */
export function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(contract.errors, name);
}

/** Every code of the catalogue, in its order. */
export const errorCodes: readonly ErrorCode[] = Object.keys(contract.errors).filter(isErrorCode);

async function rowOf(code: ErrorCode, recipeOf: RecipeOf): Promise<CatalogueRow> {
  const { message: _, ...row } = contract.errors[code];
  const recipe = row.unreachable === undefined ? await recipeOf(code) : null;
  return { code, ...row, says: contract.clauses[row.clause].says, recipe, prefer: preferenceFor(code) };
}
