import { expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { verify } from "../../src/engine/run/verify.js";
import { listTestableClauses } from "../../src/engine/verdict/clauses.js";
import { startMock } from "../../src/mock/server.js";
import { suite } from "../../src/suite/suite.js";
import { exhaustive, sampleSeed } from "./sample.js";

/** The whole suite takes as long as a sixth of all tests. Each run executes a twelfth of it, by its seed: about 37 commits run all. */
const part = exhaustive ? {} : { shard: { index: 1 + (sampleSeed % 12), of: 12 } };

/** Of the choices that the mock can make otherwise, `npm run quality` examines each. */
test("the suite finds nothing in the mock with default options, and every required clause passes", async () => {
  const mock = await startMock({ clock: "frozen" });
  try {
    const { report, messages } = await verify(suite, { url: mock.api_url, seed: 1, runs: 1, ...part });
    if (!report) throw new Error(messages.join("\n"));
    const { checks, clauses, verdict } = report;
    expect(checks.filter((check) => check.verdict === "failed")).toEqual([]);
    const inPart = listTestableClauses(contract.clauses).filter(
      (id) => exhaustive || clauses.find((claus) => claus.id === id)?.subjects,
    );
    const passed = clauses.filter((clause) => clause.verdict === "passed").map(({ id }) => id);
    expect(passed.toSorted()).toEqual(inPart.toSorted());
    expect(passed.length).toBeGreaterThan(20);
    // A check whose contrast is only in another part proves nothing in this one.
    const contrasted = new Set(checks.filter(({ contrasts }) => contrasts !== undefined).flatMap((check) => check.clauses));
    expect(clauses.filter((clause) => clause.verdict === "inconclusive" && !contrasted.has(clause.id))).toEqual([]);
    if (exhaustive) expect(verdict).toBe("passed");
  } finally {
    await mock.close();
  }
});
