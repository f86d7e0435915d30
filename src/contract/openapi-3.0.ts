type Json = Record<string, unknown>;

/** The versions of OpenAPI in which the document is published. */
export const openApiVersions: readonly string[] = ["3.0", "3.1"];

/** Keywords of OpenAPI 3.1 that 3.0 does not have and cannot express. */
const newKeywords: readonly string[] = [
  ...["$defs", "contains", "dependentRequired", "dependentSchemas", "if", "then", "else", "patternProperties", "prefixItems"],
  ...["propertyNames", "unevaluatedProperties", "jsonSchemaDialect", "webhooks", "identifier"],
];

/** Fields whose value is a map of names, which can be the names of keywords. */
const mapFields: readonly string[] = ["properties", "schemas"];

/** Fields whose value is data and not a part of the document. */
const dataFields: readonly string[] = ["example", "default", "enum", "value", "const"];

/**
 * Returns an OpenAPI 3.1 document in the form of OpenAPI 3.0. `x-openapi-3.1` beside a part holds the keywords of 3.1 that 3.0
 * cannot express, so nothing is lost.
 */
export function toOpenApi30(document: object): object {
  return { ...(rewrite(document) as Json), openapi: "3.0.4" };
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== "object" || node === null) return node;
  return rewriteParts(rewriteKeywords(node as Json));
}

function rewriteParts(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      if (dataFields.includes(key) || key.startsWith("x-") || (key === "examples" && !Array.isArray(value))) return [key, value];
      if (!mapFields.includes(key)) return [key, rewrite(value)];
      return [key, Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, rewrite(part)]))];
    }),
  );
}

function rewriteKeywords({ type, examples, const: only, exclusiveMinimum, exclusiveMaximum, ...others }: Json): Json {
  const lost = Object.entries(others).filter(([key]) => newKeywords.includes(key));
  const kept = Object.entries(others).filter(([key]) => !newKeywords.includes(key));
  const list = Array.isArray(examples) ? examples : [];
  if (list.length > 1) lost.push(["examples", list]);
  return {
    ...rewriteType(type, lost),
    ...Object.fromEntries(kept),
    ...(only !== undefined && { enum: [only] }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
    ...(list.length > 0 && { example: list[0] }),
    ...(examples !== undefined && !Array.isArray(examples) && { examples }),
    ...(lost.length > 0 && { "x-openapi-3.1": Object.fromEntries(lost) }),
  };
}

/** Returns the keywords for a type. A list of several types that are not null is added to `lost`. */
function rewriteType(type: unknown, lost: [string, unknown][]): Json {
  if (type === undefined) return {};
  const types = [type].flat();
  const named = types.filter((name) => name !== "null");
  if (named.length !== 1) {
    lost.push(["type", type]);
    return {};
  }
  return { type: named[0], ...(types.includes("null") && { nullable: true }) };
}
