/** The parts of an OpenAPI document that hold the examples of bodies. */
interface ExampleDocument {
  paths?: Record<
    string,
    { post?: { requestBody?: { content?: { "application/json"?: { examples?: Record<string, Example> } } } } }
  >;
}

interface Example {
  summary: string;
  value?: unknown;
}

/** Returns the example bodies of a path in the control plane's document, by their titles. */
export function listBodies(document: object | null, path: string): Record<string, unknown> {
  const examples = (document as ExampleDocument | null)?.paths?.[path]?.post?.requestBody?.content?.["application/json"]
    ?.examples;
  return Object.fromEntries(Object.values(examples ?? {}).map(({ summary, value }) => [summary, value]));
}
