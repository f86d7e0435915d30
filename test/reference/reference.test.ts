import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/runner/report/report.js";
import { verify } from "../../src/runner/verify.js";
import type { Choices } from "./choices.js";
import { OPS_TOKEN, startReference } from "./server.js";
import { closed, shared, terse, wordy } from "./variants.js";

/** Examines one variant with the whole suite, or with what `only` names. */
async function examine(choices: Choices, maxWait: number, only: string[] = []): Promise<Report> {
  const server = await startReference(choices);
  const directory = mkdtempSync(join(tmpdir(), "reference-"));
  try {
    const target = join(directory, "target.yaml");
    writeFileSync(target, JSON.stringify(server.target));
    const { report, messages } = await verify({ target, only, profile: "full", maxWait, env: { REFERENCE_OPS: OPS_TOKEN } });
    if (!report) throw new Error(messages.join("\n"));
    return report;
  } finally {
    rmSync(directory, { recursive: true });
    await server.close();
  }
}

/** What the examiner holds against a server, in lines. */
function alarms({ checks, scenarios }: Report): string[] {
  const failed = checks.filter(({ verdict }) => verdict === "failed");
  const broken = scenarios.filter(({ verdict }) => verdict === "harness-error");
  return [
    ...failed.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`),
    ...broken.map(({ scenario, reason }) => `${scenario}: ${reason}`),
  ];
}

/** How a variant is examined: the longest wait in seconds, and the fewest clauses that must pass. */
const variants: { name: string; choices: Choices; maxWait: number; fewest: number }[] = [
  { name: "terse", choices: terse, maxWait: 90, fewest: 380 },
  { name: "wordy", choices: wordy, maxWait: 90, fewest: 380 },
  { name: "shared", choices: shared, maxWait: 90, fewest: 350 },
  { name: "closed", choices: closed, maxWait: 2, fewest: 200 },
];

describe.concurrent("of servers that choose otherwise where the text is silent", () => {
  test.for(variants)("the examiner finds nothing against $name", { timeout: 180_000 }, async (variant) => {
    const { name, choices, maxWait, fewest } = variant;
    const report = await examine(choices, maxWait);
    console.log(name, JSON.stringify(report.counts), `${report.requests} requests`);
    expect(alarms(report)).toEqual([]);
    expect(report.counts.passed ?? 0).toBeGreaterThanOrEqual(fewest);
  });

  test("the examiner finds what breaks the text", async () => {
    const timeless = { ...terse, timestamp: () => "yesterday" };
    expect(alarms(await examine(timeless, 1, ["OBS-ACK-STAMPS"]))).toEqual([
      expect.stringMatching(/^observation-acknowledge\/stamped: .*"yesterday"/),
    ]);
  });
});
