import type { BodySchema } from "./schema-fields.jsx";

/** The parts of an OpenAPI document that describe bodies. */
interface BodyDocument {
  paths?: Record<string, { post?: { requestBody?: { content?: { "application/json"?: BodyContent } } } }>;
}

interface BodyContent {
  schema?: BodySchema;
  examples?: Record<string, { summary: string; value?: unknown }>;
}

/** Returns the example bodies of a path in the control plane's document, by their titles. */
export function listBodies(document: object | null, path: string): Record<string, unknown> {
  const examples = readContent(document, path).examples ?? {};
  return Object.fromEntries(Object.values(examples).map(({ summary, value }) => [summary, value]));
}

/** Returns the schema of the body of a path in the control plane's document. */
export function readBodySchema(document: object | null, path: string): BodySchema {
  return readContent(document, path).schema ?? {};
}

function readContent(document: object | null, path: string): BodyContent {
  return (document as BodyDocument | null)?.paths?.[path]?.post?.requestBody?.content?.["application/json"] ?? {};
}
