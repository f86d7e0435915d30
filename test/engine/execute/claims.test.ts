import { expect, test } from "vitest";
import { execution, refusal, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

/** Executes a drive step and a check that fails. The hook and the service answer with these bodies. */
async function failureAfter(drive: string, hook: [status: number, body: unknown], job: object) {
  const handler: Handler = ({ path }, response) => {
    if (path === "/hook") return response(...hook);
    response(200, path === "/api/jobs/j1" ? job : { data: [] });
  };
  const targetText = (url: string) => {
    const hooks = ["finish-job", "set-credit", "suspend"].map((event) => `  ${event}: { http: "POST ${url}/hook" }`);
    return ["drive:", ...hooks, "allow: { paid: true, destructive: true }"].join("\n");
  };
  const steps = `  - { drive: ${drive} }\n  - { id: check, rest: GET /api/repos, expect: { status: 403 } }\n`;
  const { report } = await execution(handler, scenario(steps), { targetText });
  return report.checks.at(-1);
}

const FINISH = "finish-job, with: { job_id: j1, outcome: failure }";

test.each<[string, string, [number, unknown], object, RegExp]>([
  [
    "answers nothing",
    "suspend, with: {}",
    [200, ""],
    {},
    /^the hook drive\.suspend answered no result, so its effect cannot be checked/,
  ],
  ["answers without a result", "suspend, with: {}", [200, { ok: true }], {}, /^the hook drive\.suspend answered no result/],
  [
    "ignores an amount",
    "set-credit, with: { usd: 5 }",
    [200, { result: { usd: 50 } }],
    {},
    /^the hook drive\.set-credit received usd 5, which its result does not show/,
  ],
  [
    "does something else",
    FINISH,
    [200, { result: "done" }],
    { status: "completed" },
    /^the hook drive\.finish-job did something else .*: GET \/api\/jobs\/j1 shows at \/status "completed", not "failed"; the check expected status: 403/,
  ],
  ["fails", FINISH, [500, {}], {}, /^not executed, because #1 was inconclusive$/],
])("a failure after a hook that %s is inconclusive, and the reason names the hook", async (_, drive, hook, job, reason) => {
  const check = await failureAfter(drive, hook, job);
  expect(check).toMatchObject({
    verdict: expect.stringMatching(/inconclusive|not-observed/),
    reason: expect.stringMatching(reason),
  });
});

test.each<[string, string, [number, unknown], object]>([
  ["its result", "suspend, with: {}", [200, { result: { state: "suspended" } }], {}],
  ["its amount", "set-credit, with: { usd: 5 }", [200, { result: { credit: 5 } }], {}],
  ["its result in detail", FINISH, [200, { result: { status: "failed" } }], { status: "completed" }],
  ["the server", FINISH, [200, { result: "done" }], { status: "failed" }],
])("a failure after a hook whose work is shown by %s is a finding", async (_, drive, hook, job) => {
  expect(await failureAfter(drive, hook, job)).toMatchObject({ step: "check", verdict: "failed" });
});

test.each<[string, number, unknown, string]>([
  ["has no such route", 404, "<!doctype html>", "inconclusive"],
  ["leads to a sign-in page", 302, "", "inconclusive"],
  ["refuses as the service does", 404, refusal, "failed"],
])("a failure of a request with a session, whose host %s (%i)", async (_, status, body, verdict) => {
  const targetText = (url: string) => `session_url: ${url}/web\nsessions: { admin: { value: session=cookie-of-admin } }`;
  const steps = "  - { rest: GET /api/keys, session: admin, expect: { status: 200 } }\n";
  const { report } = await execution((_asked, response) => response(status, body), scenario(steps), { targetText });
  const [check] = report.checks;
  expect(check?.verdict).toBe(verdict);
  if (verdict !== "failed") expect(check?.reason).toMatch(/If another host does, set session_url in the target file/);
});
