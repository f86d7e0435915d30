import { compileSchema } from "../../../src/contract/load.js";

/** A JSON object of a document. */
export type Json = Record<string, unknown>;

/** A value in a document and its path. */
interface Found<T> {
  at: string;
  is: T;
}

/** Keywords that code generators ignore or handle wrongly. */
const unsupported = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "$dynamicRef",
  "patternProperties",
  "prefixItems",
];
const methods = ["get", "post", "put", "patch", "delete"];

/** Finds the parts of a published document that common tools handle wrongly. Returns one line each. */
export function findUnsupported(document: Json): string[] {
  return [
    ...schemasIn(document).flatMap((schema) => getFaults(schema).map((fault) => `${schema.at}: ${fault}`)),
    ...repeatedNames(document),
    ...examplesIn(document),
    ...operationsIn(document).flatMap((operation) =>
      operationFaults(operation, document).map((fault) => `${operation.at}: ${fault}`),
    ),
    ...["license", "contact"].filter((word) => !(word in object(document.info))).map((word) => `info: has no ${word}`),
  ];
}

function getFaults({ at, is: schema }: Found<Json>): string[] {
  const { type, enum: values, $ref, properties } = schema;
  const types = type === undefined ? [] : [type].flat();
  const isNullable = types.includes("null");
  const isNamed = /^#\/components\/schemas\/[^/]+$/.test(at);
  return [
    ...unsupported.filter((word) => word in schema).map((word) => `says ${word}`),
    ...(types.length === 1 && isNullable ? ["is null and nothing else"] : []),
    ...(types.length > (isNullable ? 2 : 1) ? ["is of several types"] : []),
    ...(types.length === 0 && $ref === undefined && !("x-not-shown" in schema) && Array.isArray(values)
      ? ["lists values of no type"]
      : []),
    ...(Array.isArray(values) && (isNullable || values.includes(null)) ? ["lists values, and may be null"] : []),
    ...(properties !== undefined && !isNamed ? ["is an object without a name"] : []),
    ...($ref !== undefined && Object.keys(schema).length > 1 ? ["says more beside a reference"] : []),
    ...(isNamed && !Array.isArray(schema.examples) ? ["has no example"] : []),
  ];
}

/** Some generators put schemas, parameters and responses into one namespace, some ignoring case. */
function repeatedNames({ components }: Json): string[] {
  const kinds = Object.entries(object(components)).filter(([kind]) => kind !== "securitySchemes");
  const names = kinds.flatMap(([kind, all]) => Object.keys(object(all)).map((name) => ({ kind, name })));
  const isRepeated = (name: string) => names.filter((one) => one.name.toLowerCase() === name.toLowerCase()).length > 1;
  return names.filter(({ name }) => isRepeated(name)).map(({ kind, name }) => `#/components/${kind}/${name}: shares its name`);
}

/** Finds parts without an example, and examples that are not valid. */
function examplesIn(document: Json): string[] {
  const named = Object.entries(object(object(document.components).schemas));
  const ofSchemas = named.flatMap(([name, schema]) => {
    const { examples = [] } = object(schema);
    return (examples as unknown[]).map((value) => ({
      at: `#/components/schemas/${name}`,
      schema: { $ref: `#/components/schemas/${name}` },
      value,
    }));
  });
  const ofHolders = holdersIn(document).flatMap(({ at, is: holder }) => {
    const values =
      "example" in holder ? [holder.example] : Object.values(object(holder.examples)).map((one) => object(one).value);
    return [undefined, ...values].map((value) => ({ at, schema: object(holder.schema), value, count: values.length }));
  });
  const validators = new Map<string, ReturnType<typeof compileSchema>>();
  const getValidator = (schema: Json) => {
    const text = JSON.stringify(schema);
    const validate = validators.get(text) ?? compileSchema({ ...schema, components: document.components });
    validators.set(text, validate);
    return validate;
  };
  return [
    // a cursor comes from the previous page, so none works in advance
    ...ofHolders
      .filter(({ at, value, count }) => value === undefined && count === 0 && !at.endsWith("/Cursor"))
      .map(({ at }) => `${at}: has no example`),
    ...[...ofSchemas, ...ofHolders].flatMap(({ at, schema, value }) => {
      if (value === undefined) return [];
      const validate = getValidator(schema);
      return validate(value)
        ? []
        : [`${at}: its example is wrong: ${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}`];
    }),
  ];
}

function operationFaults({ at, is: operation }: Found<Json>, document: Json): string[] {
  const [method = "", path = ""] = at.split(" ");
  const item = object(object(document.paths)[path]);
  const parameters = [item.parameters, operation.parameters]
    .flatMap((list) => (list ?? []) as Json[])
    .map((json) => follow(json, document));
  const listed = Object.keys(object(operation.responses));
  const due = dueStatuses(method, parameters);
  const secured = (operation.security ?? document.security) as Json[];
  return [
    ...due.filter((status) => !listed.includes(status)).map((status) => `does not list ${status}`),
    ...(listed.some((status) => status.startsWith("2")) ? [] : ["lists no success"]),
    ...Object.entries(object(operation.responses))
      .filter(([status, response]) => /^[45]/.test(status) && !("$ref" in object(response)))
      .map(([status]) => `spells out ${status}, a refusal that has no name`),
    ...(secured.some((way) => "session" in way) && !("servers" in item)
      ? ["wants a session, and names no server that takes one"]
      : []),
  ];
}

/** Returns the error statuses that any operation of this kind can answer. */
function dueStatuses(method: string, parameters: Json[]): string[] {
  const has = (place: string) => parameters.some((parameter) => parameter.in === place);
  return [
    ...["401", "429", "500", "503"],
    ...(["POST", "PUT", "PATCH"].includes(method) ? ["400", "413", "415"] : []),
    ...(has("path") ? ["404"] : []),
    ...(has("query") ? ["422"] : []),
    ...(parameters.some((parameter) => parameter.name === "cursor") ? ["400"] : []),
  ];
}

function operationsIn({ paths }: Json): Found<Json>[] {
  return Object.entries(object(paths)).flatMap(([path, item]) =>
    Object.entries(object(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, is: object(operation) })),
  );
}

/** Returns every parameter, header and body that has a schema. */
function holdersIn(node: unknown, at = "#"): Found<Json>[] {
  if (typeof node !== "object" || node === null || /\/examples?$/.test(at)) return [];
  const inside = Object.entries(node).flatMap(([key, child]) => holdersIn(child, `${at}/${key}`));
  return "schema" in node ? [{ at, is: node as Json }, ...inside] : inside;
}

/** Returns every schema with its subschemas. */
function schemasIn(document: Json): Found<Json>[] {
  const named = Object.entries(object(object(document.components).schemas));
  const roots = [
    ...named.map(([name, is]) => ({ at: `#/components/schemas/${name}`, is })),
    ...holdersIn(document).map(({ at, is }) => ({ at: `${at}/schema`, is: is.schema })),
  ];
  return roots.flatMap(({ at, is }) => withParts(object(is), at));
}

function withParts(schema: Json, at: string): Found<Json>[] {
  const words = ["properties", "patternProperties", "$defs", "dependentSchemas"];
  const keyed = words.flatMap((word) =>
    Object.entries(object(schema[word])).map(([name, is]) => ({ at: `${at}/${word}/${name}`, is })),
  );
  const lists = ["allOf", "anyOf", "oneOf", "prefixItems"].flatMap((word) =>
    ((schema[word] ?? []) as unknown[]).map((is, i) => ({ at: `${at}/${word}/${i}`, is })),
  );
  const single = ["items", "additionalProperties", "not", "if", "then", "else"].flatMap((word) =>
    typeof schema[word] === "object" ? [{ at: `${at}/${word}`, is: schema[word] }] : [],
  );
  return [{ at, is: schema }, ...[...keyed, ...lists, ...single].flatMap(({ at: place, is }) => withParts(object(is), place))];
}

function follow(node: Json, document: Json): Json {
  const { $ref } = node;
  if (typeof $ref !== "string") return node;
  return object(
    $ref
      .split("/")
      .slice(1)
      .reduce<unknown>((here, key) => object(here)[key], document),
  );
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
