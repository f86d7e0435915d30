import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { EventLine } from "../../../../src/engine/evidence/trace/line.js";
import { readSteps } from "../../../../src/engine/evidence/trace/steps-in-trace.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import type { Entry } from "../../../../src/index.js";
import { suite } from "../../../../src/suite/suite.js";
import { openWorkspace } from "../../../suite/cleanup/workspace.js";
import { type ServerBehaviour, toolServer } from "../../execute/tool-server.js";
import { type Handler, serve } from "../../server.js";
import { judged, read, restated, rewordText } from "../bundles.js";

const closing: (() => unknown)[] = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "kept-"));
  closing.push(() => rmSync(path, { recursive: true }));
  return path;
}

async function examine(options: VerifyOptions): Promise<Report> {
  const { report, messages } = await verify(suite, { profile: "full", seed: 1, runs: 0, ...options });
  if (!report) throw new Error(messages.join("\n"));
  return report;
}

/** One request to a tool server. */
interface ToolRequest {
  method: string;
  credentials: unknown;
  session: string | undefined;
  id: unknown;
}

/** Verifies a mock with sessions and one workspace, with a frozen clock by default. */
async function examineMock({ clock = false, ...options }: VerifyOptions & { clock?: boolean }) {
  const change = (target: Record<string, unknown>) => {
    target.timing = { rate_minute_s: 1 };
    if (!clock) delete target.clock;
  };
  const mcp = { sessions: true, sse: true, revisions: ["legacy"] };
  const { mock, target, close } = await openWorkspace(change, { clock: clock ? "frozen" : "real", limits: "off", mcp });
  closing.push(close);
  const out = directory();
  const report = await examine({ target, out, ...options });
  const response = await fetch(`${mock.api_url}/__mock/worlds/default/journal?limit=10000`);
  const { entries } = (await response.json()) as { entries: Entry[] };
  const requests = entries.flatMap(({ request, body, role, headers, answer: serverResponse }): ToolRequest[] => {
    const [verb = "", url = ""] = request.split(" ");
    const message = body as { method?: string; id?: unknown } | null;
    const session = headers["mcp-session-id"] ?? serverResponse.headers["mcp-session-id"];
    return url === "/mcp/" ? [{ method: message?.method ?? verb, credentials: role, session, id: message?.id }] : [];
  });
  return { report, out, requests, sent: entries.length };
}

/** Examines a test's tool server by some scenarios that call a tool each. */
async function examineTools(
  behaviour: ServerBehaviour,
  scenarios: number,
  changeSession: (handler: Handler) => Handler = (handler) => handler,
  signal = new AbortController().signal,
) {
  const server = await serve(changeSession(toolServer({ sessions: true, ...behaviour })));
  const [out, files] = [directory(), directory()];
  const target = join(directory(), "target.yaml");
  writeFileSync(target, `base_url: ${server.url}\nexclusive: true\ntiming: { rate_minute_s: 24 }\n`);
  const rows = Array.from({ length: scenarios }, (_, n) => `{ n: ${n} }`).join(", ");
  const steps = "steps: [{ mcp: { call: start, effect: read }, expect: { content: done } }]";
  writeFileSync(
    join(files, "one.yaml"),
    `scenario: under-test\ntitle: A tool is called\nproves: [MCP-TOOL-SUBMIT]\nrows: [${rows}]\n${steps}\n`,
  );
  const options = {
    target,
    key: "a-key-of-the-test",
    scenarios: files,
    only: ["under-test*"],
    preflight: false,
    out,
    maxWait: 1.5,
    signal,
  };
  const report = await examine(options).finally(server.close);
  const methods = server.received
    .filter(({ path }) => path === "/mcp/")
    .map(({ method, body }) => (JSON.parse(body || "{}") as { method?: string }).method ?? method);
  return { report, methods, out, again: await judgeBundle(suite, { bundle: out, scenarios: files }) };
}

const TOOLS = ["mcp-official-client", "mcp-tool-list-repositories", "mcp-tool-overview", "mcp-tool-rules"];
const count = (methods: readonly string[], method: string) => methods.filter((one) => one === method).length;
const getLines = (out: string) =>
  read(out, "trace.ndjson")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as EventLine);

describe("a run on a shared server", () => {
  test("has one session for each key, in scenarios and properties, with unique request ids", async () => {
    const only = [...TOOLS, "mcp-triage-scope", "property:fuzz-tool-list-jobs"];
    const { report, requests, sent, out } = await examineMock({ only, runs: 25 });
    expect([...report.checks, ...report.properties].filter(({ verdict }) => verdict !== "passed")).toEqual([]);
    const ofMethod = (wanted: string) => requests.filter(({ method }) => method === wanted);
    const keys = ofMethod("initialize").map(({ credentials }) => credentials);
    expect(keys.toSorted()).toEqual(["full", "full", "triage", "viewer"]); // the preflight opens one and ends it
    expect(ofMethod("tools/call").length).toBeGreaterThan(30);

    const ids = requests.flatMap(({ session, id }) => (session && id !== undefined ? [`${session} ${id}`] : []));
    expect(ids.length).toBe(new Set(ids).size);
    expect(requests.slice(-3).map(({ method }) => method)).toEqual(["DELETE", "DELETE", "DELETE"]);
    expect(new Set(requests.slice(-3).map(({ session }) => session)).size).toBe(3);

    expect(report.requests).toBe(sent);
    expect(getLines(out).filter((line) => line.kind === "exchange" && line.kept !== undefined).length).toBeGreaterThan(6);
    expect(judged((await judgeBundle(suite, { bundle: out })).report)).toEqual(judged(report));
  });

  test("opens separate sessions for scenarios about handshakes and for created keys", async () => {
    const { report, requests, out } = await examineMock({ only: [...TOOLS, "mcp-protocol", "mcp-scope-narrowed"] });
    expect(report.checks.filter(({ verdict }) => verdict === "failed")).toEqual([]);
    const getSessions = (wanted: (request: ToolRequest) => boolean) =>
      new Set(requests.filter(wanted).flatMap(({ session }) => session ?? []));
    const [raw, common] = [
      getSessions(({ method }) => method === "no/such/method"),
      getSessions(({ method }) => method === "tools/list"),
    ];
    expect([raw.size, common.size, new Set([...raw, ...common]).size]).toEqual([1, 2, 2]); // raw messages list tools too
    const own = getSessions(({ method, credentials }) => method === "initialize" && credentials !== "full");
    expect(own.size).toBeGreaterThan(0);
    expect(judged((await judgeBundle(suite, { bundle: out })).report)).toEqual(judged(report));
  });

  test("closes its sessions also when it is stopped", async () => {
    const stop = new AbortController();
    const { requests } = await examineMock({ only: TOOLS, signal: stop.signal, onProgress: () => stop.abort() });
    const methods = requests.map(({ method }) => method);
    expect([count(methods, "initialize"), methods.at(-1), count(methods, "DELETE")]).toEqual([2, "DELETE", 2]);
  });

  test.each([404, 400])("opens a session again when the server has lost it (status %i)", async (forgottenStatus) => {
    const { report, methods, again } = await examineTools({ forgetsAfter: 4, forgottenStatus }, 8);
    expect(report.checks.map(({ verdict }) => verdict)).toEqual(Array(8).fill("passed"));
    expect([count(methods, "initialize"), methods.at(-1)]).toEqual([3, "DELETE"]);
    expect(judged(again.report)).toEqual(judged(report));
  });

  test("lets other tasks wait while one opens the session", async () => {
    let begun = 0;
    const { report, methods, out, again } = await examineTools({}, 3, (handler) => (request, response, ...rest) => {
      if (request.body.includes('"initialize"') && begun++ === 0) return response(429, {}, { "retry-after": "0" });
      handler(request, response, ...rest);
    });
    expect(report.checks.map(({ verdict }) => verdict)).toEqual(Array(3).fill("passed"));
    expect([count(methods, "initialize"), count(methods, "notifications/initialized")]).toEqual([2, 1]);
    const eventLines = getLines(out).filter((line) => line.kind === "hold" && line.session);
    expect(new Set(eventLines.map((line) => line.scenario)).size).toBe(2);
    expect(judged(again.report)).toEqual(judged(report));
  });

  test("has the same verdicts on replay when it is stopped during that wait", async () => {
    const stop = new AbortController();
    const refuse: Handler = (_, response) => {
      setTimeout(() => stop.abort(), 300);
      response(429, {}, { "retry-after": "0" });
    };
    const { report, out, methods, again } = await examineTools({}, 3, () => refuse, stop.signal);
    expect([methods, report.checks.length]).toEqual([["initialize"], 0]);
    expect(getLines(out).filter((line) => line.kind === "hold" && line.session)).toHaveLength(2);
    expect(judged(again.report)).toEqual(judged(report));
  });

  test("does not keep a refused session", async () => {
    const { methods } = await examineTools({ status: 403 }, 3);
    expect(methods).toEqual(Array(3).fill("initialize"));
  });
});

describe("the trace of a run with kept sessions", () => {
  let bundle: string;
  beforeAll(async () => {
    const { out } = await examineMock({ only: TOOLS });
    expect((await judgeBundle(suite, { bundle: out })).exitCode).toBe(0);
    bundle = mkdtempSync(join(tmpdir(), "kept-"));
    cpSync(out, bundle, { recursive: true });
  });
  afterAll(() => rmSync(bundle, { recursive: true }));

  const isKept = (line: EventLine) => line.kind === "exchange" && line.kept !== undefined;
  const kept = (change: (line: EventLine & { kind: "exchange"; kept: number }) => EventLine | undefined) => (line: EventLine) =>
    isKept(line) ? change(line as Parameters<typeof change>[0]) : line;
  const inResponse = (from: string | RegExp, to: string) =>
    kept((line) => JSON.parse(JSON.stringify(line).replace(JSON.stringify(line.response), (text) => text.replace(from, to))));

  test.each<[string, (line: EventLine) => EventLine | undefined]>([
    ["is left out", kept(() => undefined)],
    ["is said to be sent", kept(({ kept: _, ...line }) => line)],
    ["is of another who joined", kept((line) => ({ ...line, kept: line.kept + 1 }))],
    ["has another session", inResponse(/"mcp-session-id":"[^"]/, '"mcp-session-id":"x')],
    ["has another version of the protocol", inResponse(/\d{4}-\d\d-\d\d/, "2024-11-05")],
    ["is refused", kept((line) => (line.response ? { ...line, response: { ...line.response, status: 403 } } : line))],
    ["was asked for otherwise", kept((line) => ({ ...line, request: { ...line.request, body: "{}" } }))],
    [
      "was asked for by another key",
      kept((line) => ({ ...line, request: { ...line.request, headers: { authorization: "x" } } })),
    ],
  ])("is refused when a kept handshake %s", async (_, change) => {
    const out = directory();
    cpSync(bundle, out, { recursive: true });
    const trace = join(out, "trace.ndjson");
    const before = readFileSync(trace, "utf8");
    writeFileSync(trace, rewordText(change)(before));
    expect(readFileSync(trace, "utf8")).not.toBe(before);
    const { exitCode, report } = await judgeBundle(suite, { bundle: restated(out) });
    expect([exitCode, report]).toEqual([1, undefined]);
  });

  test("marks a kept handshake", async () => {
    const scenario = getLines(bundle).find(isKept)?.scenario ?? expect.fail("none is kept");
    const stepsResult = await readSteps(join(bundle, "trace.ndjson"), scenario, suite.defaultRole);
    if (!stepsResult.ok) return expect.fail(stepsResult.mistake);
    expect(stepsResult.steps.flatMap((step) => ("event" in step ? [step.event] : []))).toEqual(
      Array(2).fill(expect.stringMatching(/^POST .*: sent by an earlier execution in the same session$/)),
    );
  });

  test("is not required of runs without kept sessions", async () => {
    const { report, requests, out } = await examineMock({ only: TOOLS, clock: true });
    expect(
      count(
        requests.map(({ method }) => method),
        "initialize",
      ),
    ).toBe(4 + 2);
    const trace = join(out, "trace.ndjson");
    const withoutClock = (line: EventLine) => {
      if ((line.kind as string) !== "run") return line;
      const { target, ...run } = line as unknown as { target: object };
      return { ...run, target: { ...target, clock: undefined } } as unknown as EventLine;
    };
    writeFileSync(trace, rewordText(withoutClock)(readFileSync(trace, "utf8")));
    expect(judged((await judgeBundle(suite, { bundle: restated(out) })).report)).toEqual(judged(report));
  });
});
