import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileSchema, readSpec } from "../../../src/contract/load.js";
import { formatAnnotations } from "../../../src/engine/report/annotations.js";
import { formatTextReport } from "../../../src/engine/report/text.js";
import { verify } from "../../../src/engine/run/verify.js";
import { suite } from "../../../src/suite/suite.js";
import type { Handler } from "../server.js";
import { directory, execution, KEY, OK, refusal, removeDirectories, scenario } from "./execution.js";

removeDirectories();

describe("verify", () => {
  test("passes a check and counts its subjects", async () => {
    const { exitCode, report } = await execution(
      OK,
      scenario("  - rest: GET /api/jobs/j1\n    expect: { status: 200, json: { id: j1 } }\n"),
    );
    expect([exitCode, report.clauses]).toEqual([
      0,
      [expect.objectContaining({ id: "JOB-RETRY-NEW", verdict: "passed", subjects: 1 })],
    ]);
  });

  test("does not pass on an empty list", async () => {
    const { exitCode, report } = await execution(
      OK,
      scenario("  - rest: GET /api/jobs\n    expect: { json: { data: { each: { id: { type: string } } } } }\n"),
    );
    expect([exitCode, report.checks[0]?.verdict, report.checks[0]?.reason]).toEqual([
      3,
      "inconclusive",
      expect.stringContaining("nothing to judge: /data is an empty list"),
    ]);
  });

  test.each([
    ["HTML", "<!DOCTYPE html><p>", "body: an HTML page: <!DOCTYPE html><p>"],
    ["no JSON", "{", "body: no JSON: {"],
  ])("finds %s instead of JSON", async (_, body, actual) => {
    const { exitCode, report } = await execution(
      (__, response) => response(200, body),
      scenario("  - rest: GET /api/jobs\n    expect: { json: {} }\n"),
    );
    expect([exitCode, report.checks[0]?.actual]).toEqual([1, actual]);
  });

  test("requires the whole error envelope", async () => {
    const { request_id: _, ...short } = refusal.error;
    const { report } = await execution(
      (__, response) => response(409, { error: short }),
      scenario("  - rest: GET /api/jobs\n    expect: { error: { code: conflict } }\n"),
    );
    expect(report.checks[0]?.expected).toContain("/error/request_id");
  });

  test("is inconclusive when the connection closes or the deadline passes", async () => {
    const targetText = () => "timing: { request_timeout_s: 0.2 }\nallow: { paid: true }";
    const handler: Handler = ({ path }, serviceResponse, response) =>
      path === "/" ? serviceResponse(404) : path === "/api/hang" ? undefined : response.socket?.destroy();
    const steps = "  - rest: GET /api/hang\n    expect: { status: 200 }\n  - rest: GET /api/close\n    expect: { status: 200 }\n";
    const { report } = await execution(handler, scenario(steps, "proves: [JOB-RETRY-NEW]\ncontinueAfterFailure: true"), {
      targetText,
    });
    expect(report.checks.map(({ verdict, reason }) => [verdict, reason?.split(":")[0]])).toEqual([
      ["inconclusive", "no answer"],
      ["inconclusive", "no answer"],
    ]);
  });

  test("attributes a failure only to the clauses of the failed step, and does not judge later steps", async () => {
    const steps =
      "  - rest: GET /api/a\n    proves: [JOB-RETRY-NEW]\n    expect: { status: 200 }\n  - rest: GET /api/b\n    proves: [JOB-RETRY-INFLIGHT]\n    expect: { status: 201 }\n  - rest: GET /api/c\n    proves: [JOB-RETRY-WORKFLOW]\n    expect: { status: 200 }\n";
    const { report } = await execution(OK, scenario(steps, "proves: []"));
    expect(Object.fromEntries(report.clauses.map(({ id, verdict }) => [id, verdict]))).toEqual({
      "JOB-RETRY-NEW": "passed",
      "JOB-RETRY-INFLIGHT": "failed",
      "JOB-RETRY-WORKFLOW": "inconclusive",
    });
  });

  test("cleans up after a failure, but only created resources", async () => {
    const steps =
      "  - rest: GET /api/a\n    save: { job: /id }\n  - rest: GET /api/b\n    expect: { status: 201 }\n    save: { child: /child }\nfinally:\n  - rest: POST /api/jobs/{child}/cancel\n  - rest: POST /api/jobs/{job}/cancel\n";
    const { received, report } = await execution(OK, scenario(steps));
    expect([received.at(-1)?.path, received.length, report.checks.length]).toEqual(["/api/jobs/j1/cancel", 3, 1]);
  });

  test("cleans up when the run is stopped", async () => {
    const stop = new AbortController();
    const handler: Handler = ({ path }, response) => {
      if (path === "/api/a") stop.abort();
      response(200);
    };
    const steps = "  - rest: GET /api/a\n  - rest: GET /api/b\n    expect: { status: 200 }\nfinally:\n  - rest: POST /api/tidy\n";
    const { received, exitCode } = await execution(handler, scenario(steps), { signal: stop.signal });
    expect([received.map(({ path }) => path), exitCode]).toEqual([["/api/a", "/api/tidy"], 3]);
  });

  test.each([
    ["drive", "  - drive: suspend\n", "the target offers no drive.suspend: set drive.suspend in the target file"],
    ["a key", "  - rest: GET /api/a\n    as: viewer\n", "the target offers no key.viewer: set keys.viewer in the target file"],
    ["a second repository", "  - rest: GET /api/repos/{repo2}\n", "the target offers no repos.2: set 2 repos in the target file"],
    [
      "a web app",
      "  - rest: GET /api/a\n    session: admin\n",
      "the target offers no surface.session: set session_url in the target file",
    ],
    [
      "a binding",
      '  - mcp: { call: "{binding.tools.submit_job}" }\n',
      "the target offers no binding.tools.submit_job: set bindings.tools.submit_job in the target file",
    ],
    ["a long wait", "  - clock: { by: 25h }\n", "the target offers no clock: set a clock hook in the target file"],
  ])("skips and counts scenarios that need %s", async (_, step, reason) => {
    const { report, exitCode, received } = await execution(
      OK,
      scenario(`${step}  - rest: GET /api/z\n    expect: { status: 200 }\n`),
    );
    expect([report.scenarios[0]?.reason, report.counts, exitCode, received]).toEqual([reason, { "not-applicable": 1 }, 3, []]);
  });

  test.each([
    ["read-only", "POST /api/observations/X-1/acknowledge", "write"],
    ["safe", "POST /api/repos/{repo}/jobs", "paid"],
    ["safe", "DELETE /api/repos/{repo}", "destructive"],
  ] as const)("executes only steps of the profile %s", async (profile, rest, effect) => {
    const { report, received } = await execution(OK, scenario(`  - rest: ${rest}\n    expect: { status: 2xx }\n`), { profile });
    expect([report.scenarios[0]?.reason, received]).toEqual([
      `the scenario has ${effect} steps, which the profile ${profile} leaves out`,
      [],
    ]);
  });

  test("takes the roles from the created world, and deletes the world", async () => {
    const handler: Handler = ({ method, path }, response) =>
      path === "/worlds" && method === "POST" ? response(201, { id: "w1", keys: {} }) : response(200);
    const targetText = () => 'worlds: { create: { http: POST /worlds }, remove: { http: "DELETE /worlds/{world}" } }';
    const { report, received } = await execution(handler, scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n"), {
      targetText,
    });
    expect([report.scenarios[0]?.reason, received.map(({ method, path }) => `${method} ${path}`)]).toEqual([
      "the target offers no key.full: set keys.full in the target file",
      ["POST /worlds", "DELETE /worlds/w1"],
    ]);
  });

  test("writes a report that matches its schema and has no secret", async () => {
    const out = directory();
    const made = "another-secret-made-by-the-server";
    const handler: Handler = ({ path }, response) =>
      response(201, path === "/api/keys" ? { key_id: "k1", key: made } : { echo: `${KEY} ${made}` });
    const steps =
      "  - rest: POST /api/keys\n    json: {}\n    saveCredential: { mine: /key }\n  - rest: GET /api/a\n    as: mine\n    expect: { json: { echo: none } }\n";
    const { report, received } = await execution(handler, scenario(steps), { out, forms: ["junit", "html", "markdown"] });
    const files = readdirSync(out).sort();
    const evidence = ["clauses.json", "quality.json", "statement.json", "trace.ndjson", "waivers.yaml"];
    expect(files).toEqual([...evidence, "report.html", "report.json", "report.junit.xml", "report.md"].sort());
    const valid = compileSchema(readSpec("schema/report.json") as object);
    expect([valid(JSON.parse(readFileSync(join(out, "report.json"), "utf8"))), valid.errors]).toEqual([true, null]);
    const written = files.map((file) => readFileSync(join(out, file), "utf8")).join("");
    expect(received[1]?.headers.authorization).toBe(`Bearer ${made}`);
    const shown = written + formatTextReport(report, suite, { colour: false }) + formatAnnotations(report, suite);
    expect([shown.includes(KEY), shown.includes(made), shown.includes("authorization: Bearer $COUNTERPART_KEY_MINE")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("reports in one sentence that no server listens", async () => {
    const scenarios = directory({ "one.yaml": scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n") });
    expect(await verify(suite, { url: "http://127.0.0.1:1", scenarios })).toEqual({
      exitCode: 4,
      messages: [
        "http://127.0.0.1:1 cannot be examined: no server listens at this address. Start the server, or give another address.",
      ],
    });
  });

  test.each([
    ["a selection of nothing", { only: ["no-such-thing"] }, "nothing is selected"],
    ["a missing target file", { target: "/no/such.yaml" }, "/no/such.yaml: does not exist"],
    ["no address", {}, "no server is named"],
  ])("refuses %s", async (_, options, message) => {
    const scenarios = directory({ "one.yaml": scenario("  - rest: GET /api/a\n    expect: { status: 200 }\n") });
    const { exitCode, messages } = await verify(suite, { scenarios, ...options });
    expect([exitCode, messages[0]?.startsWith(message)]).toEqual([2, true]);
  });
});
