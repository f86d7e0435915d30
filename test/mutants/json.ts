import { readSpec } from "../../src/contract/load.js";
import { mutantPerValue } from "./family.js";
import { matchesRoute } from "./impersonation.js";
import { type Mutant, wrapRoute } from "./mutant.js";
import type { AroundWire, ChangedResponse, RelayedRequest } from "./wire.js";

const dimensions = readSpec("dimensions.json") as Record<string, { values: string[] & { rest?: string[] } }>;

/** Routes with a body, except the registration: an untrue `register_body` may cause a refusal without a reason. */
const misreadRoutes = getRest("route with a JSON body").filter((route) => route !== "POST /api/repos");

/** Mutants that break a clause of GEN-JSON-*. */
export const jsonMutants: Mutant[] = [
  {
    name: "refuses JSON with spaces in it instead of reading it",
    breaks: "GEN-JSON-REQUEST",
    aroundWire: (relayedRequest, send) =>
      send(relayedRequest.text.startsWith("{ ") ? { ...relayedRequest, text: "{" } : relayedRequest),
  },
  ...mutantPerValue("GEN-JSON-RESPONSE", "route", "answers in plain text on * instead of JSON", {
    rest: (route) => ({ aroundWire: onRouteResponse(route, asPlainText) }),
  }),
  ...mutantPerValue("GEN-JSON-RESPONSE", "route", "answers an HTML page on * instead of JSON", {
    rest: (route) => ({
      aroundWire: onRouteResponse(route, (response) => ({ ...response, text: "<!doctype html><title>Found</title>" })),
    }),
  }),
  ...mutantPerValue("GEN-JSON-RESPONSE", "error status", "answers in plain text with * instead of JSON", {
    rest: (status) => ({ aroundWire: onResponse(Number(status), asPlainText) }),
  }),
  ...mutantPerValue("GEN-JSON-RESPONSE", "error status", "answers in plain text with * instead of the error envelope in JSON", {
    rest: (status) => ({ aroundWire: onResponse(Number(status), (response) => ({ ...response, text: "No." })) }),
  }),
  {
    name: "labels a list text/json+plain instead of application/json",
    breaks: "GEN-JSON-RESPONSE",
    aroundWire: onResponse(200, (response) => ({
      ...response,
      headers: { ...response.headers, "content-type": "text/json+plain" },
    })),
  },
  ...mutantPerValue(
    "GEN-JSON-REQUEST",
    "route with a JSON body",
    "refuses JSON as a wrong content type on * instead of reading it",
    (route) =>
      wrapRoute(route, (world, call, perform) =>
        perform(
          world,
          call.body.kind === "json" ? { ...call, body: { kind: "wrong-type", contentType: "application/json" } } : call,
        ),
      ),
  ),
  ...misreadRoutes.map((route): Mutant => {
    const isAsked = matchesRoute(route);
    const name = `refuses JSON at ${route} instead of reading it`;
    return {
      name,
      breaks: "GEN-JSON-REQUEST",
      aroundWire: (relayedRequest, send) =>
        send(isAsked(relayedRequest) && relayedRequest.text !== "" ? { ...relayedRequest, text: "{" } : relayedRequest),
    };
  }),
  ...mutantPerValue("GEN-JSON-REQUEST", "surface", "refuses JSON with another content type instead of reading it", {
    mcp: () => ({
      aroundWire: (relayedRequest, send) =>
        send(
          relayedRequest.path === "/mcp/"
            ? { ...relayedRequest, headers: { ...relayedRequest.headers, "content-type": "text/plain" } }
            : relayedRequest,
        ),
    }),
  }),
];

function asPlainText(response: ChangedResponse): ChangedResponse {
  return { ...response, headers: { ...response.headers, "content-type": "text/plain" } };
}

/** Changes the API's answers of one status. */
function onResponse(status: number, change: (response: ChangedResponse) => ChangedResponse): AroundWire {
  return async (relayedRequest: RelayedRequest, send) => {
    const response = await send(relayedRequest);
    return relayedRequest.path.startsWith("/api/") && response.status === status ? change(response) : response;
  };
}

/** Changes the answers with success to one route. */
function onRouteResponse(route: string, change: (response: ChangedResponse) => ChangedResponse): AroundWire {
  const [method = "", path = ""] = route.split(" ");
  const place = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(\\?.*)?$`);
  return async (relayedRequest: RelayedRequest, send) => {
    const response = await send(relayedRequest);
    return relayedRequest.method === method && place.test(relayedRequest.path) && response.status < 300
      ? change(response)
      : response;
  };
}

function getRest(dimension: string): string[] {
  return dimensions[dimension]?.values.rest ?? [];
}
