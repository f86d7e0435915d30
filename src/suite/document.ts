import { strictOpenApi } from "../contract/publish.js";
import type { ApiDocument } from "../engine/second-opinion/api-document.js";
import { operationOf } from "./statements/operations.js";

/** What the contract publishes of its REST API, with every rule of it. */
export const document: ApiDocument = {
  content: strictOpenApi,
  covers: (path) => path.startsWith("/api/"),
  operationOf: (method, path) => operationOf(`${method} ${path}`),
};
