import type { Check } from "../../../src/engine/execute/check.js";
import type { Outline } from "../../../src/engine/report/outline.js";
import type { Report, RunEvidence } from "../../../src/engine/report/report.js";
import type { Ledger } from "../../../src/engine/scenario/lint.js";
import type { VerdictRules } from "../../../src/engine/verdict/clauses.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import type { ScenarioEntry } from "../../../src/engine/verdict/scenario-entry.js";

const row = (section: number, description: string, surface: string[]) => ({ section, description, level: "stated", surface });

/** A ledger of three clauses that servers must keep. */
export const LEDGER: Ledger = {
  ALPHA: row(1, "Every `alpha` is a letter.", ["rest"]),
  BETA: row(3, "A beta follows.", ["rest", "mcp"]),
  GAMMA: row(3, "A gamma comes last.", ["docs"]),
};

/** The same as verdicts go by it. */
export const RULES: VerdictRules = {
  clauses: LEDGER,
  coverage: { dimensions: {} },
};

/** A scenario that proves one clause. */
export function line(scenario: string, clause: string, verdict: ScenarioEntry["verdict"], reason?: string): ScenarioEntry {
  const common = { scenario, title: `Title of ${scenario}`, file: `scenarios/1-letters/${scenario}.yaml`, requests: 2 };
  return { ...common, proves: [clause], verdict, ...(reason !== undefined && { reason }) };
}

/** The only check of such a scenario. */
export function check(scenario: string, clause: string, verdict: Check["verdict"], more: Partial<Check> = {}): Check {
  const place = { scenario, step: "step", file: `scenarios/1-letters/${scenario}.yaml`, line: 7 };
  return { id: `${scenario}/step`, ...place, clauses: [clause], verdict, subjects: 1, ...more };
}

/** The same as reports show them. */
export const OUTLINE: Outline = {
  clauses: LEDGER,
  sections: ["What it does", "Resources", "States"],
  surfaces: ["rest", "mcp", "docs", "client"],
};

/** Text that no form may let through unescaped: the end of each markup, a fence, a line break, and a character that XML forbids. */
export const HOSTILE_TEXT = '</pre></script><script>alert(1)</script> ]]> ``` & " 100%\n::error::x | y \u0000\u001b[31m';

/** A run in which ALPHA passes, BETA fails and GAMMA is inconclusive. */
export const EVIDENCE: RunEvidence = {
  suite: { version: "1.2.3", clauses_digest: "c0ffee", scenarios_digest: "5ca1ab1e" },
  target: "staging",
  url: "https://staging.example",
  target_file: "my staging.yaml",
  started_at: "2026-05-01T12:00:00.000Z",
  selection: { only: [] },
  profile: "safe",
  seed: 7,
  requests: 6,
  paid: 1,
  waited_s: 2.5,
  scenarios: [
    line("one", "ALPHA", "passed"),
    line("two", "BETA", "failed", "step: no"),
    line("three", "GAMMA", "inconclusive", "the server was busy"),
  ],
  checks: [
    check("one", "ALPHA", "passed"),
    check("two", "BETA", "failed", {
      expected: "status: 201",
      actual: HOSTILE_TEXT,
      curl: "curl -i 'https://staging.example/api'",
    }),
    check("three", "GAMMA", "inconclusive", { subjects: 0, reason: "the server was busy" }),
  ],
  waivers: [],
  properties: [],
};

/** The report of this evidence, with these changes. */
export function sample(change: Partial<RunEvidence> = {}): Report {
  return judgeEvidence(RULES, { ...EVIDENCE, ...change }).report;
}

/** A waiver for a clause on staging. */
export function waiver(clause: string, expires = "2026-12-31", target = "staging") {
  return { clause, reason: "known", ticket: "T-1", expires, target };
}
