import { contract } from "./load.js";
import type { ErrorCode } from "./types.js";

/** One error of the catalogue, as `counterpart errors` and the control plane show it. */
export interface CatalogueRow {
  code: ErrorCode;
  type: string;
  status: number;
  /** Whether the contract names the code. */
  shown: boolean;
  clause: string;
  /** The sentence of the clause. */
  description: string;
  /** The steps that cause the error on the mock, one a line; the last step returns the error. Null if no steps are known. */
  recipe: readonly string[] | null;
  /** The reason for a missing recipe. */
  unreachable?: string;
  /** The value of the `Prefer` header that makes the mock answer any request with this error. */
  prefer: string;
}

/** Returns the steps that cause an error, one a line, or null when none are known. */
export type RecipeOf = (code: ErrorCode) => Promise<readonly string[] | null>;

/** Returns every error of the contract, in the order of `spec/errors.json`. */
export async function createErrorCatalogue(recipeOf: RecipeOf): Promise<CatalogueRow[]> {
  return Promise.all(errorCodes.map((code) => createRow(code, recipeOf)));
}

/** Returns the `Prefer` value that forces a code on the mock: `code=409, error=repo_already_registered`. */
export function formatPreference(code: ErrorCode): string {
  return `code=${contract.errors[code].status}, error=${code}`;
}

/** Returns whether the catalogue has this code. */
export function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(contract.errors, name);
}

/** Every code of the catalogue, in order. */
export const errorCodes: readonly ErrorCode[] = Object.keys(contract.errors).filter(isErrorCode);

async function createRow(code: ErrorCode, recipeOf: RecipeOf): Promise<CatalogueRow> {
  const { message: _, ...row } = contract.errors[code];
  const recipe = row.unreachable === undefined ? await recipeOf(code) : null;
  return { code, ...row, description: contract.clauses[row.clause].description, recipe, prefer: formatPreference(code) };
}
