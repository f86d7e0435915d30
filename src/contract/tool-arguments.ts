import type { ErrorObject, ValidateFunction } from "ajv";
import { compileSchema, contract } from "./load.js";
import type { SettingName, ToolPurpose } from "./tool-types.js";

/** One argument that is not as the tool's schema wants it. */
export interface ArgumentFault {
  /** The argument's name; inside an object the path to the key, with dots. */
  name: string;
  message: string;
  /** `extra_forbidden`, `missing`, `string_type`, … */
  type: string;
  /** What was sent; undefined where something is missing. */
  sent: unknown;
}

type Arguments = Readonly<Record<string, unknown>>;

const validators = new Map<ToolPurpose | SettingName, ValidateFunction>();

/**
 * Checks the arguments of a call against the tool's closed schema and fills in defaults. Undeclared arguments come first among the
 * faults, whatever else is wrong. MCP-ARG-NAMED, MCP-ARG-FORBIDDEN.
 */
export function checkArguments(
  purpose: ToolPurpose,
  sent: Arguments,
): { given: Record<string, unknown> } | { faults: ArgumentFault[] } {
  const given = { ...sent };
  const validate = validatorOf(purpose, () => contract.tools[purpose].arguments);
  return validate(given) ? { given } : { faults: faultsOf(validate, sent) };
}

/** Checks the argument `value` against the type of a tenant setting; gives what is wrong with it. MCP-TOOL-SETTING. */
export function checkSetting(setting: SettingName, value: unknown): ArgumentFault[] {
  const validate = validatorOf(setting, () => ({ properties: { value: contract.settings[setting] } }));
  return validate({ value }) ? [] : faultsOf(validate, { value });
}

function validatorOf(name: ToolPurpose | SettingName, schema: () => object): ValidateFunction {
  let validate = validators.get(name);
  if (!validate) {
    validate = compileSchema(schema(), { useDefaults: true });
    validators.set(name, validate);
  }
  return validate;
}

function faultsOf({ errors }: ValidateFunction, sent: Arguments): ArgumentFault[] {
  const found = (errors ?? []).map((error) => faultOf(error, sent));
  // one fault an argument: what is of the wrong type is also none of the values allowed
  const faults = [...new Map(found.toReversed().map((fault) => [fault.name, fault])).values()].toReversed();
  return [...faults.filter(isUndeclared), ...faults.filter((fault) => !isUndeclared(fault))];
}

function isUndeclared({ type }: ArgumentFault): boolean {
  return type === "extra_forbidden";
}

function faultOf(error: ErrorObject, sent: Arguments): ArgumentFault {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key: unknown = error.params.additionalProperty ?? error.params.missingProperty;
  const names = typeof key === "string" ? [...path, key] : path;
  const value = names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), sent);
  return { name: names.join("."), ...worded(error), sent: value };
}

/** The wording that clients of the service know. */
function worded({ keyword, params, message }: ErrorObject): { message: string; type: string } {
  switch (keyword) {
    case "additionalProperties":
      return { message: "Extra inputs are not permitted", type: "extra_forbidden" };
    case "required":
      return { message: "Field required", type: "missing" };
    case "type":
      return {
        message: `Input should be a valid ${[params.type].flat().join(" or ")}`,
        type: `${[params.type].flat().join("_or_")}_type`,
      };
    case "enum":
      return {
        message: `Input should be ${(params.allowedValues as unknown[]).map((value) => `'${value}'`).join(", ")}`,
        type: "literal_error",
      };
    case "minLength":
      return { message: `String should have at least ${params.limit} characters`, type: "string_too_short" };
    case "maxLength":
      return { message: `String should have at most ${params.limit} characters`, type: "string_too_long" };
    case "pattern":
      return { message: `String should match pattern '${params.pattern}'`, type: "string_pattern_mismatch" };
    case "minimum":
      return { message: `Input should be greater than or equal to ${params.limit}`, type: "greater_than_equal" };
    case "maximum":
      return { message: `Input should be less than or equal to ${params.limit}`, type: "less_than_equal" };
    default:
      return { message: `Input ${message ?? "is not valid"}`, type: "value_error" };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
