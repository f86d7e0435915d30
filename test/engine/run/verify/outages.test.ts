import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../../../src/engine/report/report.js";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import { drawFrom } from "../hostile-proxy.js";
import { openLossy } from "../lossy-proxy.js";

/** A burst, a race, a write, tool calls and a property. */
const only = ["bucket-fix", "job-retry-race", "observation-acknowledge", "mcp-tool-acknowledge", "property:fuzz-list-jobs"];

/** Verifies a mock behind a proxy with these losses. */
async function examine(losses: Parameters<typeof openLossy>[0], options: VerifyOptions = {}): Promise<Report> {
  const proxy = await openLossy(losses);
  try {
    const { report, messages } = await verify(suite, { url: proxy.url, only, seed: 1, runs: 3, preflight: false, ...options });
    return report ?? expect.fail(messages.join("\n"));
  } finally {
    await proxy.close();
  }
}

const getVerdicts = ({ clauses }: Report) => Object.fromEntries(clauses.map(({ id, verdict }) => [id, verdict]));

describe("a run over a bad connection passes the same clauses", () => {
  let clean: Report;
  let directory: string;
  beforeAll(async () => {
    clean = await examine({});
    expect(clean.lost_connections).toBeUndefined();
    directory = mkdtempSync(join(tmpdir(), "outages-"));
    return () => rmSync(directory, { recursive: true });
  });

  test("with two lost connections in a hundred requests, and so does the judgement of its trace", async () => {
    const draw = drawFrom(3);
    const lose = (count: number) => {
      const drawn = draw();
      return count === 7 || drawn < 0.01 ? "before" : drawn < 0.02 ? "after" : undefined;
    };
    const report = await examine({ lose }, { out: directory });
    expect(getVerdicts(report)).toEqual(getVerdicts(clean));
    expect(report.lost_connections).toMatchObject({ outages: 0 });
    expect(report.lost_connections?.lost).toBeGreaterThan(0);
    const repeatedRunResult = await judgeBundle(suite, { bundle: directory });
    expect([repeatedRunResult.exitCode, repeatedRunResult.messages.join("\n")]).toEqual([
      report.outcome.exit_code,
      expect.stringContaining("with the same verdicts"),
    ]);
    expect(repeatedRunResult.report?.lost_connections).toEqual(report.lost_connections);
  });

  test("with a restart that deletes all worlds", async () => {
    const lines: string[] = [];
    const restart = { restartAt: 40, awayMs: 700 };
    const report = await examine(restart, { out: directory, onOutage: (line) => void lines.push(line) });
    expect(getVerdicts(report)).toEqual(getVerdicts(clean));
    expect(lines).toEqual([
      expect.stringMatching(/^The server does not answer/),
      expect.stringMatching(/^The server answers again after 1 s/),
    ]);
    expect(report.lost_connections).toMatchObject({ outages: 1 });
    expect(Object.keys(report.lost_connections?.played_again ?? {})).not.toEqual([]);
    expect((await judgeBundle(suite, { bundle: directory })).messages.join("\n")).toContain("with the same verdicts");
  });

  test("with 300 ms more for each answer", async () => {
    const some = { only: ["scope-view-submit"] };
    const [fast, slow] = await Promise.all([examine({}, some), examine({ delayMs: 300 }, some)]);
    expect(getVerdicts(slow)).toEqual(getVerdicts(fast));
    expect(slow.lost_connections).toBeUndefined();
  });
});

test("a request whose connection the server closes every time stays inconclusive", async () => {
  const lose = (_: number, path: string) => (path.endsWith("/acknowledge") ? "after" : undefined);
  const report = await examine({ lose }, { only: ["observation-acknowledge"] });
  expect(report.scenarios).toMatchObject([
    {
      verdict: "inconclusive",
      reason: expect.stringContaining("the server closed the connection before the answer was complete"),
    },
  ]);
  expect(report.lost_connections).toMatchObject({ played_again: { "observation-acknowledge": 2 } });
});

test("a server that does not return ends the run, and its scenarios can still be repeated", async () => {
  const report = await examine({ restartAt: 40, awayMs: 5000 }, { waitForServer: 0.3 });
  expect(report.outcome.verdict).toBe("inconclusive");
  const openScenarioEntries = report.scenarios.filter(({ verdict }) => verdict !== "passed");
  expect(new Set(openScenarioEntries.map(({ verdict }) => verdict))).toEqual(new Set(["not-observed"]));
  expect(openScenarioEntries.map(({ reason }) => reason)).toContain("the server did not answer for 1 s");
});
