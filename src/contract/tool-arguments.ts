import type { ErrorObject, ValidateFunction } from "ajv";
import { compileWithAllErrors, contract } from "./load.js";
import type { SettingName, ToolPurpose } from "./tool-types.js";

/** An argument that does not match the tool's schema. */
export interface ArgumentError {
  /** The argument's name; inside an object the path to the key, with dots. */
  name: string;
  message: string;
  /** `extra_forbidden`, `missing`, `string_type`, … */
  type: string;
  /** The value that was sent; undefined for a missing argument. */
  sent: unknown;
}

type Arguments = Readonly<Record<string, unknown>>;

const validators = new Map<string, ValidateFunction>();
/** For arguments with a longer list, the validator reports only the first mistake. */
const maxListedItems = 10_000;

/**
 * Validates the arguments of a call against the tool's closed schema and fills in defaults. Undeclared arguments come first in
 * the errors. MCP-ARG-NAMED, MCP-ARG-FORBIDDEN.
 */
export function checkArguments(
  purpose: ToolPurpose,
  sent: Arguments,
): { given: Record<string, unknown> } | { errors: ArgumentError[] } {
  const schema = contract.tools[purpose].arguments;
  const argumentsWithDefaults: Record<string, unknown> = {};
  // a request can have 100,000 undeclared arguments, so the validator does not see them
  const undeclaredArgumentErrors: ArgumentError[] = [];
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(schema.properties, name)) argumentsWithDefaults[name] = value;
    else undeclaredArgumentErrors.push({ name, message: "Extra inputs are not permitted", type: "extra_forbidden", sent: value });
  }
  const isLong = Object.values(argumentsWithDefaults).some((value) => Array.isArray(value) && value.length > maxListedItems);
  const validate = compileValidator(purpose, () => schema, !isLong);
  const errors = validate(argumentsWithDefaults)
    ? undeclaredArgumentErrors
    : [...undeclaredArgumentErrors, ...listErrors(validate, sent)];
  return errors.length === 0 ? { given: argumentsWithDefaults } : { errors };
}

/** Validates the argument `value` against the type of a tenant setting. Returns its errors. MCP-TOOL-SETTING. */
export function checkSetting(setting: SettingName, value: unknown): ArgumentError[] {
  const validate = compileValidator(setting, () => ({ properties: { value: contract.settings[setting] } }));
  return validate({ value }) ? [] : listErrors(validate, { value });
}

function compileValidator(name: ToolPurpose | SettingName, schema: () => object, allErrors = true): ValidateFunction {
  const key = allErrors ? name : `${name} first`;
  let validate = validators.get(key);
  if (!validate) {
    validate = compileWithAllErrors(schema(), { useDefaults: true, allErrors });
    validators.set(key, validate);
  }
  return validate;
}

function listErrors({ errors }: ValidateFunction, sent: Arguments): ArgumentError[] {
  const argumentErrors = (errors ?? []).map((error) => createArgumentError(error, sent));
  // one error per argument: a value of the wrong type is also not in the enumeration
  return [...new Map(argumentErrors.toReversed().map((error) => [error.name, error])).values()].toReversed();
}

function createArgumentError(error: ErrorObject, sent: Arguments): ArgumentError {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key: unknown = error.params.missingProperty;
  const names = typeof key === "string" ? [...path, key] : path;
  const value = names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), sent);
  return { name: names.join("."), ...describe(error), sent: value };
}

/** Returns the message in the words of the service. */
function describe({ keyword, params, message }: ErrorObject): { message: string; type: string } {
  switch (keyword) {
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
