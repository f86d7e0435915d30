import type { ErrorObject } from "ajv";
import { nearestIn } from "../engine/nearest.js";

/** Why something asked of the mock itself cannot be done, and what would be allowed instead. */
export interface Problem {
  problem: string;
  allowed?: string[];
}

/** Whether something asked of the mock could not be done. */
export function isProblem(outcome: object): outcome is Problem {
  return "problem" in outcome;
}

/** Says that there is nothing of a name, which names are most like it, and which there are. `at` is where it stands. */
export function unknownName(what: string, name: string, names: readonly string[], at = ""): Problem {
  return { problem: `There is no ${what} '${at}${name}'${nearestIn(name, names)}.`, allowed: [...names] };
}

/** Says in one sentence what is wrong with arguments, and which names or values their schema allows there. */
export function schemaProblems(errors: ErrorObject[] | null | undefined, schema: object): Problem {
  const sentences = (errors ?? []).map(sentenceOf);
  const values = (errors ?? []).flatMap((error) => (error.params.allowedValues as unknown[] | undefined) ?? []);
  const names = Object.keys((schema as { properties?: object }).properties ?? {});
  return { problem: `${[...new Set(sentences)].join("; ")}.`, allowed: values.length > 0 ? values.map(String) : names };
}

/** Which names or values are nearest can only be said of errors with their data (`verbose`). */
function sentenceOf({ instancePath, params, message, data, parentSchema }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll("/", ".") || "the body";
  const extra = params.additionalProperty as string | undefined;
  const values = params.allowedValues as unknown[] | undefined;
  if (extra !== undefined) return `'${extra}' is not known here${nearestIn(extra, Object.keys(parentSchema?.properties ?? {}))}`;
  return `${where} ${message}${values && typeof data === "string" ? nearestIn(data, values.map(String)) : ""}`;
}
