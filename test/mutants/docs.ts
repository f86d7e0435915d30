import { publishOpenApi } from "../../src/contract/publish.js";
import { mutantPerValue } from "./family.js";
import { jobsRoute } from "./helpers/routes.js";
import { changeResponses, getKey, type Mutant, withError, withTemporaryFields, wrapRoute } from "./mutant.js";
import type { AroundWire, RelayedRequest } from "./wire.js";

type Operation = Record<string, unknown> & { "x-rate-limit"?: { rpm: number } };

type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

/** Mutants that break a clause of DOCS-API-*, DOCS-GATE-*, DOCS-OPENAPI-*, DOCS-OPERATIONS-*, DOCS-PATH-* or DOCS-RATE-*. */
export const docsMutants: Mutant[] = [
  {
    name: "limits the jobs of the workspace to 150 requests a minute instead of the published rate",
    breaks: "DOCS-RATE-ABSENT",
    around: wrapRoute(jobsRoute, (world, call, perform) => {
      const key = getKey(world, call);
      return withTemporaryFields(key, { requests_per_minute: key?.requests_per_minute ?? 150 }, () => perform(world, call));
    }),
  },
  {
    name: "answers 402 at the document to a key that is not live instead of 401",
    breaks: "DOCS-GATE-UNAUTH",
    around: wrapRoute("GET /api/openapi.json", (world, call, perform) => {
      const response = perform(world, call);
      const isKnown = response.status === 401 && getKey(world, call) !== undefined;
      return isKnown ? { ...withError(response, { type: "billing_error", code: "plan_restricted" }), status: 402 } : response;
    }),
  },
  ...[
    { to: "everybody", isServed: () => true },
    { to: "callers with a key", isServed: ({ headers }: RelayedRequest) => headers.authorization !== undefined },
  ].map(
    ({ to, isServed }): Mutant => ({
      name: `serves the document on the API host to ${to} too instead of on the docs site alone`,
      breaks: "DOCS-API-HOST",
      aroundWire: async (relayedRequest, send) =>
        relayedRequest.host === "api" && relayedRequest.path === "/openapi.json" && isServed(relayedRequest)
          ? { status: 200, headers: { "content-type": "application/json" }, text: JSON.stringify(publishOpenApi()) }
          : send(relayedRequest),
    }),
  ),
  {
    name: "answers a page that is not found at the address of the document instead of serving it",
    breaks: "DOCS-OPENAPI-SERVED",
    aroundWire: async (relayedRequest, send) =>
      relayedRequest.host === "docs" && relayedRequest.path === "/openapi.json"
        ? { status: 404, headers: { "content-type": "text/html" }, text: "<h1>Not found</h1>" }
        : send(relayedRequest),
  },
  {
    name: "publishes a document of OpenAPI 3.0 instead of 3.1",
    breaks: "DOCS-OPENAPI-SERVED",
    aroundWire: changeDocument((document) => ({ ...document, openapi: "3.0.3" })),
  },
  ...mutantPerValue("DOCS-OPERATIONS-COMPLETE", "published operation", "leaves * out of the document instead of publishing it", {
    docs: (name) => ({
      aroundWire: changeDocument(({ paths, ...document }) => ({
        ...document,
        paths: Object.fromEntries(
          Object.entries(paths).map(([path, methods]) => [
            path,
            Object.fromEntries(Object.entries(methods).filter(([method]) => !isNamed(name, method, path))),
          ]),
        ),
      })),
    }),
  }),
  ...mutantPerValue(
    "DOCS-RATE-EXTENSION",
    "published operation with a rate",
    "publishes * without its limit instead of with it",
    {
      docs: (name) => ({ aroundWire: changeLimit(name, () => undefined) }),
    },
  ),
  ...mutantPerValue(
    "DOCS-RATE-VALUES",
    "published operation with a rate",
    "publishes a limit one too high for * instead of the real limit",
    {
      docs: (name) => ({ aroundWire: changeLimit(name, (limit) => ({ rpm: (limit?.rpm ?? 0) + 1 })) }),
    },
  ),
  ...mutantPerValue("DOCS-RATE-NONE", "published operation without a rate", "publishes a limit for * instead of none", {
    docs: (name) => ({ aroundWire: changeLimit(name, () => ({ rpm: 600 })) }),
  }),
  {
    name: "names the repository segments like the prose instead of by their position",
    breaks: "DOCS-PATH-POSITION",
    aroundWire: changeDocument(({ paths, ...document }) => ({
      ...document,
      paths: Object.fromEntries(
        Object.entries(paths).map(([path, methods]) => [
          path.replace(/\/repos\/\{\w+\}\/\{\w+\}\/\{\w+\}/, "/repos/{owner}/{repo}/{branch}"),
          methods,
        ]),
      ),
    })),
  },
  {
    name: "serves the document to every workspace instead of entitled ones alone",
    breaks: "DOCS-GATE-UNAUTH",
    around(world, call, perform) {
      const response = perform(world, call);
      const isRead = typeof call.target === "object" && "route" in call.target && call.target.route === "GET /api/openapi.json";
      return isRead && response.status === 401 ? { ...response, status: 200, body: publishOpenApi() } : response;
    },
  },
  {
    name: "serves the document to workspaces with a beta feature instead of entitled ones alone",
    breaks: "DOCS-GATE-PLAN",
    around: changeResponses("GET /api/openapi.json", (response, world, call) => {
      const workspace = world.workspaces[getKey(world, call)?.workspace ?? ""];
      return response.status === 402 && workspace?.features.length
        ? { ...response, status: 200, body: publishOpenApi() }
        : response;
    }),
  },
  {
    // With 402 it would say that the workspace has no entitlement, and only the target file says that it has one.
    name: "answers 404 at the document on the API host to entitled workspaces too instead of serving it",
    breaks: "DOCS-GATE-UNAUTH",
    around: changeResponses("GET /api/openapi.json", (response) =>
      response.status === 200
        ? {
            ...response,
            status: 404,
            body: { error: { type: "not_found", code: "not_found", message: "No.", request_id: "r" } },
          }
        : response,
    ),
  },
  {
    name: "answers a workspace without the entitlement with a missing scope instead of a plan restriction",
    breaks: "DOCS-GATE-PLAN",
    around(world, call, perform) {
      const response = perform(world, call);
      if (response.rule.code !== "plan_restricted") return response;
      return { ...withError(response, { type: "permission_error", code: "insufficient_scope" }), status: 403 };
    },
  },
];

function changeDocument(change: (document: Document) => Document): AroundWire {
  return async (relayedRequest, send) => {
    const response = await send(relayedRequest);
    return relayedRequest.path === "/openapi.json"
      ? { ...response, text: JSON.stringify(change(JSON.parse(response.text) as Document)) }
      : response;
  };
}

/** Returns whether a path and method of the document are those of an operation. Names of path parameters do not count. */
function isNamed(operation: string, method: string, path: string): boolean {
  return `${method.toUpperCase()} ${path}`.replace(/\{\w+\}/g, "*") === operation;
}

/** Changes the published limit of one operation. */
function changeLimit(name: string, change: (limit: { rpm: number } | undefined) => { rpm: number } | undefined): AroundWire {
  return changeDocument(({ paths, ...document }) => ({
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            isNamed(name, method, path) ? changeOperationLimit(operation, change) : operation,
          ]),
        ),
      ]),
    ),
  }));
}

function changeOperationLimit(
  { "x-rate-limit": limit, ...operation }: Operation,
  change: (limit: { rpm: number } | undefined) => { rpm: number } | undefined,
): Operation {
  const other = change(limit);
  return other ? { ...operation, "x-rate-limit": other } : operation;
}
