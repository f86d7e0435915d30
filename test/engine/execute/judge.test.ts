import { expect, test } from "vitest";
import { execution, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

const SUBMISSION = "rest: 'POST /api/repos/{repo}/jobs', json: { workflow: audit, params: {} }";
const asStep = `  - { id: submit, ${SUBMISSION}, expect: { status: 201 } }\n`;
const asControl = `  - id: submit
    rest: POST /api/repos/{repo}/jobs
    as: viewer
    json: { workflow: audit, params: {} }
    expect: { status: 403 }
    control: { as: full, ${SUBMISSION}, expect: { status: 201 } }
`;

/** Executes a submission that the server refuses after each wait, for the key `full`. */
async function refusedSubmission(steps: string, status: number, code: string) {
  let now = 1_900_000_000_000;
  const handler: Handler = ({ path, body, headers }, response) => {
    if (path === "/now") return response(200, { now: new Date(now).toISOString() });
    if (path === "/move") {
      now += Number.parseFloat((JSON.parse(body) as { by: string }).by) * 1000;
      return response(200, {});
    }
    if (headers.authorization === "Bearer a-viewer-of-a-test") return response(403);
    return response(status, { error: { type: "rate_limit_error", code, message: "later" } }, { "retry-after": "1" });
  };
  const targetText = () => `repos: [acme/demo/main]
keys: { viewer: { value: a-viewer-of-a-test } }
allow: { paid: true, destructive: true }
clock: { now: { http: GET /now }, advance: { http: POST /move } }`;
  const { report } = await execution(handler, scenario(steps), { targetText });
  return report.checks[0];
}

test("a check of a 429 whose limit is not reached names this choice of a server without a clock", async () => {
  const steps =
    "  - { id: limited, rest: GET /api/jobs, retry: false, given: { status: 429 }, expect: { headers: { retry-after: any } } }\n";
  const { report } = await execution((_, response) => response(200, { data: [] }), scenario(steps));
  expect(report.checks[0]).toMatchObject({
    verdict: "inconclusive",
    basis: "choice",
    reason: expect.stringMatching(/^the limit is not reached in the time that the run may wait .*To judge this, /),
  });
});

test.each([
  ["step", asStep],
  ["control", asControl],
])("a %s that a spend ceiling refuses after each wait names this choice of the server", async (_, steps) => {
  expect(await refusedSubmission(steps, 429, "rate_limit_budget")).toMatchObject({
    verdict: "inconclusive",
    basis: "refusal",
    reason: expect.stringMatching(/^the hourly spend ceiling of the workspace refuses the run .*To judge this, /),
  });
});

test.each([
  ["step", 429, "rate_limit_qps", asStep],
  ["control", 429, "rate_limit_qps", asControl],
  ["step", 503, "unavailable", asStep],
  ["control", 503, "unavailable", asControl],
])("a %s that the server refuses after each wait for another reason names no choice: %i %s", async (_, status, code, steps) => {
  const check = await refusedSubmission(steps, status, code);
  expect(check).toMatchObject({ verdict: "inconclusive", basis: "no-answer" });
  expect(check?.reason).not.toContain("To judge this");
});
