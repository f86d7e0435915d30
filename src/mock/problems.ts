import type { ErrorObject } from "ajv";

/** Why something asked of the mock itself cannot be done, and what would be allowed instead. */
export interface Problem {
  problem: string;
  allowed?: string[];
}

/** Whether something asked of the mock could not be done. */
export function isProblem(outcome: object): outcome is Problem {
  return "problem" in outcome;
}

/** Says in one sentence what is wrong with arguments, and which names or values their schema allows there. */
export function schemaProblems(errors: ErrorObject[] | null | undefined, schema: object): Problem {
  const sentences = (errors ?? []).map(sentenceOf);
  const values = (errors ?? []).flatMap((error) => (error.params.allowedValues as unknown[] | undefined) ?? []);
  const names = Object.keys((schema as { properties?: object }).properties ?? {});
  return { problem: `${[...new Set(sentences)].join("; ")}.`, allowed: values.length > 0 ? values.map(String) : names };
}

function sentenceOf({ instancePath, params, message }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll("/", ".") || "the body";
  const extra = params.additionalProperty;
  return extra === undefined ? `${where} ${message}` : `'${extra}' is not known here`;
}
