import type { CatalogueRow } from "../contract/catalogue.js";

/** An error of the catalogue for people: its status and type, what its clause says, and what brings it about. */
export function errorText({ code, type, status, shown, clause, says, recipe, unreachable }: CatalogueRow): string {
  const steps = recipe ?? [`no recipe: ${unreachable}`];
  return [
    `${code}  [${status} ${type}${shown ? "" : "; our name for it"}]`,
    `  ${clause}: ${says}`,
    ...steps.map((step) => `  - ${step}`),
  ].join("\n");
}
