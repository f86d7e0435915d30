/** A JSON object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** What a schema says of values, with references followed and its alternatives and parts put together. */
export interface Shape {
  /** JSON types; null when it says nothing. */
  types: ReadonlySet<string> | null;
  /** Those of them that a rule beside the plain shape leaves; null when there is none. */
  ruled: ReadonlySet<string> | null;
  /** Listed values; null when it lists none. */
  values: ReadonlySet<unknown> | null;
  properties: ReadonlyMap<string, Json>;
  required: ReadonlySet<string>;
  items: Json | null;
}

const ANY: Shape = { types: null, ruled: null, values: null, properties: new Map(), required: new Set(), items: null };
const DEEPEST = 30;

/** An object with its `$ref` followed; keywords beside it win. Undefined when it is no object or leads nowhere. */
export function follow(node: unknown, document: Json, depth = 0): Json | undefined {
  if (!isJson(node) || depth > DEEPEST) return undefined;
  const { $ref, ...own } = node;
  if (typeof $ref !== "string") return node;
  const steps = $ref
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = steps.reduce<unknown>((at, step) => (isJson(at) ? at[step] : undefined), document);
  return { ...follow(found, document, depth + 1), ...own };
}

/** The shape that a schema of a document gives; of a schema that leads nowhere, or in a circle, that of any value. */
export function shapeOf(schema: unknown, document: Json, depth = 0): Shape {
  const node = follow(schema, document);
  if (!node || depth > DEEPEST) return ANY;
  const shapes = (list: unknown) => (Array.isArray(list) ? list.map((each) => shapeOf(each, document, depth + 1)) : []);
  const choices = [...shapes(node.anyOf), ...shapes(node.oneOf)];
  const parts = [...shapes(node.allOf), ...(choices.length > 0 ? [choices.reduce(either)] : [])];
  const plain = parts.reduce(both, ownShape(node));
  if (!("x-rule" in node)) return plain;
  const rule = shapeOf(node["x-rule"], document, depth + 1);
  return { ...both(plain, rule), types: plain.types, ruled: rule.types };
}

/** Whether this is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownShape({ type, nullable, enum: listed, const: only, properties, required, items }: Json): Shape {
  const values = Array.isArray(listed) ? listed : only === undefined ? null : [only];
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : null;
  const known = types ?? (isJson(properties) ? ["object"] : values?.map(typeOf));
  return {
    types: known ? new Set(nullable === true ? [...known, "null"] : known) : null,
    ruled: null,
    values: values && new Set(values),
    properties: new Map(
      Object.entries(isJson(properties) ? properties : {}).filter((pair): pair is [string, Json] => isJson(pair[1])),
    ),
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    items: isJson(items) ? items : null,
  };
}

/** What is so when both are. */
function both(a: Shape, b: Shape): Shape {
  const meet = <T>(x: ReadonlySet<T> | null, y: ReadonlySet<T> | null) =>
    x && y ? new Set([...x].filter((one) => y.has(one))) : (x ?? y);
  return {
    types: meet(a.types, b.types),
    ruled: meet(a.ruled, b.ruled),
    values: meet(a.values, b.values),
    properties: joined(a.properties, b.properties, "allOf"),
    required: new Set([...a.required, ...b.required]),
    items: a.items && b.items ? { allOf: [a.items, b.items] } : (a.items ?? b.items),
  };
}

/** What is so when one of them is. The choice between a value and null says of the value what it says alone. */
function either(a: Shape, b: Shape): Shape {
  const types = a.types && b.types ? new Set([...a.types, ...b.types]) : null;
  const [some, other] = [a, b].map((shape) => ([...(shape.types ?? [])].join() === "null" ? null : shape));
  if (!some || !other) return { ...(some ?? other ?? ANY), types };
  return {
    types,
    ruled: null,
    values: a.values && b.values ? new Set([...a.values, ...b.values]) : null,
    properties: joined(a.properties, b.properties, "anyOf"),
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    items: a.items && b.items ? { anyOf: [a.items, b.items] } : (a.items ?? b.items),
  };
}

function joined(a: Shape["properties"], b: Shape["properties"], how: "allOf" | "anyOf"): Map<string, Json> {
  const one = (name: string): Json => {
    const [x, y] = [a.get(name), b.get(name)];
    return x && y ? { [how]: [x, y] } : (x ?? y ?? {});
  };
  return new Map([...new Set([...a.keys(), ...b.keys()])].map((name) => [name, one(name)]));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
