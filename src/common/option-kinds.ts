import { findClosestName } from "./nearest-names.js";
import { isPlainObject } from "./plain-object.js";
import { describeUnknownName, type Problem } from "./problem.js";

/** The kind of an option: one description for the command line, HTTP and the library. */
export interface OptionKind {
  /** The valid values in words, after "Use". */
  allowed: string;
  /** JSON Schema of the value, for the description of the control plane. */
  schema: object;
  fits(value: unknown): boolean;
  /** The valid values, or examples of them. */
  values?: readonly string[];
  /** Kinds of the options in this one. */
  group?: OptionKinds;
  /** Whether messages omit the value, because it is a secret. */
  isSecret?: true;
}

/** The kinds of some options by their names. */
export type OptionKinds = Readonly<Record<string, OptionKind>>;

const maxShownCharacters = 100;

/** Returns the kind of an option that takes one of these words. */
export function acceptListed(values: readonly string[]): OptionKind {
  const allowed = values.map((value) => `"${value}"`).join(", ");
  return { allowed, schema: { enum: values }, values, fits: (value) => (values as unknown[]).includes(value) };
}

/** Returns the kind of an option that takes a number between two limits. */
export function acceptNumber(
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
  type: "integer" | "number" = "integer",
): OptionKind {
  const what = type === "integer" ? "a whole number" : "a number";
  const max = maximum === Number.MAX_SAFE_INTEGER ? `${what} of ${minimum} or more` : `${what} from ${minimum} to ${maximum}`;
  const isRight = type === "integer" ? Number.isSafeInteger : Number.isFinite;
  const fits = (value: unknown) => isRight(value) && (value as number) >= minimum && (value as number) <= maximum;
  return { allowed: max, schema: { type, minimum, maximum }, fits };
}

/** Returns the kind of an option that takes a text that matches a pattern, or any text that is not empty. */
export function acceptText(
  allowed: string,
  pattern = ".",
  more: { examples?: readonly string[]; description?: string } = {},
): OptionKind {
  const expression = new RegExp(pattern);
  return {
    allowed,
    schema: { type: "string", pattern, ...more },
    ...(more.examples && { values: more.examples }),
    fits: (value) => typeof value === "string" && expression.test(value),
  };
}

/** True or false. */
export const booleanKind: OptionKind = {
  allowed: "true or false",
  schema: { type: "boolean" },
  fits: (value) => typeof value === "boolean",
};

/** Returns the kind of an option that takes an object of options. */
export function acceptGroup(group: OptionKinds): OptionKind {
  return { allowed: `an object of ${Object.keys(group).join(", ")}`, schema: createSchema(group), fits: isPlainObject, group };
}

/** Returns the JSON Schema of an object of these options. It allows no other field. */
export function createSchema(kinds: OptionKinds): object {
  const properties = Object.fromEntries(Object.entries(kinds).map(([name, { schema }]) => [name, schema]));
  return { type: "object", properties, required: [], additionalProperties: false };
}

/** Returns the first option that is unknown or has an invalid value, with what is allowed; null when all are valid. Undefined ones are left out. */
export function findOptionsProblem(given: unknown, kinds: OptionKinds, at = ""): Problem | null {
  if (!isPlainObject(given)) return { problem: `Give an object of options: ${Object.keys(kinds).join(", ")}.`, field: at };
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return { ...describeUnknownName("option", name, Object.keys(kinds), at), field: `${at}${name}` };
    const problem = value === undefined ? null : findOptionProblem(`${at}${name}`, value, kind);
    if (problem) return problem;
  }
  return null;
}

function findOptionProblem(place: string, value: unknown, kind: OptionKind): Problem | null {
  const { allowed, values, isSecret, group } = kind;
  if (!kind.fits(value)) {
    const invalid = [value].flat().find((one) => typeof one === "string" && !values?.includes(one));
    const near = values && typeof invalid === "string" ? findClosestName(invalid, values) : "";
    const problem = `${place}: ${isSecret ? "the value" : formatValue(value)} is not valid${near}. Use ${allowed}.`;
    return { problem, field: place, ...(values && { allowed: [...values] }) };
  }
  return group ? findOptionsProblem(value, group, `${place}.`) : null;
}

function formatValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  try {
    const text = JSON.stringify(value) ?? "nothing";
    return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
  } catch {
    return "the value";
  }
}
