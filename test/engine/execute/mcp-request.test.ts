import { describe, expect, test } from "vitest";
import { runTools, type ServerBehaviour } from "./tool-server.js";

const manners: [string, ServerBehaviour][] = [
  ["in JSON, without sessions", {}],
  ["in JSON, with sessions", { sessions: true }],
  ["in streams, without sessions", { stream: true }],
  ["in streams, with sessions", { stream: true, sessions: true }],
];

const rate = { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "slower", request_id: "r" } };
const toolError = (text: string) => ({ result: { isError: true, content: [{ type: "text", text }] } });
const getBody = ({ body }: { body: string }) => JSON.parse(body || "{}") as { method?: string; params?: Record<string, unknown> };

describe.each(manners)("a tool server that answers %s", (_, behaviour) => {
  test("is listed up to its last page", async () => {
    const steps = "  - mcp: { list: tools }\n    expect: { result: { tools: { length: 3, contains: { name: watch } } } }\n";
    const { checks } = await runTools({ ...behaviour, page: 2 }, steps);
    expect(checks[0]).toMatchObject({ verdict: "passed", subjects: 2 });
  });

  test("is called, and its result can be captured", async () => {
    const call: ServerBehaviour["call"] = (name, given) => ({ result: { content: [], structuredContent: { name, ...given } } });
    const steps =
      "  - mcp: { call: start, arguments: { on: main } }\n    save: { name: /result/structuredContent/name }\n" +
      '  - mcp: { call: "{name}-again", arguments: {} }\n    expect: { status: 200, content: { contains: start-again } }\n';
    expect((await runTools({ ...behaviour, call }, steps)).checks[0]).toMatchObject({ verdict: "passed" });
  });

  test("gets a raw message unchanged", async () => {
    const steps =
      "  - mcp: { raw: { jsonrpc: '2.0', id: seven, method: tools/list, extra: 1 }, effect: read }\n    headers: { x-test: yes-please }\n    expect: { json: { id: seven, result: { tools: { length: 3 } } } }\n";
    const { checks, received } = await runTools(behaviour, steps);
    const raw = received.filter(({ body }) => body.includes("seven"));
    expect([checks[0]?.verdict, raw.at(-1)?.body, raw.at(-1)?.headers["x-test"]]).toEqual([
      "passed",
      '{"jsonrpc":"2.0","id":"seven","method":"tools/list","extra":1}',
      "yes-please",
    ]);
  });

  test("gets a call of every listed tool with the same arguments", async () => {
    const call: ServerBehaviour["call"] = (name) => (name === "watch" ? undefined : toolError("odd\n[type=extra_forbidden]"));
    const steps = "  - mcp: { eachTool: { odd: 1 } }\n    expect: { toolError: { type: extra_forbidden, names: odd } }\n";
    const { checks } = await runTools({ ...behaviour, call }, steps);
    expect(checks[0]).toMatchObject({ verdict: "failed", subjects: 3 });
    expect(checks[0]?.actual).toMatch(/^watch: result\/isError: absent/);
    expect(checks[0]?.actual).not.toContain("start");
  });
});

describe("a session with a tool server", () => {
  test("is shared by all requests of one key, and is closed", async () => {
    const steps = "  - mcp: { call: start }\n    expect: { content: done }\n".repeat(3);
    const { received } = await runTools({ sessions: true }, steps);
    expect(received.map((request) => `${request.method} ${getBody(request).method ?? ""}`)).toEqual([
      "POST initialize",
      "POST notifications/initialized",
      "POST tools/call",
      "POST tools/call",
      "POST tools/call",
      "DELETE ",
    ]);
  });

  test("is opened again when the server has lost it", async () => {
    const steps = "  - mcp: { call: start }\n    expect: { content: done }\n".repeat(4);
    const { checks } = await runTools({ sessions: true, forgetsAfter: 3 }, steps);
    expect(checks.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed", "passed"]);
  });

  test("that the server refuses by HTTP is judged by HTTP", async () => {
    const steps =
      "  - mcp: { call: start }\n    as: none\n    expect: { status: 401 }\n  - mcp: { call: start }\n    expect: { refused: true }\n";
    const { checks } = await runTools({ status: 401 }, steps);
    expect(checks.map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
  });

  test("that the server answers with an HTML page is judged", async () => {
    const { checks } = await runTools({ html: true }, "  - mcp: { call: start }\n    expect: { content: done }\n");
    expect(checks.map(({ verdict }) => verdict)).toEqual(["failed"]);
  });

  test("waits after a rate refusal inside a tool error", async () => {
    const call: ServerBehaviour["call"] = (_, __, calls) => (calls < 3 ? toolError(JSON.stringify(rate)) : undefined);
    const { checks } = await runTools({ call }, "  - mcp: { call: start }\n    expect: { content: done }\n");
    expect(checks[0]?.verdict).toBe("passed");
  });

  test("judges a rate refusal with `retry: false` without a wait", async () => {
    const call: ServerBehaviour["call"] = () => toolError(JSON.stringify(rate));
    const { checks } = await runTools({ call }, "  - mcp: { call: start }\n    retry: false\n    expect: { content: done }\n");
    expect(checks[0]?.verdict).toBe("failed");
  });

  test("ignores an answer without an id", async () => {
    const call: ServerBehaviour["call"] = () => ({ id: 4711, result: {} });
    const { checks } = await runTools({ call }, "  - mcp: { call: start }\n    expect: { content: done }\n");
    expect(checks[0]).toMatchObject({ verdict: "inconclusive", reason: expect.stringContaining("official client") });
  });

  test("ends a burst at the first refusal, in every form", async () => {
    const call: ServerBehaviour["call"] = (_, __, calls) => (calls === 4 ? toolError("too many") : undefined);
    const burst = (position: number) => `  - burst: { mcp: { call: start }, n: 9 }\n    expect: { firstRefused: ${position} }\n`;
    const { checks, received } = await runTools({ call }, burst(4));
    const sent = received.filter((request) => getBody(request).method === "tools/call");
    expect([checks[0]?.verdict, sent.length]).toEqual(["passed", 4]);
    expect((await runTools({ call }, burst(5))).checks[0]?.verdict).toBe("failed");
  });
});

describe("a step on a tool", () => {
  const steps = '  - mcp: { tool: submit_job, arguments: { workflow: "{unique}" } }\n    expect: { content: done }\n';

  test("uses the names of the target", async () => {
    const bound = "{ tools: { submit_job: begin }, tool_args: { submit_job: { workflow: what } } }";
    const { checks, received } = await runTools({}, `${steps}    effect: write\n`, bound);
    const params = received.map(getBody).find(({ method }) => method === "tools/call")?.params;
    expect([checks[0]?.verdict, params?.name, Object.keys(params?.arguments as object)]).toEqual(["passed", "begin", ["what"]]);
  });

  test.each([
    ["name", "{}", "tools.submit_job"],
    ["argument's name", "{ tools: { submit_job: begin } }", "tool_args.submit_job.workflow"],
  ])("is not applicable without its %s", async (_, bindings, missing) => {
    const { report } = await runTools({}, `${steps}    effect: write\n`, bindings);
    const reason = `the target offers no binding.${missing}: set bindings.${missing} in the target file`;
    expect(report.scenarios[0]).toMatchObject({ verdict: "not-applicable", reason });
  });

  test("that prepares data and was refused makes the scenario inconclusive", async () => {
    const refused = "  - mcp: { call: start }\n  - mcp: { call: watch }\n    expect: { content: done }\n";
    const { report } = await runTools({ call: (name) => (name === "start" ? toolError("no") : undefined) }, refused);
    expect(report.scenarios[0]?.verdict).toBe("inconclusive");
  });
});

test("a row's values may hold variables", async () => {
  const call: ServerBehaviour["call"] = (_, { note }) => ({
    result: { content: [{ type: "text", text: String(note).length.toString() }] },
  });
  const steps =
    '  - rows: [{ note: "{text:9}", size: "9" }, { note: "{text:12}", size: "12" }]\n    mcp: { call: start, arguments: { note: "{note}" } }\n    expect: { content: "{size}" }\n';
  expect((await runTools({ call }, steps)).checks.map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
});

test("a length counts characters, not bytes", async () => {
  const call: ServerBehaviour["call"] = (_, { note }) => ({
    result: { content: [{ type: "text", text: `${String(note).length} in ${Buffer.byteLength(String(note))}` }] },
  });
  const steps = '  - mcp: { call: start, arguments: { note: "{text:12:wide}" } }\n    expect: { content: "12 in 24" }\n';
  expect((await runTools({ call }, steps)).checks.map(({ verdict }) => verdict)).toEqual(["passed"]);
});
