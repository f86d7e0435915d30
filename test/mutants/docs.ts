import { publishedOpenApi } from "../../src/contract/publish.js";
import { type Mutant, withError } from "./mutant.js";
import type { AroundWire } from "./wire.js";

type Operation = Record<string, unknown> & { "x-rate-limit"?: { rpm: number } };
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

/** Faults in the document that the docs site serves, and in who may read it at the API. */
export const docsMutants: Mutant[] = [
  {
    name: "publishes a document of OpenAPI 3.0",
    breaks: "DOCS-OPENAPI-SERVED",
    aroundWire: published((document) => ({ ...document, openapi: "3.0.3" })),
  },
  {
    name: "does not publish how to change a key",
    breaks: "DOCS-OPERATIONS-COMPLETE",
    aroundWire: published(({ paths, ...document }) => ({
      ...document,
      paths: Object.fromEntries(Object.entries(paths).filter(([, methods]) => !("patch" in methods))),
    })),
  },
  {
    name: "names the repository segments as the text does",
    breaks: "DOCS-PATH-POSITION",
    aroundWire: published(({ paths, ...document }) => ({
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
    name: "publishes no limit of one operation that has a bucket",
    breaks: "DOCS-RATE-EXTENSION",
    aroundWire: limited(120, () => undefined),
  },
  {
    name: "publishes a limit that is one too high",
    breaks: "DOCS-RATE-VALUES",
    aroundWire: limited(120, ({ rpm }) => ({ rpm: rpm + 1 })),
  },
  {
    name: "publishes a limit where there is no bucket",
    breaks: "DOCS-RATE-NONE",
    aroundWire: eachOperation((operation) => ({ "x-rate-limit": { rpm: 600 }, ...operation })),
  },
  {
    name: "gives the document to anybody",
    breaks: "DOCS-GATE-UNAUTH",
    around(world, call, perform) {
      const reply = perform(world, call);
      const isRead = typeof call.target === "object" && "route" in call.target && call.target.route === "GET /api/openapi.json";
      return isRead && reply.status === 401 ? { ...reply, status: 200, body: publishedOpenApi() } : reply;
    },
  },
  {
    name: "tells a workspace without the entitlement that it lacks a scope",
    breaks: "DOCS-GATE-PLAN",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (reply.rule.code !== "plan_restricted") return reply;
      return { ...withError(reply, { type: "permission_error", code: "insufficient_scope" }), status: 403 };
    },
  },
];

function published(change: (document: Document) => Document): AroundWire {
  return async (asked, send) => {
    const answer = await send(asked);
    return asked.path === "/openapi.json"
      ? { ...answer, text: JSON.stringify(change(JSON.parse(answer.text) as Document)) }
      : answer;
  };
}

function eachOperation(change: (operation: Operation) => Operation): AroundWire {
  return published(({ paths, ...document }) => ({
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, change(operation)])),
      ]),
    ),
  }));
}

/** Publishes the limit of a bucket of so many requests a minute otherwise. */
function limited(rpm: number, change: (limit: { rpm: number }) => { rpm: number } | undefined): AroundWire {
  return eachOperation((operation) => {
    const limit = operation["x-rate-limit"];
    if (limit?.rpm !== rpm) return operation;
    const { "x-rate-limit": _, ...rest } = operation;
    const other = change(limit);
    return other ? { ...rest, "x-rate-limit": other } : rest;
  });
}
