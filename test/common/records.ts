import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../../src/engine/report/report.js";
import { writeBaseline } from "../../src/engine/run/baseline.js";
import type { TargetDraft } from "../../src/engine/run/target/inspect-server.js";
import type { Entry } from "../../src/mock/journal/read-entry.js";
import { check, line, sample, waiver } from "../engine/report/sample.js";
import { withHostileText } from "./hostile.js";

export const exchange = {
  step: "step",
  request: { method: "POST", url: "http://127.0.0.1/a", headers: { "x-a": "b" }, body: '{"a":1}' },
  answer: { status: 200, headers: { "content-type": "text/plain" }, body: "some words" },
  took_ms: 3,
  differs: [{ at: "/a", expected: "1", actual: "2" }],
  saves: { job: { place: "/id", value: "job-1" } },
};

export function report(hostile: string): Report {
  const failedCheck = check("two", "BETA", "failed", {
    ...{ expected: "a", actual: "b", reason: "c", curl: "curl -i 'http://127.0.0.1/a'", operation: "GET /x" },
    exchanges: [exchange] as never,
    mismatches: [{ at: "/letter", expected: "of type string", actual: "absent" }],
  });
  const wholeReport = sample({
    scenarios: [
      line("one", "ALPHA", "passed"),
      line("two", "BETA", "failed", "no"),
      line("three", "GAMMA", "inconclusive", "the server was busy"),
    ],
    checks: [
      check("one", "ALPHA", "passed"),
      failedCheck,
      check("three", "GAMMA", "inconclusive", { subjects: 0, reason: "busy" }),
    ],
    waivers: [waiver("ALPHA")],
    claim: { names: ["a name"], clauses: ["ALPHA", "BETA", "GAMMA"], total: 3 },
    mcp_revision: "2026-07-28",
    server_version: "1.2.3",
    lost_connections: { lost: 1, sent_again: 1, played_again: { two: 1 }, outages: 1, away_s: 1 },
    notes: ["a note"],
    started: [{ what: "job", id: "1" }] as never,
    leftovers: [{ what: "job", id: "1", why: "refused", scenario: "two" }] as never,
  });
  return { ...withHostileText(wholeReport, hostile), suite: wholeReport.suite };
}

/** Returns the text of a baseline file whose fields all contain a hostile text. */
export function baselineFile(hostile: string): string {
  const directory = mkdtempSync(join(tmpdir(), "baseline-"));
  const file = join(directory, "baseline.json");
  const suite = { version: hostile, clauses_digest: hostile };
  writeBaseline(file, { suite, target: hostile, profile: hostile as never, started_at: hostile, passed: [hostile] });
  const text = readFileSync(file, "utf8");
  rmSync(directory, { recursive: true });
  return text;
}

export function clientReport(hostile: string) {
  const none = { covered: [], uncovered: ["x"] };
  return withHostileText(
    {
      verdict: "findings" as const,
      requests: 1,
      findings: [
        {
          id: "r",
          severity: "forbidden",
          clauses: [],
          message: "s",
          count: 1,
          examples: [{ world: "w", entry: 1, request: "GET /", why: "w" }],
        },
      ],
      clauses: [],
      coverage: { surfaces: [], error_codes: none, transitions: none, second_pages: none, routes: none, tools: none },
    },
    hostile,
    /^(verdict|severity|surfaces|message|says)$/,
  ) as never;
}

export function entry(hostile: string): Entry {
  const plain = {
    ...{ number: 1, log: 1, at: "2026-01-01T00:00:00.000Z", request: "POST /api/x", route: "r", key: "k", role: "full" },
    ...{
      headers: { "x-a": "b", host: "127.0.0.1:1" },
      body: { a: "b" },
      status: 200,
      answer: { headers: {}, body: null },
      passed: [],
    },
    rule: { gate: "rate", code: "c", clause: "d", description: "e" },
    ...{ buckets: [], unread: ["body.x"], nearest: ["GET /api"], changes: [{ kind: "job", id: "1", to: "x" }] },
    ...{ forced: true, fault: "f", variations: ["g"] },
  };
  return withHostileText(plain, hostile, /^(at|gate)$/) as never;
}

export function draft(hostile: string, repo = "acme/web/main"): TargetDraft {
  const description = { entry: "keys.full", state: "works" as const, message: `it is taken${hostile}` };
  return {
    api: "http://127.0.0.1:1",
    mcp: { url: "http://127.0.0.1:1/mcp/" },
    keys: [{ role: "full", variable: "COUNTERPART_KEY", found: description }],
    repos: [repo],
    tools: [{ purpose: "submit_job", tool: `submit${hostile}`, arguments: { repo: `slug${hostile}` }, how: "guess" }],
    listedTools: [`other${hostile}`, hostile].map((name) => ({ name, description: "", arguments: [], required: [] })),
    bindings: {
      register_body: { value: { owner: `o${hostile}`, repo: "r", branch: "b" }, from: `by the document at x${hostile}` },
    },
    notes: [],
  };
}

export function found(hostile: string) {
  const wholeReport = report(hostile);
  return {
    report: wholeReport,
    scenario: `two${hostile}`,
    checks: wholeReport.checks,
    steps: withHostileText([exchange], hostile),
  } as never;
}

/** The information that a mock prints when it is ready. */
export const ready = {
  ...{ api_url: "a", app_url: "b", docs_url: "c", mcp_url: "d", control_url: "e" },
  ...{ keys: { full: "k" }, sessions: { owner: "s" }, repos: ["r"] },
};
