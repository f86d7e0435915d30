/** JSON documents by the name before the `#` of a reference. The empty name is the current document. */
export type Documents = Readonly<Record<string, unknown>>;

/**
 * Returns a JSON Schema without references: each `$ref` is replaced by its target, and keywords beside it override the target.
 * Drops our extensions (`x-…`). Throws on a reference to nothing.
 */
export function inlineReferences(schema: unknown, documents: Documents): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlineReferences(item, documents));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...own } = schema as Record<string, unknown>;
  const target = typeof $ref === "string" ? follow($ref, documents) : {};
  const kept = Object.entries(own).filter(([keyword]) => !keyword.startsWith("x-"));
  return { ...target, ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, inlineReferences(value, documents)])) };
}

function follow(reference: string, documents: Documents): object {
  const [name, pointer] = reference.split("#/") as [string, string];
  const found = pointer
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], documents[name]);
  if (typeof found !== "object" || found === null)
    throw new Error(`spec/ contains a reference to ${reference}, which does not exist`);
  return inlineReferences(found, { ...documents, "": documents[name] }) as object;
}
