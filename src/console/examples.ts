/** What of an OpenAPI document leads to the bodies of its examples. */
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

/** The bodies that a path of the control plane's document takes as they stand, by what they do. */
export function bodiesOf(document: object | null, path: string): Record<string, unknown> {
  const examples = (document as ExampleDocument | null)?.paths?.[path]?.post?.requestBody?.content?.["application/json"]
    ?.examples;
  return Object.fromEntries(Object.values(examples ?? {}).map(({ summary, value }) => [summary, value]));
}
