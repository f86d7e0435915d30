import { expect, test } from "vitest";
import { execution, scenario, tidyUp } from "../run/execution.js";
import type { Handler } from "../server.js";

tidyUp();

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
  return ({ path }, reply) => {
    if (path.startsWith("/api/observations?")) return reply(200, { data: rows });
    return reply(200, path === "/ops/find" ? { result: { ref: "SERVICE-2" } } : {});
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
  const judged = report.checks.find(({ step }) => step === "#2");
  expect(judged?.verdict).toBe(after.length > 0 ? "passed" : "not-observed");
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
    ...{ blocked_by: "#1", basis: "answer" },
  });
});
