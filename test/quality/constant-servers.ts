import { contract } from "../../src/contract/load.js";
import type { AroundWire, ChangedResponse, RelayedRequest } from "../mutants/wire.js";
import { type ConstantServer, example, isControl, json, parseRecord } from "./constant-responses.js";
import { partialServers } from "./partial-servers.js";

/**
 * Servers without behaviour, by name: the responses of the first do not depend on the requests, except for the examples of the published document.
 * The others work in part. The control plane is that of the mock, so that the suite has worlds, a clock and events.
 */
export const constantServers: ReadonlyMap<string, ConstantServer> = new Map([
  ...[200, 201, 202, 204, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503].map((status) =>
    service(`answers ${status} without a body`, () => ({ status, headers: {}, text: "" })),
  ),
  ...Object.entries(contract.errors).map(([code, { status, type, message }]) =>
    service(`refuses every request as ${code}`, () => json(status, { error: { type, code, message, request_id: "req_1" } })),
  ),
  service("answers an empty list", () => json(200, { data: [], next_cursor: null, has_more: false })),
  service("answers with the body of the request", ({ text }) => json(200, parseRecord(text) ?? {})),
  service("answers with the examples of the published document", example),
  ...partialServers,
]);

/** A server that gives a response to every request except those to the control plane. */
function service(name: string, response: (request: RelayedRequest) => ChangedResponse): [string, ConstantServer] {
  const fault = () => {
    const control = withOneWorld();
    return { aroundWire: async (...call: Parameters<AroundWire>) => (isControl(call[0]) ? control(...call) : response(call[0])) };
  };
  return [name, { fault }];
}

/** Forwards requests to the control plane, but creates only one world of each kind: no response of the server depends on its state. */
function withOneWorld(): AroundWire {
  const created = new Map<string, Promise<ChangedResponse>>();
  return async (request, send) => {
    const { method, path, text } = request;
    if (method === "DELETE") return { status: 204, headers: {}, text: "" };
    if (method !== "POST" || path !== "/__mock/worlds") return send(request);
    const world = created.get(text) ?? send(request);
    created.set(text, world);
    return world;
  };
}
