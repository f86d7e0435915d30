import { intersectLimits, type Limits, readLimits, uniteLimits } from "./limits.js";

/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** The constraints of a schema, with references followed and its parts and alternatives combined. */
export interface Shape {
  /** JSON types; null when any type is allowed. */
  types: ReadonlySet<string> | null;
  /** The types that the schema's `x-rule` allows; null without a rule. */
  ruleTypes: ReadonlySet<string> | null;
  /** Enumerated values; null when it has no enumeration. */
  values: ReadonlySet<unknown> | null;
  /** The enumerated values that the schema's `x-rule` allows; null without a rule or an enumeration. */
  ruleValues: ReadonlySet<unknown> | null;
  limits: Limits;
  properties: ReadonlyMap<string, Json>;
  required: ReadonlySet<string>;
  items: Json | null;
}

const anyShape: Shape = {
  ...{ types: null, ruleTypes: null, values: null, ruleValues: null, items: null },
  ...{ limits: new Map(), properties: new Map(), required: new Set() },
};
const maxDepth = 30;

/**
 * Returns an object with its `$ref` resolved; keywords beside the reference override it. Returns undefined for anything that is
 * not an object, or a broken reference.
 */
export function follow(node: unknown, document: Json, depth = 0): Json | undefined {
  if (!isJson(node) || depth > maxDepth) return undefined;
  const { $ref, ...own } = node;
  if (typeof $ref !== "string") return node;
  const steps = $ref
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = steps.reduce<unknown>((at, step) => (isJson(at) ? at[step] : undefined), document);
  return { ...follow(found, document, depth + 1), ...own };
}

/** Returns the shape of a schema. A broken or circular schema has the shape of any value. */
export function computeShape(schema: unknown, document: Json, depth = 0): Shape {
  const node = follow(schema, document);
  if (!node || depth > maxDepth) return anyShape;
  const shapes = (list: unknown) => (Array.isArray(list) ? list.map((each) => computeShape(each, document, depth + 1)) : []);
  const choices = [...shapes(node.anyOf), ...shapes(node.oneOf)];
  const parts = [...shapes(node.allOf), ...(choices.length > 0 ? [choices.reduce(uniteShapes)] : [])];
  const plainShape = parts.reduce(intersect, computeOwnShape(node));
  if (!("x-rule" in node)) return plainShape;
  const rule = computeShape(node["x-rule"], document, depth + 1);
  const both = intersect(plainShape, rule);
  const properties = mergeProperties(plainShape.properties, rule.properties, (x, y) => ({ allOf: [x], "x-rule": y }));
  return {
    ...both,
    types: plainShape.types,
    ruleTypes: rule.types,
    values: plainShape.values,
    ruleValues: both.values,
    properties,
  };
}

/** Returns whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function computeOwnShape(node: Json): Shape {
  const { type, nullable, enum: listed, const: only, properties, required, items } = node;
  const values = Array.isArray(listed) ? listed : only === undefined ? null : [only];
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : null;
  const knownTypes = types ?? (isJson(properties) ? ["object"] : values?.map(readType));
  return {
    types: knownTypes ? new Set(nullable === true ? [...knownTypes, "null"] : knownTypes) : null,
    ruleTypes: null,
    values: values && new Set(values),
    ruleValues: null,
    limits: readLimits(node),
    properties: new Map(
      Object.entries(isJson(properties) ? properties : {}).filter((pair): pair is [string, Json] => isJson(pair[1])),
    ),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    items: isJson(items) ? items : null,
  };
}

/** Returns the shape of values that satisfy both. */
function intersect(a: Shape, b: Shape): Shape {
  const common = <T>(x: ReadonlySet<T> | null, y: ReadonlySet<T> | null) =>
    x && y ? new Set([...x].filter((singleShape) => y.has(singleShape))) : (x ?? y);
  return {
    types: common(a.types, b.types),
    ruleTypes: common(a.ruleTypes, b.ruleTypes),
    values: common(a.values, b.values),
    ruleValues: common(a.ruleValues, b.ruleValues),
    limits: intersectLimits(a.limits, b.limits),
    properties: mergeProperties(a.properties, b.properties, (x, y) => ({ allOf: [x, y] })),
    required: new Set([...a.required, ...b.required]),
    items: a.items && b.items ? { allOf: [a.items, b.items] } : (a.items ?? b.items),
  };
}

/** Returns the shape of values that satisfy at least one. A choice between a schema and null keeps the schema's constraints. */
function uniteShapes(a: Shape, b: Shape): Shape {
  const types = a.types && b.types ? new Set([...a.types, ...b.types]) : null;
  const [some, other] = [a, b].map((shape) => ([...(shape.types ?? [])].join() === "null" ? null : shape));
  if (!some || !other) return { ...(some ?? other ?? anyShape), types };
  return {
    types,
    ruleTypes: null,
    values: a.values && b.values ? new Set([...a.values, ...b.values]) : null,
    ruleValues: null,
    limits: uniteLimits(a.limits, b.limits),
    properties: mergeProperties(a.properties, b.properties, (x, y) => ({ anyOf: [x, y] })),
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    items: a.items && b.items ? { anyOf: [a.items, b.items] } : (a.items ?? b.items),
  };
}

function mergeProperties(a: Shape["properties"], b: Shape["properties"], join: (x: Json, y: Json) => Json): Map<string, Json> {
  const singleShape = (name: string): Json => {
    const [x, y] = [a.get(name), b.get(name)];
    return x && y ? join(x, y) : (x ?? y ?? {});
  };
  return new Map([...new Set([...a.keys(), ...b.keys()])].map((name) => [name, singleShape(name)]));
}

function readType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
