import type { OpenAPIV3_1 } from "openapi-types";
import { contract } from "../contract/load.js";
import { resolveRoute } from "../contract/routes.js";
import type { ResponseText, Step } from "../engine/scenario/format.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { isMatcher } from "../engine/scenario/matcher.js";

type Schema = OpenAPIV3_1.SchemaObject & { "x-not-shown"?: boolean };
type StatedResponse = OpenAPIV3_1.ResponseObject & { "x-assumed"?: boolean };

/** Matchers that check only whether a field is present. The name of the field is enough for them. */
const PRESENCE_MATCHERS = new Set(["absent", "present", "absentOrNull"]);

/**
 * Describes what a step expects of a successful response although the contract does not show it. A step may observe such a field, but not assert it.
 */
export function findUnspecifiedExpectations(step: Step): string[] {
  const responses = listResponses(step);
  if (!responses || !step.expect) return [];
  const { status, json } = step.expect as ResponseText;
  const open = findUnspecifiedStatus(status, responses);
  if (open !== undefined) return [open];
  if (!isRecord(json) || "error" in json || !expectsSuccess(status)) return [];
  const found = listSuccesses(responses, status).map(
    (response) => new Set(findUnshownPlaces(json, readBodySchema(response), "")),
  );
  const [first, ...others] = found;
  return [...(first ?? [])]
    .filter((place) => others.every((other) => other.has(place)))
    .map((place) => `the contract does not show ${place || "this body"}; allowed: observe it, or check whether it is present`);
}

function listResponses({ rest, at = "api", session, expect }: Step): Record<string, StatedResponse> | undefined {
  if (!rest || !expect || (at !== "api" && at !== "app" && session === undefined)) return undefined;
  const [method = "", address = ""] = rest.split(" ");
  const path = address
    .replace(/\?.*/, "")
    .replace(/\{repo[1-9]?\}/g, "o/r/b")
    .replace(/\{[^{}]+\}/g, "x");
  const resolvedResolution = resolveRoute(method, path);
  return resolvedResolution.found === "route"
    ? (resolvedResolution.route.operation.responses as Record<string, StatedResponse>)
    : undefined;
}

function findUnspecifiedStatus(status: unknown, responses: Record<string, StatedResponse>): string | undefined {
  if (typeof status !== "number" || status < 200 || status > 299) return undefined;
  const response = responses[status];
  return response && !response["x-assumed"] ? undefined : `the contract does not show status ${status} here; allowed: 2xx`;
}

function expectsSuccess(status: unknown): boolean {
  return status === undefined || status === "2xx" || (typeof status === "number" && status < 300);
}

function listSuccesses(responses: Record<string, StatedResponse>, status: unknown): StatedResponse[] {
  const shown = Object.keys(responses).filter((code) => (typeof status === "number" ? code === String(status) : /^2/.test(code)));
  return shown.flatMap((code) => responses[code] ?? []);
}

function readBodySchema({ content }: StatedResponse): Schema | undefined {
  return resolve(content?.["application/json"]?.schema as Schema | undefined);
}

/** Returns the places of an expectation that no schema shows, as JSON pointers in which `*` stands for any item. */
function findUnshownPlaces(expected: unknown, schema: Schema | undefined, at: string): string[] {
  if (Array.isArray(expected)) return expected.flatMap((item) => findUnshownPlaces(item, readItems(schema), `${at}/*`));
  if (!isRecord(expected)) return [];
  if (isMatcher(expected))
    return Object.entries(expected).flatMap(([word, argument]) => findUnshownInMatcher(word, argument, schema, at));
  const shown = readProperties(schema);
  return Object.entries(expected).flatMap(([name, value]) => {
    if (name.includes("{")) return [];
    const field = shown[name];
    if (field === undefined) return checksOnlyPresence(value, "absent") ? [] : [`${at}/${name}`];
    if (field["x-not-shown"]) return checksOnlyPresence(value) ? [] : [`${at}/${name}`];
    return findUnshownPlaces(value, field, `${at}/${name}`);
  });
}

function findUnshownInMatcher(word: string, argument: unknown, schema: Schema | undefined, at: string): string[] {
  if (word === "fields" || word === "not") return findUnshownPlaces(argument, schema, at);
  if (word === "equals") return isRecord(argument) ? findUnshownPlaces({ fields: argument }, schema, at) : [];
  if (word === "in") return [argument].flat().flatMap((choice) => findUnshownPlaces(choice, schema, at)); // a variable holds the choices
  return word === "each" || word === "contains" ? findUnshownPlaces(argument, readItems(schema), `${at}/*`) : [];
}

function checksOnlyPresence(value: unknown, ...only: string[]): boolean {
  const words = only.length > 0 ? new Set(only) : PRESENCE_MATCHERS;
  return isRecord(value) && Object.keys(value).every((word) => words.has(word));
}

function readProperties(schema: Schema | undefined): Record<string, Schema | undefined> {
  const { properties = {}, allOf = [], oneOf = [], anyOf = [] } = schema ?? {};
  const parts = [...allOf, ...oneOf, ...anyOf].map((part) => readProperties(resolve(part as Schema)));
  const own = Object.entries(properties).map(([name, field]) => [name, resolve(field as Schema)] as const);
  return Object.assign({}, ...parts, Object.fromEntries(own)) as Record<string, Schema | undefined>;
}

function readItems(schema: Schema | undefined): Schema | undefined {
  if (schema && "items" in schema) return resolve(schema.items as Schema);
  return (schema?.allOf ?? []).map((part) => readItems(resolve(part as Schema))).find((items) => items !== undefined);
}

/** Returns a schema, or the schema that its reference names. */
function resolve(schema: Schema | { $ref: string } | undefined): Schema | undefined {
  if (!schema || !("$ref" in schema) || schema.$ref === undefined) return schema as Schema | undefined;
  const steps = schema.$ref.split("/").slice(1);
  return resolve(steps.reduce<unknown>((here, step) => (isRecord(here) ? here[step] : undefined), contract.openapi) as Schema);
}
