import { publishedOpenApi } from "../contract/publish.js";
import type { ApiDocument } from "../engine/second-opinion/api-document.js";
import { operationOf } from "./statements/operations.js";

/** What the contract publishes of its REST API. */
export const document: ApiDocument = {
  content: publishedOpenApi,
  covers: (path) => path.startsWith("/api/"),
  operationOf: (method, path) => operationOf(`${method} ${path}`),
};
