import { expect, test } from "vitest";
import type { Report } from "../../src/engine/report/report.js";
import { verify } from "../../src/engine/run/verify.js";
import { startMock } from "../../src/mock/server.js";
import { suite } from "../../src/suite/suite.js";
import { exhaustive, sampled } from "./sample.js";

/** The number of compared runs. An exhaustive test also runs the whole suite. */
const RUNS = exhaustive ? 4 : 2;
/** Reads, writes, waits, races, bursts, and both ways to talk to the tool server. Each run draws 3 of 6: about 5 commits try all. */
const SOME = sampled(["job-cancel*", "dedupe-*", "page-*", "bucket-fix", "mcp-protocol", "mcp-tool-acknowledge"], 3);

test(`${RUNS} runs with one seed give the same verdicts of clauses, checks and scenarios`, { timeout: 3_600_000 }, async () => {
  const first = await verdictsOfOne();
  expect(first.split("\n").length).toBeGreaterThan(10); // the smallest draw has 28
  for (let n = 2; n <= RUNS; n++) {
    expect(await verdictsOfOne(), `run ${n}`).toBe(first);
  }
});

async function verdictsOfOne(): Promise<string> {
  const mock = await startMock({ clock: "frozen" });
  try {
    const { report, messages } = await verify(suite, { url: mock.api_url, seed: 7, runs: 0, only: exhaustive ? [] : SOME });
    if (!report) throw new Error(messages.join("\n"));
    return getLines(report);
  } finally {
    await mock.close();
  }
}

/** Returns every verdict with the number of its subjects, without times, ids and addresses. */
function getLines({ clauses, checks, scenarios, properties, verdict }: Report): string {
  return [
    verdict,
    ...clauses.map(({ id, verdict, subjects, by }) => `clause ${id} ${verdict} ${subjects} ${by.join(" ")}`),
    ...checks.map(({ id, verdict, subjects }) => `check ${id} ${verdict} ${subjects}`),
    ...scenarios.map(({ scenario, verdict, requests }) => `scenario ${scenario} ${verdict} ${requests}`),
    ...properties.map(({ id, verdict }) => `property ${id} ${verdict}`),
  ].join("\n");
}
