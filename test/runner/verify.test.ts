import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { compileSchema, readSpec } from "../../src/contract/load.js";
import { annotations } from "../../src/runner/report/annotations.js";
import { textReport } from "../../src/runner/report/text.js";
import { ledger } from "../../src/runner/suite.js";
import { type VerifyOptions, verify } from "../../src/runner/verify.js";
import { type Handler, serve } from "./server.js";

const KEY = "secret-key-that-must-not-show";
const directories: string[] = [];
const servers: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function directory(files: Record<string, string> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "runner-"));
  directories.push(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const scenario = (steps: string, head = "proves: [JOB-RETRY-NEW]") =>
  `scenario: under-test\ntitle: A scenario of the examiner's own tests\n${head}\nsteps:\n${steps}`;

/** Plays one scenario, given by its steps, against a server that answers as told. */
async function play(handler: Handler, yaml: string, options: VerifyOptions & { targetText?: (url: string) => string } = {}) {
  const server = await serve(handler);
  servers.push(server);
  const { targetText = () => "repos: [acme/demo/main]\nallow: { paid: true, destructive: true }", ...rest } = options;
  const files = directory({ "target.yaml": `base_url: ${server.url}\nexclusive: true\n${targetText(server.url)}\n` });
  const scenarios = directory({ "one.yaml": yaml });
  const result = await verify({
    target: join(files, "target.yaml"),
    key: KEY,
    scenarios,
    only: ["under-test*"],
    maxWait: 0.1,
    preflight: false,
    ...rest,
  });
  if (!result.report) throw new Error(result.messages.join("\n"));
  return { ...result, report: result.report, received: server.received.filter(({ path }) => path !== "/") };
}

const OK: Handler = (_, reply) => reply(200, { id: "j1", data: [] });
const refusal = { error: { type: "conflict", code: "conflict", message: "no", request_id: "r1" } };

describe("verify", () => {
  test("passes a check and counts its subjects", async () => {
    const { exitCode, report } = await play(
      OK,
      scenario("  - rest: GET /api/jobs/j1\n    expect: { status: 200, json: { id: j1 } }\n"),
    );
    expect([exitCode, report.clauses]).toEqual([
      0,
      [expect.objectContaining({ id: "JOB-RETRY-NEW", verdict: "passed", subjects: 1 })],
    ]);
  });

  test("finds nothing proved by an empty list", async () => {
    const { exitCode, report } = await play(
      OK,
      scenario("  - rest: GET /api/jobs\n    expect: { json: { data: { each: { id: { type: string } } } } }\n"),
    );
    expect([exitCode, report.checks[0]?.verdict, report.checks[0]?.reason]).toEqual([
      3,
      "inconclusive",
      "nothing to judge: /data is an empty list",
    ]);
  });

  test.each([
    ["HTML", "<!DOCTYPE html><p>", "body: an HTML page: <!DOCTYPE html><p>"],
    ["no JSON", "{", "body: no JSON: {"],
  ])("finds %s where JSON is due", async (_, body, actual) => {
    const { exitCode, report } = await play(
      (__, reply) => reply(200, body),
      scenario("  - rest: GET /api/jobs\n    expect: { json: {} }\n"),
    );
    expect([exitCode, report.checks[0]?.actual]).toEqual([1, actual]);
  });

  test("demands the whole error envelope", async () => {
    const { request_id: _, ...short } = refusal.error;
    const { report } = await play(
      (__, reply) => reply(409, { error: short }),
      scenario("  - rest: GET /api/jobs\n    expect: { error: { code: conflict } }\n"),
    );
    expect(report.checks[0]?.expected).toContain("/error/request_id");
  });

  test("cannot tell when the connection closes or the deadline passes", async () => {
    const targetText = () => "timing: { request_timeout_s: 0.2 }\nallow: { paid: true }";
    const handler: Handler = ({ path }, reply, response) =>
      path === "/" ? reply(404) : path === "/api/hang" ? undefined : response.socket?.destroy();
    const steps = "  - rest: GET /api/hang\n    expect: { status: 200 }\n  - rest: GET /api/close\n    expect: { status: 200 }\n";
    const { report } = await play(handler, scenario(steps, "proves: [JOB-RETRY-NEW]\nindependent: true"), { targetText });
    expect(report.checks.map(({ verdict, reason }) => [verdict, reason?.split(":")[0]])).toEqual([
      ["inconclusive", "no answer"],
      ["inconclusive", "no answer"],
    ]);
  });

  test("repeats a request byte for byte", async () => {
    const steps =
      '  - id: first\n    rest: POST /api/jobs\n    headers: { idempotency-key: "k-{unique}" }\n    json: { at: "{now}", b: [1] }\n  - repeat: first\n    expect: { status: 200 }\n';
    const { received } = await play(OK, scenario(steps));
    expect(received).toHaveLength(2);
    expect(received[1]).toEqual(received[0]);
  });

  test("ends a burst at the first 429 and judges it", async () => {
    const handler: Handler = (_, reply, __, all) =>
      all.length > 3
        ? reply(
            429,
            { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "m", request_id: "r" } },
            { "retry-after": "7" },
          )
        : reply(200);
    const targetText = () => "timing: { rate_minute_s: 0.01 }";
    const burst = "  - burst: { rest: GET /api/repos, n: 9 }\n";
    const steps = `${burst}    expect: { first429: 4, statuses: { 2xx: 3 }, error: { code: rate_limit_qps }, headers: { Retry-After: "7" } }\n`;
    const { report, received, exitCode } = await play(handler, scenario(steps), { targetText });
    expect([exitCode, received.length, report.checks[0]?.subjects]).toEqual([0, 4, 4]);
    const wrong = await play(handler, scenario(`${burst}    expect: { first429: { gte: 5 } }\n`), { targetText });
    expect(wrong.report.checks[0]).toMatchObject({ verdict: "failed", actual: "position of the first 429: 4" });
  });

  test("cannot tell by a burst that outlasts the minute of its bucket", async () => {
    const handler: Handler = (_, reply) => void setTimeout(() => reply(200), 5);
    const steps = "  - burst: { rest: GET /api/repos, n: 9 }\n    expect: { first429: { gte: 4 } }\n";
    const slow = await play(handler, scenario(steps), { targetText: () => "timing: { rate_minute_s: 0.01 }" });
    expect(slow.report.checks[0]).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringContaining("longer than the minute"),
    });
  });

  test("sends a race at once and counts its answers", async () => {
    const waiting: (() => void)[] = [];
    const handler: Handler = ({ path }, reply) => {
      if (path === "/") return reply(200);
      waiting.push(() => reply(waiting.length === 3 && path.endsWith("1") ? 201 : 200, { id: "same" }));
      if (waiting.length === 3) for (const answer of waiting) answer();
    };
    const steps =
      '  - race: { rest: "POST /api/x/{n}", json: {}, n: 3 }\n    expect: { statuses: { 201: 1, 200: 2 }, distinct: { /id: 1 } }\n';
    expect((await play(handler, scenario(steps))).report.checks[0]).toMatchObject({ verdict: "passed", subjects: 3 });
  });

  test("passes nothing when the control behaves as the check does", async () => {
    const steps =
      "  - rest: GET /api/jobs\n    query: { limit: 201 }\n    expect: { status: 422 }\n    control: { query: { limit: 200 }, expect: { status: 200 } }\n";
    const told = await play(({ path }, reply) => reply(path.includes("201") ? 422 : 200), scenario(steps));
    expect([told.exitCode, told.received.map(({ path }) => path)]).toEqual([0, ["/api/jobs?limit=201", "/api/jobs?limit=200"]]);
    const blind = await play((_, reply) => reply(422), scenario(steps));
    expect([blind.exitCode, blind.report.checks[0]?.verdict]).toEqual([3, "inconclusive"]);
  });

  test("controls a repeated request by its own fields", async () => {
    const steps =
      "  - id: first\n    rest: POST /api/jobs\n    headers: { idempotency-key: one }\n    json: { n: 1 }\n  - repeat: first\n    expect: { status: 200 }\n    control: { headers: { idempotency-key: two }, expect: { status: 201 } }\n";
    const handler: Handler = ({ headers }, reply) => reply(headers["idempotency-key"] === "two" ? 201 : 200);
    const { exitCode, received } = await play(handler, scenario(steps));
    expect([exitCode, received.map(({ body }) => body)]).toEqual([0, ['{"n":1}', '{"n":1}', '{"n":1}']]);
  });

  test("blames only the clauses of the failed step and leaves later ones untold", async () => {
    const steps =
      "  - rest: GET /api/a\n    proves: [JOB-RETRY-NEW]\n    expect: { status: 200 }\n  - rest: GET /api/b\n    proves: [JOB-RETRY-INFLIGHT]\n    expect: { status: 201 }\n  - rest: GET /api/c\n    proves: [JOB-RETRY-WORKFLOW]\n    expect: { status: 200 }\n";
    const { report } = await play(OK, scenario(steps, "proves: []"));
    expect(Object.fromEntries(report.clauses.map(({ id, verdict }) => [id, verdict]))).toEqual({
      "JOB-RETRY-NEW": "passed",
      "JOB-RETRY-INFLIGHT": "failed",
      "JOB-RETRY-WORKFLOW": "inconclusive",
    });
  });

  test("tidies up after a failure, but not what was never made", async () => {
    const steps =
      "  - rest: GET /api/a\n    save: { job: /id }\n  - rest: GET /api/b\n    expect: { status: 201 }\n    save: { child: /child }\nfinally:\n  - rest: POST /api/jobs/{child}/cancel\n  - rest: POST /api/jobs/{job}/cancel\n";
    const { received, report } = await play(OK, scenario(steps));
    expect([received.at(-1)?.path, received.length, report.checks.length]).toEqual(["/api/jobs/j1/cancel", 3, 1]);
  });

  test("tidies up when the run is stopped", async () => {
    const stop = new AbortController();
    const handler: Handler = ({ path }, reply) => {
      if (path === "/api/a") stop.abort();
      reply(200);
    };
    const steps = "  - rest: GET /api/a\n  - rest: GET /api/b\n    expect: { status: 200 }\nfinally:\n  - rest: POST /api/tidy\n";
    const { received, exitCode } = await play(handler, scenario(steps), { signal: stop.signal });
    expect([received.map(({ path }) => path), exitCode]).toEqual([["/api/a", "/api/tidy"], 3]);
  });

  test.each([
    ["drive", "  - drive: suspend\n", "the target offers no drive.suspend"],
    ["a key", "  - rest: GET /api/a\n    as: viewer\n", "the target offers no key.viewer"],
    ["a second repository", "  - rest: GET /api/repos/{repo2}\n", "the target offers no repos.2"],
    ["a web app", "  - rest: GET /api/a\n    session: admin\n", "the target offers no surface.app"],
    ["a binding", '  - mcp: { call: "{binding.tools.submit_job}" }\n', "the target offers no binding.tools.submit_job"],
    ["a long wait", "  - clock: { by: 25h }\n", "the target offers no clock"],
  ])("leaves out and counts what needs %s", async (_, step, reason) => {
    const { report, exitCode, received } = await play(OK, scenario(`${step}  - rest: GET /api/z\n    expect: { status: 200 }\n`));
    expect([report.scenarios[0]?.reason, report.counts, exitCode, received]).toEqual([reason, { "not-observed": 1 }, 3, []]);
  });

  test.each([
    ["read-only", "POST /api/observations/X-1/acknowledge", "write"],
    ["safe", "POST /api/repos/{repo}/jobs", "paid"],
    ["safe", "DELETE /api/repos/{repo}", "destructive"],
  ] as const)("keeps to the profile %s", async (profile, rest, effect) => {
    const { report, received } = await play(OK, scenario(`  - rest: ${rest}\n    expect: { status: 2xx }\n`), { profile });
    expect([report.scenarios[0]?.reason, received]).toEqual([
      `it has ${effect} steps, which the profile ${profile} leaves out`,
      [],
    ]);
  });

  test("waits out a 429 nobody asked for, and moves the clock where there is one", async () => {
    const handler: Handler = ({ path }, reply, _, all) => {
      if (path === "/worlds") return reply(201, { id: "w1", keys: { full: "a-key-of-the-world" }, repos: [] });
      if (path.startsWith("/clock")) return reply(200, { now: "2030-01-01T00:00:00Z" });
      const refused = path === "/api/a" && all.filter((request) => request.path === "/api/a").length === 1;
      return refused ? reply(429, {}, { "retry-after": "3600" }) : reply(200);
    };
    const targetText = () =>
      'worlds: { create: { http: POST /worlds } }\nclock: { now: { http: GET /clock }, advance: { http: "POST /clock/{world}" } }';
    const steps = "  - rest: GET /api/a\n    expect: { status: 200 }\n";
    const { exitCode, received } = await play(handler, scenario(steps), { targetText });
    expect([exitCode, received.find(({ path }) => path === "/clock/w1")?.body]).toEqual([0, '{"by":"3601s"}']);
    const { report } = await play(
      (request, reply) => (request.path === "/" ? reply(200) : reply(429, {}, { "retry-after": "3600" })),
      scenario(steps),
    );
    expect(report.checks[0]?.reason).toContain("at most 0.1 s are allowed");
  });

  test("learns from the made world which roles there are, and gives it back", async () => {
    const handler: Handler = ({ method, path }, reply) =>
      path === "/worlds" && method === "POST" ? reply(201, { id: "w1", keys: {} }) : reply(200);
    const targetText = () => 'worlds: { create: { http: POST /worlds }, remove: { http: "DELETE /worlds/{world}" } }';
    const { report, received } = await play(handler, scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n"), {
      targetText,
    });
    expect([report.scenarios[0]?.reason, received.map(({ method, path }) => `${method} ${path}`)]).toEqual([
      "the target offers no key.full",
      ["POST /worlds", "DELETE /worlds/w1"],
    ]);
  });

  test("judges only the last answer of a poll", async () => {
    const steps = "  - rest: GET /api/a\n    until: { within: 60ms, every: 10ms }\n    expect: { json: { n: { gte: 3 } } }\n";
    const handler: Handler = (_, reply, __, all) => reply(200, { n: all.length });
    const { report, received } = await play(handler, scenario(steps));
    expect([report.checks[0]?.verdict, received.length]).toEqual(["passed", 3]);
  });

  test("walks a list to its last page", async () => {
    const handler: Handler = ({ path }, reply) =>
      reply(200, path.includes("cursor=c%2B1") ? { data: [2], next_cursor: null } : { data: [1], next_cursor: "c+1" });
    const { report } = await play(
      handler,
      scenario("  - rest: GET /api/jobs\n    walk: true\n    expect: { json: { data: [1, 2] } }\n"),
    );
    expect(report.checks[0]).toMatchObject({ verdict: "passed", subjects: 2 });
  });

  test("writes a whole report that fits its schema and holds no secret", async () => {
    const out = directory();
    const made = "another-secret-made-by-the-server";
    const handler: Handler = ({ path }, reply) =>
      reply(201, path === "/api/keys" ? { key_id: "k1", key: made } : { echo: `${KEY} ${made}` });
    const steps =
      "  - rest: POST /api/keys\n    json: {}\n    saveKey: { mine: /key }\n  - rest: GET /api/a\n    as: mine\n    expect: { json: { echo: none } }\n";
    const { report, received } = await play(handler, scenario(steps), { out, forms: ["junit", "html", "markdown"] });
    const files = readdirSync(out).sort();
    const evidence = ["clauses.json", "quality.json", "statement.json", "trace.ndjson", "waivers.yaml"];
    expect(files).toEqual([...evidence, "report.html", "report.json", "report.junit.xml", "report.md"].sort());
    const valid = compileSchema(readSpec("schema/report.json") as object);
    expect([valid(JSON.parse(readFileSync(join(out, "report.json"), "utf8"))), valid.errors]).toEqual([true, null]);
    const written = files.map((file) => readFileSync(join(out, file), "utf8")).join("");
    expect(received[1]?.headers.authorization).toBe(`Bearer ${made}`);
    const shown = written + textReport(report, ledger, { colour: false }) + annotations(report);
    expect([shown.includes(KEY), shown.includes(made), shown.includes("authorization: Bearer ***")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("says in one sentence that nobody listens", async () => {
    const scenarios = directory({ "one.yaml": scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n") });
    expect(await verify({ url: "http://127.0.0.1:1", scenarios })).toEqual({
      exitCode: 4,
      messages: [
        "http://127.0.0.1:1 cannot be examined: nobody listens at this address. Start the server, or give another address.",
      ],
    });
  });

  test.each([
    ["a selection of nothing", { only: ["no-such-thing"] }, "nothing is selected"],
    ["a target file that is not there", { target: "/no/such.yaml" }, "/no/such.yaml: cannot be read (ENOENT)"],
    ["no address", {}, "no server is named"],
  ])("refuses %s", async (_, options, message) => {
    const scenarios = directory({ "one.yaml": scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n") });
    const { exitCode, messages } = await verify({ scenarios, ...options });
    expect([exitCode, messages[0]?.startsWith(message)]).toEqual([2, true]);
  });
});
