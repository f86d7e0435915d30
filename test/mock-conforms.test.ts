import { expect, test } from "vitest";
import { contract } from "../src/contract/load.js";
import type { Report } from "../src/engine/report/report.js";
import { verify } from "../src/engine/run/verify.js";
import { examinable } from "../src/engine/verdict/clauses.js";
import { startMock } from "../src/mock/server.js";
import { suite } from "../src/suite/suite.js";
import { expectations, mocks, plain } from "./quality/variants.js";
import { draw } from "./sample.js";

/** One of the choices that the mock can make otherwise; `npm run quality` examines the mock with each of them. */
const switched = draw(
  Object.keys(mocks).filter((name) => name !== plain),
  1,
);

const reports = new Map<string, Promise<Report>>();

test.each([plain, ...switched])("the suite finds nothing in %s, and says as much of it as it should", async (name) => {
  const { clauses, checks } = await examined(name);
  const { fewest, like } = expectations.get(name) ?? expect.fail("nothing is expected of it");
  expect(checks.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "failed" || verdict === "harness-error")).toEqual([]);
  expect(clauses.filter(({ verdict }) => verdict === "passed").length).toBeGreaterThanOrEqual(fewest);
  if (like !== undefined) expect(verdictsOf(await examined(name))).toEqual(verdictsOf(await examined(like)));
});

test("the mock as it comes passes every clause that a server must keep", async () => {
  const { clauses, verdict } = await examined(plain);
  const passed = clauses.filter((clause) => clause.verdict === "passed").map(({ id }) => id);
  expect(passed.toSorted()).toEqual(examinable(contract.clauses).toSorted());
  expect(verdict).toBe("passed");
});

function examined(name: string): Promise<Report> {
  const known = reports.get(name) ?? examine(name);
  reports.set(name, known);
  return known;
}

async function examine(name: string): Promise<Report> {
  const mock = await startMock({ clock: "frozen", ...mocks[name] });
  try {
    const { report, messages } = await verify(suite, { url: mock.api_url, seed: 1, runs: name === plain ? 1 : 0 });
    if (!report) throw new Error(messages.join("\n"));
    return report;
  } finally {
    await mock.close();
  }
}

function verdictsOf({ clauses }: Report): Record<string, string> {
  return Object.fromEntries(clauses.map(({ id, verdict }) => [id, verdict]));
}
