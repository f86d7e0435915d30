import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pairs } from "../../../../src/suite/pairs/pairs.js";
import { sampled } from "../../../meta/sample.js";
import { type Examined, openMutant, openSound } from "../../../mutants/open.js";
import { runOn, tryOn } from "../../laws/try.js";
import { faultyServers } from "../faulty-servers.js";

let soundServer: Examined;
beforeAll(async () => {
  soundServer = await openSound();
});
afterAll(() => soundServer.close());

describe("a fault of one pair of values is found, and its counterexample passes on a sound server", () => {
  test.each(sampled(faultyServers, 3))("$name", async (fault) => {
    const table = pairs.find(({ id }) => id === fault.law);
    const { url, close } = await openMutant(fault);
    const { line, scenario: scenarioResult } = await tryOn(
      { url },
      table ?? expect.fail(`no table is called ${fault.law}`),
    ).finally(close);
    expect(line.verdict, line.reason).toBe("failed");
    expect(scenarioResult.checks[0]?.clauses).toContain(fault.blames);
    for (const show of fault.shows) expect(line.counterexample).toMatch(show);
    expect(await runOn(soundServer.url, line.counterexample ?? "")).toBe("passed");
  });
});
