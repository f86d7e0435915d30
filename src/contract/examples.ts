import { contract } from "./load.js";

type Json = Record<string, unknown>;

/** A parameter or media type, with a schema and possibly examples. */
interface Holder {
  schema?: { $ref?: string };
  example?: unknown;
  examples?: Json;
}

/** The parts of a document that get examples. */
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
 * Adds an example to each parameter and body without one: that of its schema or, for an error, one per code of its status.
 * Modifies the given document.
 */
export function addExamples<D extends object>(document: D): D {
  const { paths, components } = document as unknown as Document;
  const show = (holder: Holder) => {
    const [example] = components.schemas[readReferenceName(holder.schema?.$ref)]?.examples ?? [];
    if (example !== undefined && !("example" in holder) && !("examples" in holder)) holder.example = example;
  };
  for (const operation of Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(isOperation)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const body = "$ref" in response ? components.responses[readReferenceName(response.$ref)] : undefined;
      for (const media of listMediaTypes(body)) media.examples ??= listRefusals(Number(status));
      for (const media of listMediaTypes(response as Body)) show(media);
    }
    for (const media of listMediaTypes(operation.requestBody)) show(media);
    for (const parameter of operation.parameters ?? []) if ("schema" in parameter) show(parameter);
  }
  for (const parameter of Object.values(components.parameters)) show(parameter);
  return document;
}

/** Returns one example error per code of a status. */
function listRefusals(status: number): Json {
  const rows = Object.entries(contract.errors).filter(([, row]) => row.status === status);
  return Object.fromEntries(
    rows.map(([code, { type, message }]) => [code, { value: { error: { type, code, message, request_id: "req_0000000k" } } }]),
  );
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "responses" in value;
}

function listMediaTypes(body: Body | undefined): Holder[] {
  return Object.values(body?.content ?? {});
}

function readReferenceName(reference = ""): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
