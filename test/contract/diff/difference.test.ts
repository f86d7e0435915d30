import { expect, test } from "vitest";
import { groupByCause } from "../../../src/contract/diff/difference.js";
import { compareDocuments } from "../../../src/contract/diff/documents.js";
import type { Json } from "../../../src/contract/diff/shape.js";
import { publishOpenApi } from "../../../src/contract/publish.js";
import { type Node, rename } from "./changes.js";

/** Applies some changes to the published document. Returns each cause with its impact and its number of differences. */
function causes(...changes: ((document: Node) => void)[]) {
  const document = structuredClone(publishOpenApi()) as Node;
  for (const change of changes) change(document);
  return groupByCause(compareDocuments(document as Json)).map(({ impact, cause, differences }) => [
    impact,
    cause,
    differences.length,
  ]);
}

const eachOperation = (change: (operation: Node) => void) => (document: Node) => {
  for (const item of Object.values<Node>(document.paths))
    for (const operation of Object.values<Node>(item)) if (operation.responses) change(operation);
};

test("one change of a shared schema is one cause, apart from other changes of it", () => {
  const found = causes(
    (document) => {
      document.components.schemas.Job.properties.id = { type: "integer" };
    },
    (document) => delete document.components.schemas.Job.properties.repo_name,
    (document) => document.components.schemas.Priority.enum.pop(),
  );
  expect(found).toEqual([
    ["breaks-callers", "Job/id: is integer, was string", 7],
    ["breaks-callers", "Job/repo_name: is gone", 7],
    ["absent", 'Priority: the value "P3" is gone', 2],
    ["breaks-callers", 'Priority: the value "P3" is gone', 1],
  ]);
});

test("a fault in every operation is one cause", () => {
  const withoutRates = eachOperation((operation) => delete operation["x-rate-limit"]);
  const withoutStatus = eachOperation(({ responses }) => delete responses[401]);
  const found = causes(withoutRates, withoutStatus, (document) => {
    document.components.schemas.ErrorType.enum = ["conflict"];
  });
  expect(found).toEqual([
    ["contradicts-contract", "ErrorType: a value that the contract requires is gone", expect.any(Number)],
    ["absent", "status 401: is gone", 27],
    ["contradicts-contract", "x-rate-limit: is missing (DOCS-RATE-EXTENSION)", 12],
  ]);
});

test("one renamed segment of several paths is one cause", () => {
  const found = causes((document) => {
    for (const path of Object.keys(document.paths)) rename(document.paths, path, path.replace("/repos", "/repositories"));
  });
  expect(found).toEqual([["breaks-callers", "path segment repos may be repositories now", expect.any(Number)]]);
});

test("a document of another service has one cause", () => {
  expect(groupByCause(compareDocuments({ openapi: "3.1.0", paths: {} })).map(({ cause }) => cause)).toEqual([
    "an operation is gone",
  ]);
});
