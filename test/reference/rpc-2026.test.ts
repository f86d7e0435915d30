import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/engine/report/report.js";
import { type VerifyOptions, verify } from "../../src/engine/run/verify.js";
import { suite } from "../../src/suite/suite.js";
import { draw, exhaustive } from "../meta/sample.js";
import { base } from "./base.js";
import { NEWEST } from "./rpc-2026.js";
import { OPS_TOKEN, startReference } from "./server.js";

/** Files about the protocol, and one more; `npm run quality` uses all files. */
const files = ["keys", "prompts", "tools-for-jobs", "tools-for-settings", "tool-list-fix-prs", "undeclared-arguments"];
const only = exhaustive ? ["mcp/*"] : ["mcp/protocol.yaml", ...draw(files, 1).map((file) => `mcp/${file}.yaml`)];

/** Examines the tool server of a reference server that supports these revisions. */
async function examine(
  revisions: readonly string[],
  options: Pick<VerifyOptions, "mcpRevision" | "only" | "runs"> = {},
): Promise<{ report: Report; exitCode: number }> {
  const server = await startReference({ ...base, revisions, toolHeaders: true });
  const directory = mkdtempSync(join(tmpdir(), "revisions-"));
  try {
    const target = join(directory, "target.yaml");
    writeFileSync(target, JSON.stringify(server.target));
    const env = { REFERENCE_OPS: OPS_TOKEN };
    const { report, messages, exitCode } = await verify(suite, { target, only, seed: 1, runs: 0, env, ...options });
    if (!report) throw new Error(messages.join("\n"));
    return { report, exitCode };
  } finally {
    rmSync(directory, { recursive: true });
    await server.close();
  }
}

function passedIn({ clauses }: Report): string[] {
  return clauses.filter(({ verdict }) => verdict === "passed").map(({ id }) => id);
}

describe.concurrent("a server whose tool server supports", () => {
  test("only revision 2026-07-28 names it before a property that is run alone", async () => {
    const { report } = await examine([NEWEST], { only: ["property:pairs-of-job-status-and-action"], runs: 1 });
    expect(report.mcp_revision).toBe(NEWEST);
    expect(report.checks.map(({ verdict }) => verdict)).not.toContain("failed");
  });

  test.for([
    ["only revision 2026-07-28", [NEWEST], NEWEST],
    ["revisions with a handshake and 2026-07-28", ["2025-03-26", NEWEST], NEWEST],
  ] as const)("%s passes the same clauses as one with a handshake", { timeout: 300_000 }, async ([, revisions, revision]) => {
    const [{ report }, { report: earlier }] = await Promise.all([examine(revisions), examine(base.revisions)]);
    expect(report.checks.filter(({ verdict }) => verdict === "failed")).toEqual([]);
    expect([report.mcp_revision, earlier.mcp_revision]).toEqual([revision, "2025-03-26"]);
    expect(passedIn(report)).toEqual(passedIn(earlier));
    expect(passedIn(report).length).toBeGreaterThan(15);
  });

  test.for([
    ["a revision that the runner does not know", ["2030-01-01"], {}, "2030-01-01"],
    ["another revision than the user set", [NEWEST], { mcpRevision: "2025-06-18" }, "does not support MCP 2025-06-18"],
  ] as const)("%s passes nothing, for one reason", { timeout: 120_000 }, async ([, revisions, options, why]) => {
    const { report, exitCode } = await examine(revisions, options);
    expect([exitCode, report.verdict, report.mcp_revision, passedIn(report)]).toEqual([3, "inconclusive", undefined, []]);
    expect(report.checks.filter(({ verdict }) => verdict === "passed")).toEqual([]);
    const unjudgedScenarioEntries = report.scenarios.filter(({ verdict }) => verdict !== "not-applicable");
    const reasons = new Set(unjudgedScenarioEntries.map(({ reason = "" }) => reason.replace(/^\S+: /, "")));
    expect([...reasons]).toEqual([expect.stringContaining(why)]);
  });
});
