import { addExamples } from "../../src/contract/examples.js";
import { readSpec } from "../../src/contract/load.js";
import { inlineReferences } from "../../src/contract/references.js";
import { resolveRoute } from "../../src/contract/routes.js";
import type { Fault } from "../mutants/mutant.js";
import type { ChangedResponse, RelayedRequest } from "../mutants/wire.js";

/** A server without behaviour. */
export interface ConstantServer {
  /** Creates the fault of the mock that makes the server. One fault belongs to one mock. */
  fault(): Fault;
  /** Whether only the scenarios of the tool server are run, because the rest of the server works. */
  isToolsOnly?: true;
}

/** Returns whether a request is for the control plane of the mock. */
export function isControl({ path }: RelayedRequest): boolean {
  return path.startsWith("/__mock");
}

/** Returns a response with a JSON body. */
export function json(status: number, body: unknown): ChangedResponse {
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
}

/** Returns a JSON object; undefined for other text. */
export function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Operations = Record<
  string,
  Record<string, { responses: Record<string, { content?: Record<string, { example?: unknown }> }> }>
>;
const document = addExamples(readSpec("openapi.json") as { paths: object });
const paths = inlineReferences(document.paths, { "": document }) as Operations;

/** Returns the first success that the published document shows of an operation, or 204 without a body. */
export function example({ method, path }: RelayedRequest): ChangedResponse {
  const resolution = resolveRoute(method, path.split("?")[0] ?? path);
  const template = resolution.found === "route" ? resolution.route.name.split(" ")[1] : undefined;
  const responses = paths[template ?? ""]?.[method.toLowerCase()]?.responses ?? {};
  const [status = "204", response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const shown = Object.values(response?.content ?? {})[0]?.example;
  return shown === undefined ? { status: Number(status), headers: {}, text: "" } : json(Number(status), shown);
}
