import { contract } from "./load.js";

type Json = Record<string, unknown>;

/** What holds a schema and may show an example of it: a parameter, or the body of a request or an answer. */
interface Holder {
  schema?: { $ref?: string };
  example?: unknown;
  examples?: Json;
}

/** The parts of a document that examples are put into. */
interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, { examples?: unknown[] }>;
    parameters: Record<string, Holder>;
    responses: Record<string, Body>;
  };
}

interface Operation {
  parameters?: (Holder | { $ref: string })[];
  requestBody?: Body;
  responses: Record<string, Body | { $ref: string }>;
}

interface Body {
  content?: Record<string, Holder>;
}

/**
 * The document with an example at each parameter and body that has none of its own: that of its schema or, for a refusal, one for each
 * code of its status. Writes to the document that it is given.
 */
export function withExamples<D extends object>(document: D): D {
  const { paths, components } = document as unknown as Document;
  const show = (holder: Holder) => {
    const [example] = components.schemas[nameIn(holder.schema?.$ref)]?.examples ?? [];
    if (example !== undefined && !("example" in holder) && !("examples" in holder)) holder.example = example;
  };
  for (const operation of Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(isOperation)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const refused = "$ref" in response ? components.responses[nameIn(response.$ref)] : undefined;
      for (const media of mediaOf(refused)) media.examples ??= refusals(Number(status));
      for (const media of mediaOf(response as Body)) show(media);
    }
    for (const media of mediaOf(operation.requestBody)) show(media);
    for (const parameter of operation.parameters ?? []) if ("schema" in parameter) show(parameter);
  }
  for (const parameter of Object.values(components.parameters)) show(parameter);
  return document;
}

/** One refusal of a status for each code that it can carry. */
function refusals(status: number): Json {
  const rows = Object.entries(contract.errors).filter(([, row]) => row.status === status);
  return Object.fromEntries(
    rows.map(([code, { type, message }]) => [code, { value: { error: { type, code, message, request_id: "req_0000000k" } } }]),
  );
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "responses" in value;
}

function mediaOf(body: Body | undefined): Holder[] {
  return Object.values(body?.content ?? {});
}

function nameIn(reference = ""): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
