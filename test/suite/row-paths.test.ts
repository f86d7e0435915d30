import { expect, test } from "vitest";
import { findRowsOfSeveralSegments } from "../../src/suite/row-paths.js";

test.each([
  ["GET /api/{path}", "repos/{repo}", 1],
  ["GET /api/{path}?limit=1", "observations/{ref}", 1],
  ["GET /api/{path}", "repos", 0],
  ["POST /api/repos/{spare.owner}/{spare.name}/{path}/jobs", "feature/{unique}", 0],
  ["GET /api/observations?repo={path}", "web/x@main", 0],
  ["GET /elsewhere/{path}", "a/b", 0],
])("%s with %s in a row has %i mistakes", (rest, path, mistakes) => {
  expect(findRowsOfSeveralSegments({ rest, rows: [{ path }] })).toHaveLength(mistakes);
});
