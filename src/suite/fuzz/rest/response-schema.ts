import type { ErrorObject, ValidateFunction } from "ajv";
import { compileSchema, contract } from "../../../contract/load.js";
import { routes } from "../../../contract/routes.js";
import type { ClauseId, RouteName } from "../../../contract/types.js";
import { parseBodyJson, type WireResponse } from "../../../engine/http/exchange.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { findList } from "../../statements/lists.js";
import type { Violation } from "./response-rules.js";

type Json = Record<string, unknown>;

/** Schemas that the contract shows only in part (REPO-FIELD-OTHER, KEY-FIELD-OTHER). */
const shownPartSchemas: Readonly<Record<string, (schema: Json) => Json>> = {
  "#/components/schemas/Repository": () => ({}),
  "#/components/schemas/ApiKey": ({ required, properties }) => ({
    type: "object",
    required,
    properties: { key_id: (properties as Json).key_id },
  }),
};

/** The contract does not show the response to a PATCH of a key. */
const routesWithUnshownBody: readonly RouteName[] = ["PATCH /api/keys/{key_id}"];

const validators = new Map<string, ValidateFunction | undefined>();

/** Returns how a successful response differs from the document: in its status or its body. */
export function findSchemaMismatch(route: RouteName, response: WireResponse): Violation | undefined {
  const { status } = response;
  if (status < 200 || status > 299 || routesWithUnshownBody.includes(route)) return undefined;
  return findWrongStatus(route, status) ?? findWrongBody(route, response);
}

/** Compiles the schemas of all successful responses. Without it, the first response of each route would wait for the compilation. */
export function compileResponseSchemas(): void {
  for (const route of Object.keys(routes) as RouteName[])
    for (const [status] of listSuccesses(route)) findValidator(route, Number(status));
}

/** Any 2xx is valid if the document does not show the status. */
function findWrongStatus(route: RouteName, status: number): Violation | undefined {
  const responses = listSuccesses(route);
  if (responses.some(([, response]) => response["x-assumed"] === true) || responses.some(([known]) => Number(known) === status))
    return undefined;
  const known = responses.map(([name]) => Number(name));
  return {
    clauses: [findShapeClause(route)],
    why: `status ${status} instead of ${known.join(" or ")}`,
    expect: { status: [...known, "4xx"] },
  };
}

function findWrongBody(route: RouteName, response: WireResponse): Violation | undefined {
  const { status, body } = response;
  const validate = findValidator(route, status);
  if (!validate) return undefined;
  const json = parseBodyJson(response);
  if (body.length === 0 || !json.ok)
    return {
      clauses: [findShapeClause(route)],
      why: `status ${status} with ${json.ok ? "no body" : json.what}`,
      expect: { status, json: {} },
    };
  if (validate(json.value)) return undefined;
  const error =
    validate.errors?.find(({ keyword }) => !["if", "allOf", "x-rule"].includes(keyword)) ?? (validate.errors?.[0] as ErrorObject);
  return {
    clauses: listBodyClauses(route, error),
    why: `the body does not match its schema: ${error.instancePath || "/"} ${error.message}`,
    expect: { status, json: createMatcher(error) },
    inconclusiveIf: [{ status: { not: status } }],
  };
}

function findValidator(route: RouteName, status: number): ValidateFunction | undefined {
  const responses = listSuccesses(route);
  const [known, response] = responses.find(([one]) => Number(one) === status) ?? responses[0] ?? [];
  const name = `${known} ${route}`;
  if (!validators.has(name)) {
    const content = isRecord(response?.content) ? response.content["application/json"] : undefined;
    const schema = isRecord(content) ? showValue(content.schema) : {};
    validators.set(name, Object.keys(schema).length > 0 ? compileSchema(schema, { verbose: true }) : undefined);
  }
  return validators.get(name);
}

function listSuccesses(route: RouteName): [string, Json][] {
  const responses = (routes[route].operation.responses ?? {}) as Json;
  return Object.entries(responses).filter((pair): pair is [string, Json] => pair[0].startsWith("2") && isRecord(pair[1]));
}

/** Returns a schema with references resolved, without parts that the contract leaves open. */
function showValue(schema: unknown): Json {
  if (!isRecord(schema) || schema["x-not-shown"] || schema["x-assumed"]) return {};
  const { $ref, ...own } = schema;
  const pointed = typeof $ref === "string" ? (shownPartSchemas[$ref]?.(findComponent($ref)) ?? findComponent($ref)) : {};
  return Object.fromEntries(Object.entries({ ...pointed, ...own }).map(([word, value]) => [word, showWord(word, value)]));
}

function showWord(word: string, value: unknown): unknown {
  if (word === "properties" && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, showValue(one)]));
  if (Array.isArray(value) && ["allOf", "anyOf", "oneOf"].includes(word)) return value.map(showValue);
  return isRecord(value) ? showValue(value) : value;
}

function findComponent(reference: string): Json {
  const [, ...path] = reference.split("/");
  return path.reduce<Json>((at, name) => at[name] as Json, contract.openapi as unknown as Json);
}

/** Returns the scenario matcher of a schema error's place. Places in lists apply to every item. */
function createMatcher({ instancePath, keyword, params, parentSchema }: ErrorObject): unknown {
  const wanted =
    keyword === "required"
      ? { fields: { [params.missingProperty]: { present: true } } }
      : createSchemaMatcher(parentSchema as Json, keyword);
  return instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduceRight<unknown>((inner, step) => (/^\d+$/.test(step) ? { each: inner } : { fields: { [step]: inner } }), wanted);
}

function createSchemaMatcher(schema: Json, keyword: string): unknown {
  switch (keyword) {
    case "enum":
      return { in: schema.enum };
    case "const":
      return { in: [schema.const] };
    case "pattern":
      return { matches: schema.pattern };
    case "format":
      return [schema.type].flat().includes("null") ? { in: [{ type: "timestamp" }, { type: "null" }] } : { type: "timestamp" };
    default:
      return { type: schema.type };
  }
}

/** Returns the clauses of a schema error: of the envelope for a page of a list, otherwise of the operation. */
function listBodyClauses(route: RouteName, { instancePath, schemaPath }: ErrorObject): ClauseId[] {
  if (!findList(route) || /^\/data\/./.test(instancePath)) return [findShapeClause(route)];
  return schemaPath.includes("PageEnd") ? ["CURSOR-LAST", "CURSOR-MORE"] : ["PAGE-FIELD-TYPES"];
}

/** Returns the clause that shows the response of an operation. */
function findShapeClause(route: RouteName): ClauseId {
  const clauses: { [R in RouteName]?: ClauseId } = {
    "POST /api/repos/{owner}/{repo}/{branch}/jobs": "JOB-SUBMIT-RESPONSE",
    "GET /api/repos/{owner}/{repo}/{branch}/jobs": "JOB-FIELD-TYPES",
    "GET /api/jobs": "JOB-FIELD-TYPES",
    "GET /api/jobs/{job_id}": "JOB-GET-ROUTE",
    "POST /api/jobs/{job_id}/retry": "JOB-RETRY-ROUTE",
    "GET /api/repos": "PAGE-FIELD-TYPES",
    "POST /api/repos": "REPO-FIELD-DISCOVER-NULL",
    "DELETE /api/repos/{owner}/{repo}/{branch}": "REPO-DELETE-ROUTE",
    "GET /api/observations": "PAGE-FIELD-TYPES",
    "GET /api/observations/{ref}": "OBS-GET-ROUTE",
    "POST /api/observations/{ref}/fix": "OBS-FIX-FIELD-IDS",
    "GET /api/forecasts/lookup": "FORECAST-LOOKUP-ROUTE",
    "POST /api/keys": "KEY-FIELD-ID",
    "GET /api/openapi.json": "DOCS-OPENAPI-SERVED",
  };
  return clauses[route] ?? "GEN-JSON-RESPONSE";
}
