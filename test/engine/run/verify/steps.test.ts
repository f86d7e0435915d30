import { describe, expect, test } from "vitest";
import type { Handler } from "../../server.js";
import { execution, OK, removeDirectories, scenario } from "../execution.js";

removeDirectories();

describe("a step", () => {
  test("repeats a request byte for byte", async () => {
    const steps =
      '  - id: first\n    rest: POST /api/jobs\n    headers: { idempotency-key: "k-{unique}" }\n    json: { at: "{now}", b: [1] }\n  - repeat: first\n    expect: { status: 200 }\n';
    const { received } = await execution(OK, scenario(steps));
    expect(received).toHaveLength(2);
    expect(received[1]).toEqual(received[0]);
  });

  test("follows a redirect to its own host with the same request", async () => {
    const handler: Handler = ({ path }, response) => response(path === "/api/here" ? 307 : 200, {}, { location: "/api/there" });
    const steps = "  - { rest: POST /api/here, json: { a: 1 }, followRedirect: true, expect: { status: 200 } }\n";
    const { received, exitCode } = await execution(handler, scenario(steps));
    const [first, second] = received;
    expect([exitCode, second?.path]).toEqual([0, "/api/there"]);
    expect([second?.method, second?.body, second?.headers.authorization]).toEqual([
      first?.method,
      first?.body,
      first?.headers.authorization,
    ]);
  });

  test("judges a redirect to another host, and sends nothing to that host", async () => {
    const handler: Handler = (_, response) => response(307, {}, { location: "//elsewhere.example/api/there" });
    const steps = "  - { rest: GET /api/here, followRedirect: true, expect: { status: 200 } }\n";
    const { received, report } = await execution(handler, scenario(steps));
    expect([received.length, report.checks[0]?.verdict, report.checks[0]?.actual]).toEqual([1, "failed", "status: 307"]);
  });

  test("sends the same time of its row in every step", async () => {
    const head = 'proves: [JOB-RETRY-NEW]\nrows:\n  - { sent: { at: "{now+1h}", as: [1] } }';
    const send = '  - { rest: POST /api/jobs, json: "{sent}", expect: { status: 200 } }\n';
    const { received, exitCode } = await execution(OK, scenario(send + send, head));
    const [first, second] = received.map(({ body }) => JSON.parse(body));
    expect([exitCode, second]).toEqual([0, first]);
    expect(first).toEqual({ at: expect.stringMatching(/^\d{4}-.+Z$/), as: [1] });
  });

  test("skips a row that refers to a missing value", async () => {
    const steps =
      '  - { rest: POST /api/jobs, json: "{sent}", rows: [{ sent: { for: "{binding.nobody}" } }], expect: { status: 200 } }\n';
    const { received, report } = await execution(OK, scenario(steps));
    expect(received).toEqual([]);
    expect(report.scenarios[0]?.verdict).not.toBe("passed");
  });

  test("ends a burst at the first 429 and judges it", async () => {
    const withWait =
      (seconds: string): Handler =>
      (_, response, __, all) =>
        all.length > 3
          ? response(
              429,
              { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "m", request_id: "r" } },
              { "retry-after": seconds },
            )
          : response(200);
    const targetText = () => "timing: { rate_minute_s: 0.01 }";
    const burst = "  - burst: { rest: GET /api/repos, n: 9 }\n";
    const steps = `${burst}    expect: { first429: 4, statuses: { 2xx: 3 }, error: { code: rate_limit_qps }, headers: { Retry-After: "7" } }\n`;
    const { report, received, exitCode } = await execution(withWait("7"), scenario(steps), { targetText });
    expect([exitCode, received.length, report.checks[0]?.subjects]).toEqual([0, 4, 4]);
    const wrong = await execution(withWait("1"), scenario(`${burst}    expect: { first429: { gte: 5 } }\n`), { targetText });
    expect(wrong.report.checks[0]).toMatchObject({ verdict: "failed", actual: "position of the first 429: 4" });
    const longer = await execution(withWait("7"), scenario(`${burst}    expect: { first429: { gte: 5 } }\n`), { targetText });
    expect(longer.report.checks[0]?.reason).toMatch(
      /^timing\.rate_minute_s \(0\.01\) may be untrue: .* a wait of 7 s; the check/,
    );
  });

  test("is inconclusive for a burst that lasts longer than the minute of its bucket", async () => {
    const handler: Handler = (_, response) => void setTimeout(() => response(200), 5);
    const steps = "  - burst: { rest: GET /api/repos, n: 9 }\n    expect: { first429: { gte: 4 } }\n";
    const slow = await execution(handler, scenario(steps), { targetText: () => "timing: { rate_minute_s: 0.01 }" });
    expect(slow.report.checks[0]).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringContaining("longer than a minute"),
    });
  });

  test("sends the requests of a race at once and counts the answers", async () => {
    const waiting: (() => void)[] = [];
    const handler: Handler = ({ path }, response) => {
      if (path === "/") return response(200);
      waiting.push(() => response(waiting.length === 3 && path.endsWith("1") ? 201 : 200, { id: "same" }));
      if (waiting.length === 3) for (const serverResponse of waiting) serverResponse();
    };
    const steps =
      '  - race: { rest: "POST /api/x/{n}", json: {}, n: 3 }\n    expect: { statuses: { 201: 1, 200: 2 }, distinct: { /id: 1 } }\n';
    expect((await execution(handler, scenario(steps))).report.checks[0]).toMatchObject({ verdict: "passed", subjects: 3 });
  });

  test("does not count a refusal unless a request of the same operation succeeds", async () => {
    const refused = "  - { rest: GET /api/jobs/no, expect: { status: 404 } }\n";
    const handler: Handler = ({ path }, response) => response(path.endsWith("/no") ? 404 : 200);
    const clause = async (others: string) => (await execution(handler, scenario(others + refused))).report.clauses[0];
    expect(await clause("")).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringContaining("no request for GET /api/jobs/{job_id} succeeded in this run"),
    });
    expect(await clause("  - { rest: GET /api/jobs }\n")).toMatchObject({ verdict: "inconclusive" });
    expect(await clause("  - { rest: GET /api/jobs/yes }\n")).toMatchObject({ verdict: "passed" });
  });

  test("does not pass when the control behaves like the check", async () => {
    const steps =
      "  - rest: GET /api/jobs\n    query: { limit: 201 }\n    expect: { status: 422 }\n    control: { query: { limit: 200 }, expect: { status: 200 } }\n";
    const told = await execution(({ path }, response) => response(path.includes("201") ? 422 : 200), scenario(steps));
    expect([told.exitCode, told.received.map(({ path }) => path)]).toEqual([0, ["/api/jobs?limit=201", "/api/jobs?limit=200"]]);
    const blind = await execution((_, response) => response(422), scenario(steps));
    expect([blind.exitCode, blind.report.checks[0]?.verdict]).toEqual([3, "inconclusive"]);
    expect([told, blind].map(({ report }) => report.checks[0]?.basis)).toEqual(["control", "answer"]);
  });

  test("names the field of the target file for the host for sessions when that host answers with a wrong status", async () => {
    const targetText = (url: string) => `session_url: ${url}\nsessions: { member: { value: a-cookie-of-a-test } }`;
    const steps = "  - { rest: GET /api/jobs, session: member, expect: { status: 200 } }\n";
    const { report } = await execution((_, response) => response(403), scenario(steps), { targetText });
    expect(report.checks[0]).toMatchObject({ verdict: "failed", actual: expect.stringMatching(/^status: 403 \(.*session_url/) });
  });

  test.each([
    [200, "failed"],
    [429, "inconclusive"],
    [503, "inconclusive"],
  ])(
    "with the wrong code of a 429 is not a finding if the control has an outage or is refused too: %i",
    async (status, verdict) => {
      const steps =
        "  - rest: GET /api/a\n    given: { status: 429 }\n    expect: { json: { error: x } }\n    control: { rest: GET /api/b, expect: { status: { not: 429 } } }\n";
      const handler: Handler = ({ path }, response) =>
        response(path === "/api/a" ? 429 : path === "/api/b" ? status : 200, { error: "y" });
      const { report } = await execution(handler, scenario(steps));
      expect(report.checks[0]?.verdict).toBe(verdict);
    },
  );

  test.each([
    [404, "afterFailure: true, ", "inconclusive"],
    [404, "", "failed"],
    [200, "afterFailure: true, ", "passed"],
    [200, "", "inconclusive"],
  ])("with response %i and a control with %o that does not match is %s", async (status, afterFailure, verdict) => {
    const steps = `  - rest: GET /api/jobs\n    expect: { status: 200 }\n    control: { ${afterFailure}rest: GET /api/job, expect: { status: 200 } }\n`;
    const handler: Handler = ({ path }, response) => response(path === "/api/jobs" ? status : 404);
    const { report } = await execution(handler, scenario(steps));
    expect(report.checks[0]?.verdict).toBe(verdict);
  });

  test.each([
    ["{ json: { data: { length: 1 } } }", "passed"],
    ["{ json: { data: { length: 0 } } }", "inconclusive"],
    ["{ json: { data: { not: { contains: { id: b } } } } }", "inconclusive"],
    ["{ status: 404 }", "inconclusive"],
    ["{ status: 429 }", "passed"],
    ["{ json: { data: [{ id: a }] } }", "passed"],
  ])("with a late control that does not match and the expectation %s is %s", async (expected, verdict) => {
    const control = "control: { afterFailure: true, rest: GET /api/job, expect: { status: 201 } }";
    const list = expected.includes("length: 0") ? "/api/none" : "/api/jobs";
    const status = Number(/status: (\d+)/.exec(expected)?.[1] ?? 200);
    const handler: Handler = ({ path }, response) =>
      path === "/api/job" ? response(404) : response(status, { data: path === "/api/none" ? [] : [{ id: "a" }] });
    const { report } = await execution(handler, scenario(`  - rest: GET ${list}\n    expect: ${expected}\n    ${control}\n`));
    expect(report.checks[0]?.verdict).toBe(verdict);
  });

  test("skips a row after a failed step, and continues with the others", async () => {
    const steps =
      '  - rows: [{ of: a }, { of: b }]\n    steps:\n      - { id: done, rest: "POST /api/{of}", expect: { status: 201 } }\n      - { id: seen, rest: "GET /api/{of}", expect: { status: 200 } }\n';
    const handler: Handler = ({ method, path }, response) => response(path === "/api/b" ? 404 : method === "POST" ? 201 : 200);
    const { report } = await execution(handler, scenario(steps));
    expect(report.checks.map(({ step, verdict }) => `${step} ${verdict}`)).toEqual([
      "done[1] passed",
      "done[2] failed",
      "seen[1] passed",
      "seen[2] not-observed",
    ]);
  });

  test("applies a control with its own fields to a repeated request", async () => {
    const steps =
      "  - id: first\n    rest: POST /api/jobs\n    headers: { idempotency-key: one }\n    json: { n: 1 }\n  - repeat: first\n    expect: { status: 200 }\n    control: { headers: { idempotency-key: two }, expect: { status: 201 } }\n";
    const handler: Handler = ({ headers }, response) => response(headers["idempotency-key"] === "two" ? 201 : 200);
    const { exitCode, received } = await execution(handler, scenario(steps));
    expect([exitCode, received.map(({ body }) => body)]).toEqual([0, ['{"n":1}', '{"n":1}', '{"n":1}']]);
  });

  test("waits after an unexpected 429, and moves the clock if the target has one", async () => {
    const handler: Handler = ({ path }, response, _, all) => {
      if (path === "/worlds") return response(201, { id: "w1", keys: { full: "a-key-of-the-world" }, repos: [] });
      if (path.startsWith("/clock")) {
        const moves = all
          .filter((request) => request.path === "/clock/w1")
          .map(({ body }) => Number.parseInt(JSON.parse(body).by, 10));
        return response(200, { now: new Date(1000 * moves.reduce((sum, seconds) => sum + seconds, 0)) });
      }
      const isRefused = path === "/api/a" && all.filter((request) => request.path === "/api/a").length === 1;
      return isRefused ? response(429, {}, { "retry-after": "3600" }) : response(200);
    };
    const targetText = () =>
      'worlds: { create: { http: POST /worlds } }\nclock: { now: { http: GET /clock }, advance: { http: "POST /clock/{world}" } }';
    const steps = "  - rest: GET /api/a\n    expect: { status: 200 }\n";
    const { exitCode, received } = await execution(handler, scenario(steps), { targetText });
    expect([exitCode, received.findLast(({ path }) => path === "/clock/w1")?.body]).toEqual([0, '{"by":"3601s"}']);
    const { report } = await execution(
      (request, response) => (request.path === "/" ? response(200) : response(429, {}, { "retry-after": "3600" })),
      scenario(steps),
    );
    expect(report.checks[0]?.reason).toContain("the longest allowed wait is 0.1 s");
  });

  test("judges only the last answer of a poll", async () => {
    const steps = "  - rest: GET /api/a\n    until: { within: 60ms, every: 10ms }\n    expect: { json: { n: { gte: 3 } } }\n";
    const handler: Handler = (_, response, __, all) => response(200, { n: all.length });
    const { report, received } = await execution(handler, scenario(steps));
    expect([report.checks[0]?.verdict, received.length]).toEqual(["passed", 3]);
  });

  test("reads a list to its last page", async () => {
    const handler: Handler = ({ path }, response) =>
      response(200, path.includes("cursor=c%2B1") ? { data: [2], next_cursor: null } : { data: [1], next_cursor: "c+1" });
    const { report } = await execution(
      handler,
      scenario("  - rest: GET /api/jobs\n    allPages: true\n    expect: { json: { data: [1, 2] } }\n"),
    );
    expect(report.checks[0]).toMatchObject({ verdict: "passed", subjects: 2 });
  });
});
