import { expect, test } from "vitest";
import { contract } from "../src/contract/load.js";
import { startMock } from "../src/mock/server.js";
import type { Report } from "../src/runner/report/report.js";
import { examinable } from "../src/runner/verdict.js";
import { verify } from "../src/runner/verify.js";
import { mocks, plain } from "./quality/variants.js";

/** Variants that are a matter of form only: not one verdict may differ. */
const sameVerdicts = Object.keys(mocks).filter((name) => /tool|streams|seed/.test(name));

const reports = new Map<string, Promise<Report>>();

test.each(Object.keys(mocks))("the suite finds nothing in %s", async (name) => {
  const { clauses, checks } = await examined(name);
  expect(checks.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "failed" || verdict === "harness-error")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "passed").length).toBeGreaterThan(400);
});

test("the mock as it comes passes every clause that a server must keep", async () => {
  const { clauses, verdict } = await examined(plain);
  const passed = clauses.filter((clause) => clause.verdict === "passed").map(({ id }) => id);
  expect(passed.toSorted()).toEqual(examinable(contract.clauses).toSorted());
  expect(verdict).toBe("passed");
});

test.each(sameVerdicts)("no verdict differs for %s", async (name) => {
  expect(verdictsOf(await examined(name))).toEqual(verdictsOf(await examined(plain)));
});

function examined(name: string): Promise<Report> {
  const known = reports.get(name) ?? examine(name);
  reports.set(name, known);
  return known;
}

async function examine(name: string): Promise<Report> {
  const mock = await startMock({ clock: "frozen", ...mocks[name] });
  try {
    const { report, messages } = await verify({ url: mock.api_url, seed: 1, runs: 2 });
    if (!report) throw new Error(messages.join("\n"));
    return report;
  } finally {
    await mock.close();
  }
}

function verdictsOf({ clauses }: Report): Record<string, string> {
  return Object.fromEntries(clauses.map(({ id, verdict }) => [id, verdict]));
}
