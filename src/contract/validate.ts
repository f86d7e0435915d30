import type { ErrorObject, ValidateFunction } from "ajv";
import { readIso8601 } from "./iso-8601.js";
import { compileSchema, contract } from "./load.js";
import { listParameters, routes } from "./routes.js";
import type { RouteName, WorkflowName } from "./types.js";

/** One field that failed its schema, as the mock returns it under `error.errors`. */
interface FieldError {
  loc: string[];
  msg: string;
  type: string;
}

/** Accepts every ISO 8601 time, which is more than JSON Schema's `date-time`. OBS-FILTER-SINCE, KEY-FIELD-EXPIRES. */
const formats = { "date-time": (text: string) => readIso8601(text) !== null };

/** The most errors that a response lists. A body of one mebibyte could cause half a million. */
const maxErrors = 50;

/** Query parameters as sent: every value of each name. */
export type Query = Readonly<Record<string, readonly string[]>>;

/** The query validator of an operation. `types` holds the types of parameters that are not strings. */
interface QueryValidator {
  types: ReadonlyMap<string, unknown>;
  validate: ValidateFunction;
  /** The result for a call without a query, which is the most common one. */
  none: Validation<Record<string, unknown>> | null;
}

type Validation<T> = { ok: true; value: T } | { ok: false; errors: FieldError[] };

const bodyValidators = new Map<RouteName, ValidateFunction | null>();
const queryValidators = new Map<RouteName, QueryValidator | null>();
const paramsValidators = new Map<WorkflowName, ValidateFunction>();

/** Validates a JSON body against the operation's request schema. A missing optional body is valid and stays undefined. */
export function validateBody(route: RouteName, body: unknown): Validation<unknown> {
  const validate = getOrMake(bodyValidators, route, compileBody);
  if (!validate) return { ok: true, value: body };
  if (body === undefined && !isBodyRequired(route)) return { ok: true, value: undefined };
  if (validate(body ?? null)) return { ok: true, value: body };
  return { ok: false, errors: listFieldErrors("body", validate.errors) };
}

/**
 * Validates the declared query parameters and converts them to their types. Ignores undeclared ones and refuses repeated ones.
 */
export function validateQuery(route: RouteName, query: Query): Validation<Record<string, unknown>> {
  const declaredQueryValidator = getOrMake(queryValidators, route, compileQuery);
  if (!declaredQueryValidator) return { ok: true, value: {} };
  if (Object.keys(query).length > 0) return readQuery(declaredQueryValidator, query);
  declaredQueryValidator.none ??= readQuery(declaredQueryValidator, query);
  return declaredQueryValidator.none;
}

function readQuery({ types, validate }: QueryValidator, query: Query): Validation<Record<string, unknown>> {
  const value: Record<string, unknown> = Object.create(null); // without a prototype, a name such as `toString` is an ordinary name
  for (const [name, texts] of Object.entries(query)) {
    const [text, another] = texts;
    value[name] = text === undefined || another !== undefined ? [...texts] : readParameter(types.get(name), text);
  }
  if (validate(value)) return { ok: true, value };
  return { ok: false, errors: listFieldErrors("query", validate.errors) };
}

/** Returns what is wrong with a workflow's `params`, or null. JOB-SUBMIT-PARAMS-NOERRORS: one message, no list of fields. */
export function explainParams(workflow: WorkflowName, params: unknown): string | null {
  let validate = paramsValidators.get(workflow);
  if (!validate) {
    validate = compileSchema(contract.workflows[workflow].params);
    paramsValidators.set(workflow, validate);
  }
  if (validate(params)) return null;
  return listFieldErrors("params", validate.errors)
    .map((error) => `${error.loc.join(".")}: ${error.msg}`)
    .join("; ");
}

function getOrMake<K, V>(memory: Map<K, V>, key: K, make: (key: K) => V): V {
  let value = memory.get(key);
  if (value === undefined) {
    value = make(key);
    memory.set(key, value);
  }
  return value;
}

function compileBody(route: RouteName): ValidateFunction | null {
  const body = routes[route].operation.requestBody;
  const schema = body && "content" in body ? body.content["application/json"]?.schema : undefined;
  return schema ? compileSchema(withComponents(schema), { formats }) : null;
}

function isBodyRequired(route: RouteName): boolean {
  const body = routes[route].operation.requestBody;
  return !!body && "required" in body && body.required === true;
}

function compileQuery(route: RouteName): QueryValidator | null {
  const properties: Record<string, { type?: unknown }> = {};
  const required: string[] = [];
  for (const parameter of listParameters(route)) {
    if (parameter.in !== "query") continue;
    properties[parameter.name] = parameter.schema;
    if (parameter.required) required.push(parameter.name);
  }
  if (Object.keys(properties).length === 0) return null;
  const schema = { type: "object", properties, required, additionalProperties: false };
  return {
    types: new Map(Object.entries(properties).map(([name, { type }]) => [name, type])),
    validate: compileSchema(withComponents(schema), { removeAdditional: true, formats }),
    none: null,
  };
}

/**
 * Converts a parameter to its type. A number has only digits: no `0x10`, no `1e2`. A text of another form stays a string, which
 * the schema refuses.
 */
function readParameter(type: unknown, text: string): unknown {
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

/** Returns a schema that compiles alone: `#/components/…` references resolve inside it. */
export function withComponents(schema: object): object {
  return { ...schema, components: { schemas: contract.openapi.components?.schemas ?? {} } };
}

function listFieldErrors(where: string, errors: ErrorObject[] | null | undefined): FieldError[] {
  return (errors ?? []).slice(0, maxErrors).map((error) => ({
    loc: [where, ...error.instancePath.split("/").slice(1), ...listNames(error)],
    msg: error.message ?? "is not valid",
    type: error.keyword,
  }));
}

function listNames(error: ErrorObject): string[] {
  const key = error.params.missingProperty ?? error.params.additionalProperty;
  return typeof key === "string" ? [key] : [];
}
