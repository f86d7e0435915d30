import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EventLine } from "../../../../src/engine/evidence/trace/line.js";
import { replay } from "../../../../src/engine/evidence/trace/replay.js";
import { startRun } from "../../../../src/engine/run/connect.js";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import type { Target } from "../../../../src/engine/target/target.js";
import { suite as contractSuite } from "../../../../src/suite/suite.js";
import { type Handler, serve } from "../../server.js";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "trace-"));
  directories.push(path);
  return path;
}

interface Setting extends VerifyOptions {
  /** Fields of the target file beside its address. */
  target?: string;
  finally?: string;
}

/** Runs one scenario against a server that is then gone, and judges its trace again. */
async function runAndJudge(handler: Handler, steps: string, { target = "", finally: last = "", ...options }: Setting = {}) {
  const server = await serve(handler);
  const [out, suite] = [directory(), directory()];
  const file = join(directory(), "target.yaml");
  writeFileSync(file, `base_url: ${server.url}\nexclusive: true\nallow: { paid: true, destructive: true }\n${target}\n`);
  writeFileSync(
    join(suite, "one.yaml"),
    `scenario: traced\ntitle: A scenario of the runner's own tests\nproves: [JOB-RETRY-NEW]\nsteps:\n${steps}${last}`,
  );
  const ran = await verify(contractSuite, {
    target: file,
    key: "the-key-of-the-caller",
    scenarios: suite,
    only: ["traced"],
    preflight: false,
    out,
    forms: ["html"],
    ...options,
  }).finally(() => server.close());
  if (!ran.report) throw new Error(ran.messages.join("\n"));
  const text = readFileSync(join(out, "trace.ndjson"), "utf8");
  const [, ...lines] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as EventLine)
    .filter(({ kind }) => (kind as string) !== "end");
  const repeatedRunResult = await judgeBundle(contractSuite, { bundle: out, scenarios: suite });
  return { ran, again: repeatedRunResult, text, lines, out, received: server.received };
}

const kinds = (lines: readonly EventLine[]) => lines.map(({ kind }) => kind).join(" ");
const request = (lines: readonly EventLine[], index: number) =>
  lines.filter((line) => line.kind === "exchange")[index] ?? expect.fail(`there is no exchange ${index}`);

describe("a replay has the same verdicts as its run", () => {
  test("with real waits", async () => {
    const handler: Handler = (_, response, __, all) => response(all.length === 1 ? 503 : 200, {}, { "retry-after": "0" });
    const execution = await runAndJudge(handler, "  - rest: GET /api/jobs\n    expect: { status: 200 }\n");
    expect(execution.again.report?.checks).toEqual(execution.ran.report?.checks);
    expect([execution.ran.report?.waited_s, kinds(execution.lines)]).toEqual([1, "begin exchange pause exchange"]);
  });

  test("with command hooks", async () => {
    const node = JSON.stringify(process.execPath);
    const script = `process.stdin.on("data", (d) => console.log(JSON.stringify({ got: JSON.parse(d), token: "${"x".repeat(20)}" })))`;
    const target = `drive: { suspend: { command: [${node}, "-e", ${JSON.stringify(script)}] }, reactivate: { command: [${node}, "-e", "process.exit(3)"] } }`;
    const steps =
      "  - drive: suspend\n    save: { token: /token }\n  - rest: GET /api/jobs?t={token}\n    given: { status: 200 }\n  - drive: reactivate\n  - rest: GET /api/jobs\n    expect: { status: 200 }\n";
    const execution = await runAndJudge((_, response) => response(200), steps, { target });
    expect(execution.ran.report?.scenarios[0]?.reason).toContain("ended with exit code 3");
    expect(execution.again.report?.scenarios).toEqual(execution.ran.report?.scenarios);
    expect(execution.text).not.toContain("process.stdin");
  });

  test("that uses the clock of this machine", async () => {
    const steps = '  - rest: POST /api/jobs\n    json: { at: "{now-1h}" }\n    expect: { status: 200 }\n';
    const execution = await runAndJudge((_, response) => response(200), steps);
    expect([execution.again.exitCode, kinds(execution.lines)]).toEqual([0, "begin clock exchange"]);
  });

  test("with concurrent requests, in any order of responses", async () => {
    const waiting: (() => void)[] = [];
    const handler: Handler = ({ path }, response) => {
      waiting.unshift(() => response(path.endsWith("1") ? 201 : 200, { path }));
      if (waiting.length === 3) for (const serverResponse of waiting) serverResponse();
    };
    const steps = '  - race: { rest: "POST /api/x/{n}", json: {}, n: 3 }\n    expect: { statuses: { 201: 1, 200: 2 } }\n';
    const execution = await runAndJudge(handler, steps);
    expect([
      execution.again.exitCode,
      execution.lines.slice(1).map((line) => line.kind === "exchange" && line.request.url.slice(-1)),
    ]).toEqual([0, ["1", "2", "3"]]);
  });

  test("with shortened response bodies", async () => {
    const pad = "x".repeat(5_000_000);
    const steps = "  - rest: GET /api/jobs\n    expect: { status: 200, json: { data: [] } }\n".repeat(4);
    const execution = await runAndJudge((_, response) => response(200, { data: [], pad }), steps);
    expect([execution.ran.exitCode, execution.again.exitCode]).toEqual([0, 0]);
    expect(execution.text.length).toBeLessThan(100_000);
    expect(execution.ran.report?.shortened_responses).toBe(4);
    expect(request(execution.lines, 0).response).toMatchObject({
      body: '{"data":[],"pad":"(5000000 characters)"}',
      whole: {
        bytes: pad.length + 20,
        sha256: createHash("sha256")
          .update(JSON.stringify({ data: [], pad }))
          .digest("hex"),
      },
    });
    expect(readFileSync(join(execution.out, "report.html"), "utf8")).toContain(
      "The trace holds 4 response bodies in shortened form",
    );
  });

  test("and is inconclusive if it needs the missing part of a body", async () => {
    const data = Array.from({ length: 400_000 }, (_, id) => id);
    const steps = "  - rest: GET /api/jobs\n    expect: { status: 200, json: { data: { length: 400000 } } }\n";
    const execution = await runAndJudge((_, response) => response(200, { data }), steps);
    expect([execution.ran.exitCode, execution.ran.report?.verdict]).toEqual([0, "passed"]);
    expect([execution.again.exitCode, execution.again.report]).toEqual([3, undefined]);
    expect(execution.again.messages.join()).toContain("because their answers are shortened in the trace: traced");
  });

  test("without remaining budget", async () => {
    const steps = "  - rest: POST /api/repos/a/b/c/jobs\n    json: {}\n    expect: { status: 201 }\n";
    const execution = await runAndJudge((_, response) => response(201), steps, { budgetPaid: 0 });
    expect([execution.again.report?.scenarios, kinds(execution.lines)]).toEqual([
      execution.ran.report?.scenarios,
      "begin no-budget",
    ]);
    expect(execution.again.report?.checks[0]?.reason).toContain("budget");
  });

  test("that was stopped, including its cleanup", async () => {
    const stop = new AbortController();
    const handler: Handler = ({ path }, response) => {
      if (path === "/api/a") stop.abort();
      response(200);
    };
    const steps = "  - rest: POST /api/a\n  - rest: GET /api/b\n    expect: { status: 200 }\n";
    const execution = await runAndJudge(handler, steps, { signal: stop.signal, finally: "finally:\n  - rest: POST /api/tidy\n" });
    expect(execution.received.map(({ path }) => path)).toEqual(["/api/a", "/api/tidy"]);
    expect([kinds(execution.lines), execution.again.exitCode]).toEqual(["begin exchange stop exchange", 3]);
    expect(execution.again.report?.checks).toEqual(execution.ran.report?.checks);
  });

  test("that ended before the scenario", async () => {
    const stop = new AbortController();
    stop.abort();
    const steps = "  - rest: GET /api/b\n    expect: { status: 200 }\n";
    const execution = await runAndJudge((_, response) => response(200), steps, { signal: stop.signal });
    expect([kinds(execution.lines), execution.again.report?.scenarios]).toEqual(["left-out", execution.ran.report?.scenarios]);
  });

  test("with binary and missing responses", async () => {
    const handler: Handler = ({ path }, serviceResponse, response) => {
      if (path === "/api/gone") return void response.socket?.destroy();
      if (path !== "/api/bytes") return serviceResponse(200);
      response.writeHead(200, { "content-type": "application/octet-stream" });
      response.end(Buffer.from([0xff, 0x00, ...Buffer.from("the-key-of-the-caller")]));
    };
    const steps =
      "  - rest: GET /api/bytes\n    expect: { json: { a: 1 } }\n  - rest: GET /api/gone\n    expect: { status: 200 }\n";
    const execution = await runAndJudge(handler, steps);
    const { response } = request(execution.lines, 0);
    expect(Buffer.from(response?.base64 ?? "", "base64").toString("latin1")).toBe("\u00ff\0***key.full***");
    expect([execution.again.exitCode, execution.again.report?.checks]).toEqual([
      execution.ran.exitCode,
      execution.ran.report?.checks,
    ]);
  });
});

describe("a trace holds no secret", () => {
  const made = "a-key-that-the-server-has-made";

  test("also in lines before the secret was known, and equal secrets stay equal", async () => {
    const handler: Handler = ({ method, path }, response) => {
      if (path === "/ops") return response(200, { echo: "token-of-the-operator" });
      if (method === "POST") return response(201, { key_id: "k1", value: made }, { "set-cookie": "session=abcdef" });
      response(200, { error: { message: made } });
    };
    const steps =
      '  - drive: suspend\n  - rest: GET /api/before\n    save: { seen: /error/message }\n  - rest: POST /api/keys\n    json: {}\n    saveCredential: { mine: "/{binding.key_value_field}" }\n  - rest: GET /api/after?q={seen}\n    as: mine\n    expect: { body: { contains: "{seen}" } }\n';
    const target =
      "drive: { suspend: { http: POST /ops, headers: { x-token: { env: OPS } } } }\nbindings: { key_value_field: value }";
    const execution = await runAndJudge(handler, steps, { target, env: { OPS: "token-of-the-operator" } });
    expect(execution.received.at(-1)?.headers.authorization).toBe(`Bearer ${made}`);
    for (const secret of [made, "token-of-the-operator", "the-key-of-the-caller", "abcdef"])
      expect(execution.text).not.toContain(secret);
    expect(request(execution.lines, 1).response?.body).toContain("***key.mine***");
    expect(request(execution.lines, 3).request).toMatchObject({
      url: expect.stringMatching(/\?q=\*\*\*key.mine\*\*\*$/),
      headers: { authorization: "Bearer ***key.mine***" },
    });
    expect([execution.again.exitCode, execution.again.report?.checks]).toEqual([0, execution.ran.report?.checks]);
  });

  test("and only the digest of a long request", async () => {
    const steps = '  - rest: POST /api/a\n    json: { long: "{text:40000}" }\n    expect: { status: 200 }\n';
    const execution = await runAndJudge((_, response) => response(200), steps);
    expect([execution.again.exitCode, request(execution.lines, 0).request]).toEqual([
      0,
      expect.objectContaining({ characters: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
    expect(execution.text.length).toBeLessThan(5000);
  });
});

test("a replay never sleeps, and reports a wait that is not in the trace", async () => {
  const [scenario, target] = [
    "traced",
    { urls: { api: "http://127.0.0.1:1" }, keys: {}, sessions: {}, drive: {}, timing: {} } as unknown as Target,
  ];
  const nobody = { send: () => expect.fail("something was sent"), close: async () => {} };
  const lines: EventLine[] = [
    { scenario, n: 0, kind: "begin", unique: "u" },
    { scenario, n: 1, kind: "pause", seconds: 86_400 },
  ];
  const { run, divergence } = replay(startRun(contractSuite, { env: {} }, target, nobody), lines);
  await run.sleep(86_400, run.signal);
  expect(divergence()).toBeUndefined();
  await run.sleep(60, run.signal);
  expect(divergence()).toBe("the replay needs a pause of 60 s, but the trace ends here");
});
