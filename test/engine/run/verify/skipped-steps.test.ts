import { describe, expect, test } from "vitest";
import type { Handler } from "../../server.js";
import { execution, OK, removeDirectories, scenario } from "../execution.js";

removeDirectories();

const refused = (error: object = {}) => ({
  error: { type: "permission_error", code: "forbidden", message: "no", request_id: "r", ...error },
});
const page = (next: string | null) => ({ data: [{ ref: "o1" }], next_cursor: next, has_more: next !== null });

/** Returns the verdicts of the checks of a scenario, in their order. */
async function getVerdicts(handler: Handler, steps: string, head?: string): Promise<string[]> {
  const { report } = await execution(handler, scenario(steps, head));
  return report.checks.map(({ verdict, reason = "" }) => `${verdict}${reason && `: ${reason}`}`);
}

describe("a step that depends on a failed or refused write is not a finding", () => {
  const head = "proves: [JOB-RETRY-NEW]\ncontinueAfterFailure: true";
  const check = "  - id: later\n    rest: GET /api/b\n    expect: { status: 404 }\n";

  test.each([
    ["a setup that was refused", "  - { rest: POST /api/a, json: {} }\n"],
    ["a state that was not seen", "  - { rest: GET /api/a, given: { status: 200 } }\n"],
    ["a check without an answer", "  - { rest: POST /api/lost, json: {}, expect: { status: 200 } }\n"],
    ["one row of a setup", "  - { rest: 'POST /api/{x}', json: {}, rows: [{ x: a }, { x: b }] }\n"],
  ])("%s, in an independent scenario too", async (_, step) => {
    const handler: Handler = ({ path }, serviceResponse, response) =>
      path === "/api/lost" ? void response.destroy() : path === "/api/a" ? serviceResponse(403, refused()) : OK;
    const found = await getVerdicts(handler, step + check, head);
    expect(found.at(0)).toMatch(/^inconclusive/);
    expect(found.at(-1)).toMatch(/^not-observed: not executed, because/);
  });

  test("except after an expected refusal, or a read whose value is not used", async () => {
    const handler: Handler = ({ path }, serviceResponse, response) =>
      path === "/api/lost" ? void response.destroy() : serviceResponse(path === "/api/a" ? 403 : 404, refused());
    const steps = "  - { rest: GET /api/a, save: { a: /a } }\n  - { rest: POST /api/lost, json: {}, expect: { status: 4xx } }\n";
    expect((await getVerdicts(handler, steps + check, head)).at(-1)).toBe("passed");
  });
});

describe("a list", () => {
  const steps = "  - { rest: GET /api/a, pageSize: largest, expect: { status: 200, json: { data: { length: 1 } } } }\n";

  test("is read in its largest pages", async () => {
    const { received, report } = await execution((_, response) => response(200, page(null)), scenario(steps));
    expect([received.map(({ path }) => path), report.checks[0]?.verdict]).toEqual([["/api/a?limit=200"], "passed"]);
  });

  test("that refuses the page size is inconclusive about its rows", async () => {
    const handler: Handler = ({ path }, response) =>
      path.includes("limit") ? response(422, refused()) : response(200, page(null));
    expect(await getVerdicts(handler, steps)).toEqual([
      "inconclusive: status 422 for pages of 200 rows, but no error without a page size",
    ]);
  });

  test("that refuses every page is a finding", async () => {
    expect(await getVerdicts((_, response) => response(403, refused()), steps)).toEqual(["failed"]);
  });

  test("with an invalid later page is inconclusive about its rows", async () => {
    const handler: Handler = ({ path }, response) =>
      path.includes("cursor") ? response(403, refused()) : response(200, page("c"));
    const walk = (query: string) => `  - { rest: "GET /api/a${query}", allPages: true, expect: { status: 200 } }\n`;
    expect(await getVerdicts(handler, walk(""))).toEqual(["inconclusive: page 2: status 403 without rows"]);
    expect(await getVerdicts(handler, walk("?limit=2"))).toEqual(["failed"]); // here it is the walk that is judged
  });
});

describe("a 5xx", () => {
  const steps = "  - { rest: GET /api/a, expect: { status: 200 } }\n";
  const failing =
    (times: number): Handler =>
    ({ path }, response, _, all) =>
      response(all.filter((received) => received.path === path).length <= times ? 500 : 200, refused());

  test("that does not repeat is a brief outage", async () => {
    expect(await getVerdicts(failing(1), steps)).toEqual([
      "inconclusive: expected status: 200, got status: 500, and this did not happen again: the service may have had a brief outage",
    ]);
  });

  test("that repeats is a finding", async () => {
    expect(await getVerdicts(failing(2), steps)).toEqual(["failed"]);
  });
});

test("a 5xx among many responses is not a rate refusal, and is not evidence", async () => {
  const handler: Handler = (_, response, __, all) => response(all.length === 3 ? 500 : all.length === 4 ? 429 : 200, refused());
  const steps = "  - { burst: { rest: GET /api/a, n: 9 }, expect: { first429: { lte: 4 } } }\n";
  const { report } = await execution(handler, scenario(steps), { targetText: () => "timing: { rate_minute_s: 0.01 }" });
  expect(report.checks[0]).toMatchObject({ verdict: "inconclusive", reason: "a request got status 500" });
});

describe("a refusal for a used-up limit", () => {
  const asked = (error: object, expected: string): Promise<string[]> =>
    getVerdicts(
      (_, response) => response(402, refused({ type: "billing_error", code: "no_credit", ...error })),
      `  - { rest: POST /api/repos, json: {}, expect: ${expected} }\n`,
    );

  test("is inconclusive about the request", async () => {
    expect((await asked({}, "{ status: 404 }"))[0]).toMatch(
      /^inconclusive: the workspace has no credit .* \(refused because the caller used up credit/,
    );
  });

  test.each([
    ["is judged where it is expected", {}, "{ status: 402, error: { type: conflict } }"],
    ["is judged where it is the plan that leaves something out", { details: { allowed_workflows: [] } }, "{ status: 201 }"],
    ["is judged where there is no key, and so no workspace", {}, "{ status: 401 }"],
  ])("%s", async (_, error, expected) => {
    expect(await asked(error, expected)).toEqual(["failed"]);
  });
});
