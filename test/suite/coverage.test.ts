import { describe, expect, test } from "vitest";
import type { ResponseText, StepRequest } from "../../src/engine/scenario/format.js";
import { coverage } from "../../src/suite/coverage.js";

const EMPTY = { route: [], tool: [], query: [], "query value": [], field: [], role: ["full"], workflow: [] };
const NO_ERROR = { status: [], code: [], type: [] };

describe("a request shows", () => {
  test.each<[string, StepRequest, ResponseText, object]>([
    [
      "its route, its query and whose key it is",
      { rest: "GET /api/observations?kind=finding", as: "viewer" },
      { status: 200 },
      { route: ["GET /api/observations"], query: ["kind"], "query value": ["kind=finding"], role: ["viewer"], status: ["200"] },
    ],
    [
      "the route of a repository, and its workflow",
      { rest: "POST /api/repos/{repo2}/jobs?force=true", json: { workflow: "audit", params: {} } },
      {},
      {
        ...{ route: ["POST /api/repos/{owner}/{repo}/{branch}/jobs"], query: ["force"], "query value": ["force=true"] },
        ...{ field: ["workflow", "params"], workflow: ["audit"] },
      },
    ],
    [
      "the purpose of its tool and the arguments",
      { mcp: { tool: "list_observations", arguments: { kind: "finding" } } },
      { toolError: { type: "extra_forbidden" } },
      {
        tool: ["list_observations"],
        query: ["kind"],
        "query value": ["kind=finding"],
        field: ["kind"],
        type: ["extra_forbidden"],
      },
    ],
    [
      "the session instead of the key, and the error that is expected",
      { rest: "POST /api/keys", session: "member" },
      { status: 403, error: { type: "permission_error", code: "x" } },
      { route: ["POST /api/keys"], role: ["member"], status: ["403"], code: ["x"], type: ["permission_error"] },
    ],
    [
      "no role, if its credentials are invalid",
      { rest: "GET /api/jobs", authorization: "" },
      {},
      { route: ["GET /api/jobs"], role: [] },
    ],
  ])("%s", (_, request, expectedResponseText, shown) => {
    expect(coverage.shownBy(request, expectedResponseText)).toEqual({ ...EMPTY, ...NO_ERROR, ...shown });
  });

  test.each<[StepRequest, string]>([
    [{ rest: "GET /api/jobs" }, "rest"],
    [{ rest: "POST /mcp" }, "mcp"],
    [{ rest: "POST /", at: "mcp" }, "mcp"],
    [{ mcp: { list: "tools" } }, "mcp"],
    [{ rest: "GET /openapi.json", at: "docs" }, "docs"],
  ])("%j goes to %s", (request, surface) => expect(coverage.surfaceOf(request)).toBe(surface));
});
