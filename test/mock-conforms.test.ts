import { expect, test } from "vitest";
import { contract } from "../src/contract/load.js";
import { type MockOptions, startMock } from "../src/mock/server.js";
import type { Report } from "../src/runner/report/report.js";
import { examinable } from "../src/runner/verdict.js";
import { verify } from "../src/runner/verify.js";

const renamed = Object.fromEntries(
  Object.values(contract.tools)
    .filter(({ shown }) => !shown)
    .map(({ name }, i) => [name, `tool_${i}_${name.length}`]),
);

/** The mock as it is, and with each choice that the contract leaves made otherwise. */
const variants: Record<string, MockOptions> = {
  "as it comes": {},
  "with a sliding rate window": { options: { rate_window: "sliding" } },
  "with token buckets": { options: { rate_window: "token_bucket" } },
  "with soft dedupe on every ended job": { options: { dedupe_terminal: "terminal" } },
  "with a soft window of an hour": { options: { dedupe_window_minutes: 60 } },
  "with 409 on a reused Idempotency-Key": { options: { idempotency_mismatch: "conflict" } },
  "with sessions on its tool server": { mcp: { sessions: true } },
  "with event streams on its tool server": { mcp: { sse: true } },
  "with sessions and event streams": { mcp: { sessions: true, sse: true } },
  "with every tool renamed that may be": { mcp: { names: renamed } },
  "of another seed": { seed: 271_828 },
};

/** Variants that are a matter of form only: not one verdict may differ. */
const sameVerdicts = Object.keys(variants).filter((name) => /tool|streams|seed/.test(name));

const reports = new Map<string, Promise<Report>>();

test.each(Object.keys(variants))("the suite finds nothing in the mock %s", async (name) => {
  const { clauses, checks } = await examined(name);
  expect(checks.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "failed" || verdict === "harness-error")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "passed").length).toBeGreaterThan(400);
});

test("the mock as it comes passes every clause that a server must keep", async () => {
  const { clauses, verdict } = await examined("as it comes");
  const passed = clauses.filter((clause) => clause.verdict === "passed").map(({ id }) => id);
  expect(passed.toSorted()).toEqual(examinable(contract.clauses).toSorted());
  expect(verdict).toBe("passed");
});

test.each(sameVerdicts)("no verdict differs for the mock %s", async (name) => {
  expect(verdictsOf(await examined(name))).toEqual(verdictsOf(await examined("as it comes")));
});

function examined(name: string): Promise<Report> {
  const known = reports.get(name) ?? examine(variants[name]!);
  reports.set(name, known);
  return known;
}

async function examine(options: MockOptions): Promise<Report> {
  const mock = await startMock({ clock: "frozen", ...options });
  try {
    const { report, messages } = await verify({ url: mock.api_url, seed: 1 });
    if (!report) throw new Error(messages.join("\n"));
    return report;
  } finally {
    await mock.close();
  }
}

function verdictsOf({ clauses }: Report): Record<string, string> {
  return Object.fromEntries(clauses.map(({ id, verdict }) => [id, verdict]));
}
