import { expect, test } from "vitest";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { suite } from "../../../src/suite/suite.js";
import { openSound } from "../../mutants/open.js";
import { runOn } from "../../suite/laws/try.js";
import { execution, removeDirectories, scenario as scenarioOf } from "../run/execution.js";

removeDirectories();

function scenario(race: string): string {
  return `
scenario: several-at-once
title: Several requests at once
proves: [JOB-GET-ROUTE]
steps:
  - rest: GET /api/observations
    query: { kind: finding, status: new, repo: "{slug}", limit: 1 }
    save: { ref: /data/0/ref }
  - race: ${race}
`;
}

const taking = `{ requests: [{ rest: "GET /api/observations/{ref}" }, { rest: GET /api/jobs, query: { limit: "{n}" } }], n: 4 }`;

test("the requests of a race alternate up to the given number", async () => {
  const { url, close } = await openSound();
  const each = `[{ json: { ref: "{ref}" } }, { json: { data: { length: 2 } } }, { json: { ref: "{ref}" } }, { json: { data: { length: 4 } } }]`;
  const verdict = await runOn(url, scenario(`${taking}\n    expect: { answers: ${each} }`)).finally(close);
  expect(verdict).toBe("passed");
});

test("an outcome that is not allowed fails the race", async () => {
  const { url, close } = await openSound();
  const verdict = await runOn(
    url,
    scenario(`${taking}\n    expect: { oneOf: [{ statuses: { 404: 4 } }, { statuses: { 404: 1 } }] }`),
  ).finally(close);
  expect(verdict).toMatch(/^failed: .*none of them: statuses 200, 200, 200, 200/);
});

test("a race has one request or several, not both", () => {
  const both = `{ rest: GET /api/jobs, requests: [{ rest: GET /api/jobs }, { rest: GET /api/repos }], n: 2 }`;
  const parseResult = parseScenario("x.yaml", scenario(`${both}\n    expect: { statuses: { 200: 2 } }`), suite);
  expect(parseResult.ok).toBe(false);
});

test.each([
  [402, "billing_error", "no_credit", /^the workspace has no credit for the run .*To judge this, /],
  [429, "rate_limit_error", "rate_limit_qps", /^a request got an unexpected 429\. To judge this, /],
])("a race that the server refuses with %i names what would judge it", async (status, type, code, reason) => {
  const race = '  - race: { n: 3, rest: "POST /api/repos/{repo}/jobs", json: { workflow: audit, params: {} } }\n';
  const { report } = await execution(
    (_, response) => response(status, { error: { type, code, message: "later" } }, { "retry-after": "1" }),
    scenarioOf(`${race}    expect: { statuses: { 201: 1, 200: 2 } }\n`),
  );
  expect(report.checks[0]).toMatchObject({ verdict: "inconclusive", reason: expect.stringMatching(reason) });
});
