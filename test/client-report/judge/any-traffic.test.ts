import fc from "fast-check";
import { expect, test } from "vitest";
import { countCall, openClientTally } from "../../../src/client-report/calls.js";
import type { Exchange } from "../../../src/client-report/exchange.js";
import { writeReport } from "../../../src/client-report/forms.js";
import { createReport } from "../../../src/client-report/judge.js";
import { reportForms } from "../../../src/client-report/report.js";

const names = [
  "cursor",
  "limit",
  "workflow",
  "repo",
  "owner",
  "branch",
  "ref",
  "params",
  "arguments",
  "name",
  "method",
  "jsonrpc",
  "id",
  "data",
  "next_cursor",
  "status",
  "error",
  "code",
  "details",
  "allowed_workflows",
  "result",
  "content",
  "structuredContent",
  "toString",
  "__proto__",
];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("list_observations", "tools/call", "mini_audit", "discover", "rate_limit_qps", 201, true, null, "\ud800", ""),
    fc.string(),
    fc.integer(),
    fc.array(tie("any"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie("any"), { maxKeys: 5, noNullPrototype: true }),
})).any;
const paths = [
  "/mcp/",
  "/mcp",
  "/api/repos",
  "/api/repos/a/b/c/jobs",
  "/api/observations",
  "/api/observations/SERVICE-1/dismiss",
  "/api/jobs/j/retry",
  "/api/keys",
  "/api/%zz",
  "",
  "*",
  "//",
  "/api/repos/%2F/%/x",
];
const headers = fc.dictionary(
  fc.constantFrom("authorization", "accept", "content-type", "idempotency-key", "cookie", "retry-after"),
  fc.oneof(fc.string(), fc.constantFrom("Bearer k", "application/json", "1", "-1", "NaN")),
  { noNullPrototype: true },
);

const exchange: fc.Arbitrary<Exchange> = fc.record({
  number: fc.constantFrom(null, 1),
  at: fc.nat(),
  wall: fc.nat(),
  connection: fc.constant({}),
  method: fc.constantFrom("GET", "POST", "PATCH", "HEAD", "OPTIONS", ""),
  url: fc
    .tuple(
      fc.constantFrom(...paths),
      fc.oneof(
        fc.constant(""),
        fc.string().map((text) => `?${text}`),
        fc.constantFrom("?cursor=x", "?limit=201", "?repo=x"),
      ),
    )
    .map((parts) => parts.join("")),
  headers,
  body: fc.option(value, { nil: undefined }),
  hasBody: fc.boolean(),
  status: fc.constantFrom(null, 200, 201, 204, 307, 400, 402, 403, 422, 429, 500, 503),
  responseHeaders: headers,
  answer: fc.option(value, { nil: undefined }),
  overridden: fc.boolean(),
  skipsWait: fc.boolean(),
  skipsPause: fc.boolean(),
});

/** A submission with field names of `Object.prototype`, whose values cannot become text. */
const submission: Exchange = {
  ...{ number: 1, at: 0, wall: 0, connection: {}, method: "POST", url: "/api/repos/a/b/main/jobs" },
  ...{ headers: { authorization: "Bearer k", "idempotency-key": "1" }, hasBody: true, status: 201 },
  ...{ body: { one: { toString: "x", valueOf: 1 }, other: { toString: 1, constructor: null } }, responseHeaders: {} },
  ...{ answer: undefined, overridden: false, skipsWait: false, skipsPause: false },
};

test("a client report can be written in every form after any traffic", () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 12 }), (exchanges) => {
      const tally = openClientTally();
      for (const one of exchanges) countCall(tally, one);
      const report = createReport(tally);
      expect(report.requests).toBe(exchanges.length);
      const isJudged = report.clauses.some(({ verdict }) => verdict !== "not-observed");
      expect(report.verdict === "inconclusive").toBe(report.findings.length === 0 && !isJudged);
      for (const form of reportForms) expect(writeReport(report, form).text.length).toBeGreaterThan(0);
    }),
    { numRuns: 300, examples: [[[submission, submission]]] },
  );
});
