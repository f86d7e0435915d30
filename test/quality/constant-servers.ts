import { withExamples } from "../../src/contract/examples.js";
import { contract, readSpec } from "../../src/contract/load.js";
import { inline } from "../../src/contract/references.js";
import { resolveRoute } from "../../src/contract/routes.js";
import type { Answered, AroundWire, RelayedRequest } from "../mutants/wire.js";

/**
 * Servers without behaviour, by name. Their answers do not depend on the requests, except for the examples of the published document. Only the control
 * plane is that of the mock, so that the suite has worlds, a clock and events.
 */
export const constantServers: ReadonlyMap<string, AroundWire> = new Map([
  ...[200, 201, 202, 204, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503].map((status) =>
    service(`answers ${status} without a body`, () => ({ status, headers: {}, text: "" })),
  ),
  ...Object.entries(contract.errors).map(([code, { status, type, message }]) =>
    service(`refuses every request as ${code}`, () => json(status, { error: { type, code, message, request_id: "req_1" } })),
  ),
  service("answers an empty list", () => json(200, { data: [], next_cursor: null, has_more: false })),
  service("answers with the body of the request", ({ text }) => json(200, parsed(text) ?? {})),
  service("answers with the examples of the published document", example),
]);

/** A server that gives an answer to every request except those to the control plane. */
function service(name: string, answer: (request: RelayedRequest) => Answered): [string, AroundWire] {
  return [name, async (request, send) => (isControl(request) ? send(request) : answer(request))];
}

function isControl({ path }: RelayedRequest): boolean {
  return path.startsWith("/__mock");
}

function json(status: number, body: unknown): Answered {
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(body) };
}

function parsed(text: string): Record<string, unknown> | undefined {
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
const document = withExamples(readSpec("openapi.json") as { paths: object });
const paths = inline(document.paths, { "": document }) as Operations;

/** Answers with the first success that the published document shows of an operation, and 204 without a body where it shows none. */
function example({ method, path }: RelayedRequest): Answered {
  const found = resolveRoute(method, path.split("?")[0] ?? path);
  const template = found.found === "route" ? found.route.name.split(" ")[1] : undefined;
  const responses = paths[template ?? ""]?.[method.toLowerCase()]?.responses ?? {};
  const [status = "204", response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const shown = Object.values(response?.content ?? {})[0]?.example;
  return shown === undefined ? { status: Number(status), headers: {}, text: "" } : json(Number(status), shown);
}
