import { expect, test } from "vitest";
import { isRefused, isRepeatable, mayStartPaid } from "../../../src/engine/execute/cost.js";
import type { WireRequest } from "../../../src/engine/http/exchange.js";
import { createTargetAtUrl } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { execution, OK, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

const targetResult = createTargetAtUrl(suite.target, "http://a.example");
if (!targetResult.ok) throw new Error("no target");
const target = { ...targetResult.target, bindings: { tools: { submit_job: "start_run" } } };

function request(method: string, path: string, body?: unknown): WireRequest {
  const bytes = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) };
  return { method, url: `http://a.example${path}`, headers: {}, ...bytes };
}

const call = (name: string) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });

test.each([
  [true, request("POST", "/api/repos/acme/demo/main/jobs", { workflow: "mini_audit" })],
  [true, request("POST", "/api/repos/acme/demo/main/jobs?force=true", {})],
  [true, request("POST", "/api/jobs/j1/retry")],
  [true, request("POST", "/api/repos", {})],
  [false, request("GET", "/api/repos")],
  [false, request("POST", "/api/jobs/j1/cancel")],
  [true, request("POST", "/mcp/", call("start_run"))],
  [true, request("POST", "/mcp/", [call("x"), call("start_run")])],
  [false, request("POST", "/mcp/", call("submit_job"))],
  [false, request("POST", "/mcp/", { jsonrpc: "2.0", id: 1, method: "tools/list" })],
])("%s: requests that may cost if the server accepts them", (may, wireRequest) =>
  expect(mayStartPaid({ suite, target }, wireRequest)).toBe(may),
);

test.each([
  [true, request("GET", "/api/repos")],
  [false, request("POST", "/api/repos", {})],
  [true, { ...request("POST", "/api/repos", {}), headers: { "idempotency-key": "k" } }],
  [false, request("DELETE", "/api/keys/k1")],
  [true, request("POST", "/mcp/", { jsonrpc: "2.0", id: 1, method: "tools/list" })],
  [true, request("POST", "/mcp/", call("list_observations"))],
  [false, request("POST", "/mcp/", call("start_run"))],
  [false, request("POST", "/mcp/", [call("list_observations"), call("unknown")])],
  [false, request("DELETE", "/mcp/")],
])("%s: whether the runner may send it twice", (may, wireRequest) =>
  expect(isRepeatable({ suite, target }, wireRequest)).toBe(may),
);

test.each([
  [422, {}, true],
  [201, {}, false],
  [500, {}, false],
])("an answer of %i is a refusal or not", (status, body, refused) => {
  const response = { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) };
  const exchange = { request: request("POST", "/api/repos", {}), startedAt: 0, endedAt: 0, response };
  expect(isRefused({ suite, target }, exchange)).toBe(refused);
});

/** A retired workflow, which must be refused; and a race, a burst and a control of a paid request. */
const POST = 'rest: "POST /api/repos/{repo}/jobs", json: { workflow: "NAME", params: {} }';
const submit = (name: string) => POST.replace("NAME", name);
const ways: [string, string][] = [
  ["a request that must be refused", `  - { ${submit("mini_audit")}, expect: { status: 422 } }\n`],
  ["one that says it starts nothing", `  - { ${submit("audit")}, effect: write, expect: { status: 422 } }\n`],
  ["one", `  - { ${submit("audit")}, expect: { status: 201 } }\n`],
  ["a burst", `  - { burst: { ${submit("audit")}, n: 3 }, expect: { first429: 3 } }\n`],
  ["a race", `  - { race: { ${submit("audit")}, n: 3 }, expect: { statuses: { 201: 3 } } }\n`],
  [
    "a control",
    `  - { rest: GET /api/jobs, expect: { status: 200 }, control: { ${submit("audit")}, expect: { status: 201 } } }\n`,
  ],
  [
    "a tidying up",
    `  - { rest: GET /api/jobs, expect: { status: 200 } }\nfinally:\n  - { ${submit("audit")}, expect: { status: any } }\n`,
  ],
];

test.each(ways)("without a budget no request with a cost is sent: %s", async (_, steps) => {
  const { report, received } = await execution(OK, scenario(steps), { profile: "full", budgetPaid: 0 });
  expect([received.filter(({ method }) => method === "POST"), report.paid]).toEqual([[], 0]);
});

test("a refusal returns its cost to the budget, an accepted request does not, and started work is listed", async () => {
  const steps = ["mini_audit", "mini_audit", "audit"]
    .map((name) => `  - { ${submit(name)}, expect: { status: 422 } }\n`)
    .join("");
  const handler: Handler = ({ body }, response) => response(body.includes("mini") ? 422 : 201, { id: "j7" });
  const independent = "proves: [JOB-RETRY-NEW]\ncontinueAfterFailure: true";
  const { report } = await execution(handler, scenario(steps, independent), { profile: "full", budgetPaid: 1 });
  expect([report.paid, report.checks.map(({ verdict }) => verdict)]).toEqual([1, ["passed", "passed", "failed"]]);
  expect(report.started).toEqual([{ what: "job started", id: "j7", scenario: "under-test" }]);
});
