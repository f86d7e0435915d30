import type { ErrorObject } from "ajv";
import { nearestIn } from "../../common/nearest-names.js";

/** Why something asked of the mock itself cannot be done, and what would be allowed instead. */
export interface Problem {
  problem: string;
  /** The field at fault, with dots between levels; empty for the body as a whole. */
  field?: string;
  /** The same as a JSON pointer (RFC 6901), where names may hold dots. */
  pointer?: string;
  allowed?: string[];
  /** The request is correct, but a part of the mock that it needs does not answer. */
  unreachable?: true;
}

/** Tells whether a result is a problem. */
export function isProblem(outcome: object): outcome is Problem {
  return "problem" in outcome;
}

/** Says that there is nothing of a name, which names are most like it, and which there are. `at` is where it stands. */
export function unknownName(what: string, name: string, names: readonly string[], at = ""): Problem {
  return { problem: `There is no ${what} '${at}${name}'${nearestIn(name, names)}.`, allowed: [...names] };
}

/** The part of a JSON Schema that says what a value may hold. */
interface Level {
  properties?: Record<string, Level>;
  additionalProperties?: Level | boolean;
  items?: Level;
  /** Values that show how others are written. */
  examples?: unknown[];
}

/**
 * Says what is wrong with arguments, a sentence for each mistake, at which level, and which names or values their schema allows there.
 * `whole` is what they are called: the body, or the query.
 */
export function schemaProblems(errors: ErrorObject[] | null | undefined, schema: object, whole = "the body"): Problem {
  const found = (errors ?? []).filter(({ keyword }) => keyword !== "propertyNames");
  const sentences = found.map((error) => sentenceOf(error, whole));
  const [first] = found;
  const values = found.flatMap((error) => valuesOf(error));
  const path = first ? pathOf(first) : [];
  const level = levelAt(schema, first && isAboutName(first) ? path.slice(0, -1) : path);
  const names = [...Object.keys(level.properties ?? {}), ...(level.examples ?? []).map(String)];
  const allowed = values.length > 0 ? [...new Set(values)] : names;
  return { problem: `${[...new Set(sentences)].join("; ")}.`, field: path.join("."), ...(allowed.length > 0 && { allowed }) };
}

/** Which names or values are nearest can only be said of errors with their data (`verbose`). */
function sentenceOf(error: ErrorObject, whole: string): string {
  const { params, message, data, parentSchema } = error;
  const extra = params.additionalProperty as string | undefined;
  const where = levelOf(error).join(".") || whole;
  if (extra !== undefined)
    return `'${extra}' is not known in ${where}${nearestIn(extra, Object.keys(parentSchema?.properties ?? {}))}`;
  const values = params.allowedValues as unknown[] | undefined;
  return `${where} ${message}${values && typeof data === "string" ? nearestIn(data, values.map(String)) : ""}`;
}

function valuesOf({ params }: ErrorObject): string[] {
  const values = (params.allowedValues as unknown[] | undefined) ?? ("allowedValue" in params ? [params.allowedValue] : []);
  return values.map(String);
}

/** Whether a name is wrong or missing at a level, and not the value that it has there. */
function isAboutName({ params }: ErrorObject): boolean {
  return params.additionalProperty !== undefined || params.missingProperty !== undefined;
}

/** The names that lead to what is wrong: an undeclared or missing one is the last of them. */
function pathOf(error: ErrorObject): string[] {
  const name = error.params.additionalProperty ?? error.params.missingProperty ?? error.propertyName;
  return typeof name === "string" ? [...levelOf(error), name] : levelOf(error);
}

function levelOf({ instancePath }: ErrorObject): string[] {
  const parts = instancePath.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What the schema says of the value that a path leads to; nothing where it says nothing. */
function levelAt(schema: Level, path: string[]): Level {
  return path.reduce<Level>((level, name) => {
    const other = typeof level.additionalProperties === "object" ? level.additionalProperties : undefined;
    return level.properties?.[name] ?? (/^\d+$/.test(name) ? level.items : undefined) ?? other ?? {};
  }, schema);
}
