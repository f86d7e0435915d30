import childProcess, { type ChildProcess, type SpawnOptions } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import nodeModule, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { compileSchema, readSpec } from "../../../src/contract/load.js";
import { renderHtmlReport } from "../../../src/engine/report/html.js";
import { formatMarkdownReport } from "../../../src/engine/report/markdown.js";
import type { Report } from "../../../src/engine/report/report.js";
import { formatTextReport } from "../../../src/engine/report/text.js";
import { merge } from "../../../src/engine/run/merge.js";
import { type VerifyOptions, verify } from "../../../src/engine/run/verify.js";
import type { SecondOpinion } from "../../../src/engine/second-opinion/opinion.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { describeWith } from "../../meta/needs.js";
import { exhaustive, sampled } from "../../meta/sample.js";
import { EVIDENCE, HOSTILE_TEXT, OUTLINE, sample } from "../report/sample.js";
import { type Received, serve } from "../server.js";

/** The children that were started, and whether packages can be found. */
const machine = { children: [] as ChildProcess[], bare: false, mute: false };
beforeAll(() => {
  const { spawn } = childProcess;
  const { createRequire } = nodeModule;
  vi.spyOn(childProcess, "spawn").mockImplementation((...given: unknown[]) => {
    const [program, args, options] = given as [string, string[], SpawnOptions];
    const child = spawn(program, machine.mute ? ["-e", "setInterval(() => {}, 1e9)"] : args, options);
    machine.children.push(child);
    return child as never;
  });
  vi.spyOn(nodeModule, "createRequire").mockImplementation((from) => createRequire(machine.bare ? "file:///nowhere/" : from));
  nodeModule.syncBuiltinESMExports(); // named imports follow
});
afterAll(() => {
  vi.restoreAllMocks();
  nodeModule.syncBuiltinESMExports();
});

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  machine.children.length = 0;
  machine.bare = false;
  machine.mute = false;
});

async function openMock(): Promise<Mock> {
  const mock = await startMock({ clock: "frozen" });
  open.push(mock);
  return mock;
}

async function verifyMock(options: VerifyOptions): Promise<Report & { second_opinion: SecondOpinion }> {
  const { report, messages } = await verify(suite, { seed: 1, secondOpinion: true, preflight: false, ...options });
  if (!report?.second_opinion) throw new Error(messages.join("\n") || "no second opinion");
  return { ...report, second_opinion: report.second_opinion };
}

/** A mock behind a server that records requests and may change a response's text. */
async function behind(mock: Mock, change: (body: string, request: Received) => string = (body) => body) {
  const server = await serve(async (request, response) => {
    const { method, path, headers, body } = request;
    const { host: _, connection: __, "content-length": ___, ...kept } = headers as Record<string, string>;
    const serverResponse = await fetch(mock.api_url + path, { method, headers: kept, ...(body && { body }) });
    const text = change(await serverResponse.text(), request);
    response(serverResponse.status, serverResponse.status === 204 ? "" : text.replaceAll(mock.api_url, server.url));
  });
  open.push(server);
  return server;
}

const verdicts = ({ verdict, scenarios, clauses }: Report) => [verdict, ...[...scenarios, ...clauses].map((one) => one.verdict)];

const ended = (child?: ChildProcess) => child !== undefined && (child.exitCode !== null || child.signalCode !== null);

const installed = (() => {
  try {
    return Boolean(createRequire(import.meta.url).resolve("@stoplight/prism-cli"));
  } catch {
    return false;
  }
})();

/** Prism takes seconds to start. Each run of the tests draws one of these two situations: about 3 commits try both. */
const situations = sampled(["a planted fault", "a closed input"], 1);

describeWith({ name: "@stoplight/prism-cli", found: installed }, "Prism between runner and target", () => {
  test.runIf(exhaustive)("finds no violation in answers of the mock to the REST suite", { timeout: 180_000 }, async () => {
    const mock = await openMock();
    const { second_opinion: opinion, verdict } = await verifyMock({ url: mock.api_url, surface: "rest", runs: 0 });
    expect(opinion.violations).toEqual([]);
    expect(verdict).toBe("passed");
    expect(opinion.exchanges).toBeGreaterThan(5000);
    // these requests provoke refusals
    expect(opinion.request_violations).toBeGreaterThan(100);
    // a body that is not JSON goes past Prism, which refuses it by itself
    expect(opinion.unjudged).toBeLessThan(20);
  });

  test.runIf(situations.includes("a planted fault"))(
    "reports a planted fault once for each operation with a count, and nothing else, changes no request and no verdict, and exits",
    {
      timeout: 60_000,
    },
    async () => {
      // Prism has more to say of 99 rows than a header holds.
      const rows = '{"job_id":7},'.repeat(99);
      const server = await behind(await openMock(), (body, { path }) =>
        path.startsWith("/api/jobs?") ? body.replace('"data":[', `"data":[${rows}`) : body,
      );
      const options = { url: server.url, only: ["error-m*", "page-limit"] };
      const report = await verifyMock(options);
      const rest = server.received.filter(({ path }) => path.startsWith("/api/"));
      expect(report.second_opinion.violations).toEqual([
        {
          location: "response.body.data.0",
          severity: "Error",
          code: "required",
          message: expect.stringContaining("'id'"),
          request: expect.stringMatching(/^GET \/api\/jobs\?limit=\d+$/),
          status: 200,
          count: expect.any(Number),
        },
      ]);
      expect(report.second_opinion.violations[0]!.count).toBeGreaterThan(99);
      expect(machine.children.map(ended)).toEqual([true]);
      const valid = compileSchema(readSpec("schema/report.json") as object);
      expect([valid(report), valid.errors]).toEqual([true, null]);
      const alone = (await verify(suite, { ...options, seed: 1 })).report!;
      expect(alone).not.toHaveProperty("second_opinion");
      expect(verdicts(report)).toEqual(verdicts(alone));

      // also of requests that Prism refuses
      const { second_opinion: opinion } = report;
      expect(opinion.exchanges).toBeGreaterThan(30);
      expect(opinion.unjudged).toBeGreaterThan(0);
      expect(rest.length).toBe(opinion.exchanges + opinion.unjudged);
      expect(rest.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /counterpart|prism/i.test(name))).toEqual([]);
      expect(rest.map(({ headers }) => headers["user-agent"] ?? "").filter((agent) => /prism/i.test(agent))).toEqual([]);
    },
  );

  test.runIf(situations.includes("a closed input"))(
    "exits when its input closes, and the run continues without it",
    { timeout: 60_000 },
    async () => {
      const mock = await openMock();
      const cut = () => machine.children[0]!.stdin!.destroy();
      const report = await verifyMock({
        url: mock.api_url,
        only: ["page-*"],
        onProgress: ({ done }) => void (done === 1 && cut()),
      });
      expect([report.verdict, machine.children.map(ended)]).toEqual(["passed", [true]]);
      expect(report.second_opinion.unjudged).toBeGreaterThan(0);
    },
  );
});

describeWith({ name: "@stoplight/prism-cli", found: installed }, "Prism that does not start", () => {
  test("is stopped after a minute", async () => {
    machine.mute = true;
    const mock = await openMock();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const result = verify(suite, { url: mock.api_url, only: ["page-limit"], secondOpinion: true, preflight: false });
      while (machine.children.length === 0) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(60_000);
      expect(await result).toEqual({ exitCode: 4, messages: ["Prism did not start: it does not listen after 60 s"] });
      expect(machine.children.map(ended)).toEqual([true]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("without Prism the run stops with a message that says how to install it", async () => {
  machine.bare = true;
  const { exitCode, messages, report } = await verify(suite, { url: (await openMock()).api_url, secondOpinion: true });
  expect([exitCode, messages, report]).toEqual([
    2,
    ["--second-opinion needs Prism, which is not installed: npm install --save-dev @stoplight/prism-cli"],
    undefined,
  ]);
});

describe("a second opinion in a report", () => {
  const violation = { location: "response.body.data.3.title", severity: "Error", code: "type", status: 200, count: 2 };
  const opinion = (request: string, message = HOSTILE_TEXT): SecondOpinion => ({
    validator: "Prism",
    version: "5.0.0",
    exchanges: 10,
    unjudged: 1,
    request_violations: 4,
    violations: [{ ...violation, message, request }],
  });

  test.each([
    ["text", (report: Report) => formatTextReport(report, OUTLINE, { colour: false })],
    ["Markdown", (report: Report) => formatMarkdownReport(report, OUTLINE)],
    ["HTML", (report: Report) => renderHtmlReport(report, OUTLINE)],
  ])("has a section in %s only if it was requested", (_, render) => {
    const shown = render(sample({ second_opinion: opinion("GET /api/jobs") }));
    expect(shown).toMatch(
      /Prism 5\.0\.0 on 10 exchanges: 2 violations .*; 4 violations in requests.*; 1 exchange could not be judged/,
    );
    expect(shown).toMatch(/GET \/api\/jobs.* → 200/);
    expect(render(sample())).not.toMatch(/second opinion/i);
  });

  test.each([
    ["Markdown", formatMarkdownReport],
    ["HTML", renderHtmlReport],
  ])("escapes markup of the server in %s", (_, render) => {
    const passing = { scenarios: [], checks: [], second_opinion: opinion("GET /api/jobs") };
    expect(render(sample(passing), OUTLINE)).not.toMatch(/(?<!\\)<script>alert/);
  });

  test("of several shards is merged: violations of one operation are counted together", async () => {
    const folder = mkdtempSync(join(tmpdir(), "opinion-"));
    open.push({ close: () => rmSync(folder, { recursive: true }) });
    const files = ["GET /api/jobs?limit=1", "GET /api/jobs"].map((request, at) => {
      const selection = { only: [], shard: { index: at + 1, of: 2 } };
      const { report } = judgeEvidence(suite, {
        ...EVIDENCE,
        scenarios: [],
        checks: [],
        selection,
        second_opinion: opinion(request, "no"),
      });
      const file = join(folder, `${at}.json`);
      writeFileSync(file, JSON.stringify(report));
      return file;
    });
    const { report, messages } = await merge(suite, files);
    expect(messages).toEqual([]);
    expect(report?.second_opinion).toEqual({
      ...opinion("GET /api/jobs?limit=1", "no"),
      exchanges: 20,
      unjudged: 2,
      request_violations: 8,
      violations: [{ ...violation, message: "no", request: "GET /api/jobs?limit=1", count: 4 }],
    });
  });
});
