import { describe, expect, test } from "vitest";
import type { RunResult, VerifyOptions } from "../../../../src/engine/run/options.js";
import { watch } from "../../../../src/engine/run/watch/watch.js";
import { suite } from "../../../../src/suite/suite.js";
import { type Handler, serve } from "../../server.js";
import { directory, KEY, removeDirectories, scenario } from "../execution.js";

removeDirectories();

const STEPS =
  "  - { id: one, rest: GET /api/one, expect: { status: 200 } }\n  - { id: two, rest: GET /api/two, expect: { status: 200 } }\n";

/** A server whose faults a test removes, and the watched output. */
async function open(handler: Handler, also: Partial<VerifyOptions> = {}) {
  const server = await serve(handler);
  const files = directory({
    "target.yaml": `base_url: ${server.url}\nexclusive: true\nrepos: [acme/demo/main]\nallow: { paid: true, destructive: true }\n`,
  });
  const scenarios = directory({ "one.yaml": scenario(STEPS) });
  const stop = new AbortController();
  const lines: string[] = [];
  const reports: RunResult[] = [];
  const listeners: ((line: string) => void)[] = [];
  const options: VerifyOptions = {
    ...{ target: `${files}/target.yaml`, key: KEY, scenarios, only: ["under-test"], preflight: false, signal: stop.signal },
    ...also,
  };
  const ended = () =>
    watch(suite, options, {
      onReport: async (result) => void reports.push(result),
      onLine(line) {
        lines.push(line);
        for (const listenTo of listeners) listenTo(line);
      },
      onRound: () => {},
    }).finally(() => server.close());
  return {
    server,
    ended,
    said: lines,
    reports,
    stop,
    onSay: (listenTo: (line: string) => void) => void listeners.push(listenTo),
  };
}

describe("watch", () => {
  test("repeats failed scenarios until they pass, reports changes, then repeats the whole run", async () => {
    const broken = new Set(["/api/one", "/api/two"]);
    const asked: string[] = [];
    const {
      ended,
      said: lines,
      reports,
      onSay,
    } = await open(({ path }, response) => {
      asked.push(path);
      response(broken.has(path) ? 404 : 200);
    });
    onSay((line) => {
      if (line.includes("repeating them")) broken.delete("/api/one");
      if (line.startsWith("fails now")) broken.delete("/api/two");
    });
    const { exitCode } = await ended();
    expect(lines).toEqual([
      "1 check failing; repeating them until all pass. Press Ctrl-C to end.",
      "passes now: under-test/one (JOB-RETRY-NEW)",
      "fails now: under-test/two (JOB-RETRY-NEW): expected status: 200, got status: 404",
      "1 check still failing",
      "passes now: under-test/two (JOB-RETRY-NEW)",
      "all failing checks pass now; examining the whole selection again",
    ]);
    expect([exitCode, reports.map((report) => report.exitCode)]).toEqual([0, [1, 0]]);
    expect(asked.filter((path) => path === "/api/one").length).toBe(4);
  });

  test("ends when it is stopped, with the result of the whole run", async () => {
    const { ended, said: lines, stop, onSay } = await open((_, response) => response(404));
    onSay((line) => line.includes("repeating them") && setTimeout(() => stop.abort(), 30));
    expect((await ended()).exitCode).toBe(1);
    expect(lines.at(-1)).toBe("the watch has ended: 1 check still failing");
  });

  test("ends when its time is used up", async () => {
    const { ended, said: lines } = await open((_, response) => response(404), { maxTime: 1 });
    expect((await ended()).exitCode).toBe(1);
    expect(lines.at(-1)).toBe("the watch has ended: 1 check still failing");
  });

  test("waits for a stopped server, reports that once, and continues", async () => {
    let [down, asked] = [true, 0];
    const handler: Handler = ({ path }, serviceResponse, response) => {
      if (path === "/") return serviceResponse(200);
      asked += 1;
      return down ? void response.destroy() : serviceResponse(200, { data: [] });
    };
    const { ended, said: lines, onSay } = await open(handler, { preflight: true, profile: "read-only" });
    onSay((line) => {
      if (line.includes("Retrying")) down = false;
    });
    await ended();
    expect(lines[0]).toMatch(/cannot be examined: .*\nRetrying every few seconds\. Press Ctrl-C to end\.$/s);
    expect(lines.filter((line) => line.includes("Retrying"))).toHaveLength(1);
    expect(asked).toBeLessThan(60);
  });

  test("has one budget for all its rounds", async () => {
    const steps =
      "  - { rest: POST /api/repos/acme/demo/main/jobs, json: { workflow: audit, params: {} }, expect: { status: 201 } }\n";
    const scenarios = directory({ "one.yaml": scenario(steps) });
    let started = 0;
    const handler: Handler = ({ method }, response) => {
      if (method === "POST") started += 1;
      response(200);
    };
    const { ended } = await open(handler, { scenarios, profile: "full", budgetPaid: 2, maxTime: 3 });
    await ended();
    expect(started).toBe(2);
  });
});
