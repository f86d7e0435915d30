import { expect, test } from "vitest";
import { execution, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

const steps = `  - rest: GET /api/observations?limit=1
    given: { status: 200 }
    save: { ref: /data/0/ref }
    otherwise:
      drive: find
      with: { repo: "{repo}" }
      save: { ref: /result/ref }
  - rest: GET /api/observations/{ref}
    expect: { status: 200 }
`;
const allow = "repos: [acme/demo/main]\nallow: { paid: true, destructive: true }";
const hook = "drive: { find: { http: POST /ops/find } }";

/** Answers a list with these rows, and the hook with another observation. */
function service(rows: readonly { ref: string }[]): Handler {
  return ({ path }, response) => {
    if (path.startsWith("/api/observations?")) return response(200, { data: rows });
    return response(200, path === "/ops/find" ? { result: { ref: "SERVICE-2" } } : {});
  };
}

test.each([
  ["uses the event if the answer has no value to save", [], hook, "full", ["POST /ops/find", "GET /api/observations/SERVICE-2"]],
  ["uses no event if the answer matches", [{ ref: "SERVICE-1" }], hook, "full", ["GET /api/observations/SERVICE-1"]],
  ["saves nothing if the target has no hook", [], "", "full", []],
  ["triggers no event in a read-only run", [], hook, "read-only", []],
] as const)("a setup step with otherwise %s", async (_, rows, hooks, profile, after) => {
  const targetText = () => `${allow}\n${hooks}`;
  const { report, received } = await execution(service(rows), scenario(steps), { targetText, profile });
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /api/observations?limit=1", ...after]);
  const check = report.checks.find(({ step }) => step === "#2");
  expect(check?.verdict).toBe(after.length > 0 ? "passed" : "not-observed");
});

test("a step without a value has the reason and the basis of the step that should have saved it", async () => {
  const dependent = `  - rest: GET /api/observations?limit=1
    given: { status: 200, json: { data: { length: 1 } } }
    save: { ref: /data/0/ref }
  - rest: GET /api/observations/{ref}
    expect: { status: 200 }
`;
  const head = "proves: [JOB-RETRY-NEW]\ncontinueAfterFailure: true";
  const { report } = await execution(service([]), scenario(dependent, head), { targetText: () => allow });
  expect(report.checks.find(({ step }) => step === "#2")).toMatchObject({
    ...{ verdict: "inconclusive", reason: "{ref} has no value, because #1 was inconclusive" },
    ...{ blocked_by: "#1", basis: "choice" },
  });
});

test.each([
  ["a failure of the server", 500],
  ["a refused key", 401],
  ["a limit", 429],
])("a setup step with otherwise triggers no event after %s", async (_, status) => {
  const handler: Handler = ({ path }, response) =>
    path === "/ops/find" ? response(200, { result: { ref: "SERVICE-2" } }) : response(status, {});
  const { report, received } = await execution(handler, scenario(steps), { targetText: () => `${allow}\n${hook}` });
  expect(received.map(({ path }) => path)).not.toContain("/ops/find");
  expect(report.checks.find(({ step }) => step === "#1")?.reason).toContain(`${status}`);
});

test("a setup step whose event fails has the reason of its answer too", async () => {
  const handler: Handler = ({ path }, response) => (path === "/ops/find" ? response(500, {}) : response(200, { data: [] }));
  const { report } = await execution(handler, scenario(steps), { targetText: () => `${allow}\n${hook}` });
  expect(report.checks.find(({ step }) => step === "#1")?.reason).toMatch(
    /no such observation.*nothing at "\/data\/0\/ref".*; then find could not be driven: /,
  );
});

test("a step without a value names a failed step as failed, and the last of several", async () => {
  const dependent = `  - rest: GET /api/jobs
    save: { ref: /nothing }
  - id: judged
    rest: GET /api/observations?limit=1
    expect: { status: 200, json: { data: { length: 1 } } }
    save: { ref: /data/0/ref }
  - rest: GET /api/observations/{ref}
    expect: { status: 200 }
`;
  const head = "proves: [JOB-RETRY-NEW]\ncontinueAfterFailure: true";
  const { report } = await execution(service([]), scenario(dependent, head), { targetText: () => allow });
  expect(report.checks.find(({ step }) => step === "#3")).toMatchObject({
    ...{ reason: "{ref} has no value, because judged failed", blocked_by: "judged" },
  });
});
