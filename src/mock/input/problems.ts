import type { ErrorObject } from "ajv";
import { abbreviateList, MAX_LISTED_NAMES } from "../../common/abbreviate-list.js";
import { findClosestName } from "../../common/nearest-names.js";
import type { Problem } from "../../common/problem.js";

/** The part of a JSON Schema that restricts a value. */
interface Level {
  properties?: Record<string, Level>;
  additionalProperties?: Level | boolean;
  items?: Level;
  /** Example values. */
  examples?: unknown[];
}

/**
 * Describes the mistakes in arguments, one sentence for each, with its level and the names or values that their schema allows there.
 * `whole`: the name of the arguments, `the body` or `the query`.
 */
export function listSchemaProblems(errors: ErrorObject[] | null | undefined, schema: object, whole = "the body"): Problem {
  const foundErrors = (errors ?? []).filter(({ keyword }) => keyword !== "propertyNames");
  const sentences = abbreviateList(foundErrors, (error) => writeSentence(error, whole));
  const [first] = foundErrors;
  const values = foundErrors.slice(0, MAX_LISTED_NAMES).flatMap((error) => listValues(error));
  const path = first ? readPath(first) : [];
  const level = findLevel(schema, first && isAboutName(first) ? path.slice(0, -1) : path);
  const names = [...Object.keys(level.properties ?? {}), ...(level.examples ?? []).map(String)];
  const allowed = values.length > 0 ? [...new Set(values)] : names;
  return { problem: `${[...new Set(sentences)].join("; ")}.`, field: path.join("."), ...(allowed.length > 0 && { allowed }) };
}

/** Returns the closest names or values. It needs errors with their data (`verbose`). */
function writeSentence(error: ErrorObject, whole: string): string {
  const { params, message, data, parentSchema } = error;
  const extra = params.additionalProperty as string | undefined;
  const where = countLevel(error).join(".") || whole;
  if (extra !== undefined)
    return `'${extra}' is not known in ${where}${findClosestName(extra, Object.keys(parentSchema?.properties ?? {}))}`;
  const values = params.allowedValues as unknown[] | undefined;
  return `${where} ${message}${values && typeof data === "string" ? findClosestName(data, values.map(String)) : ""}`;
}

function listValues({ params }: ErrorObject): string[] {
  const values = (params.allowedValues as unknown[] | undefined) ?? ("allowedValue" in params ? [params.allowedValue] : []);
  return values.map(String);
}

/** Returns whether a name is wrong or missing at a level, and not its value. */
function isAboutName({ params }: ErrorObject): boolean {
  return params.additionalProperty !== undefined || params.missingProperty !== undefined;
}

/** Returns the path to a mistake. An undeclared or missing name is its last element. */
function readPath(error: ErrorObject): string[] {
  const name = error.params.additionalProperty ?? error.params.missingProperty ?? error.propertyName;
  return typeof name === "string" ? [...countLevel(error), name] : countLevel(error);
}

function countLevel({ instancePath }: ErrorObject): string[] {
  const parts = instancePath.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Describes the value at a path according to the schema; empty if the schema does not restrict it. */
function findLevel(schema: Level, path: string[]): Level {
  return path.reduce<Level>((level, name) => {
    const otherLevel = typeof level.additionalProperties === "object" ? level.additionalProperties : undefined;
    return level.properties?.[name] ?? (/^\d+$/.test(name) ? level.items : undefined) ?? otherLevel ?? {};
  }, schema);
}
