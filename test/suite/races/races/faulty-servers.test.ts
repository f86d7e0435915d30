import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { races } from "../../../../src/suite/races/races.js";
import { sampled } from "../../../meta/sample.js";
import { type Examined, openMutant, openSound } from "../../../mutants/open.js";
import { faultyRaces } from "../../laws/faulty-servers.js";
import { runOn, tryOn } from "../../laws/try.js";

let soundServer: Examined;
beforeAll(async () => {
  soundServer = await openSound();
});
afterAll(() => soundServer.close());

describe("a race finds a fault that only concurrent requests show, and its counterexample passes on a sound server", () => {
  test.each(sampled(faultyRaces, 2))("$name", async (fault) => {
    const race = races.find(({ id }) => id === fault.law);
    const { url, close } = await openMutant(fault);
    const { line, scenario: scenarioResult } = await tryOn(
      { url },
      race ?? expect.fail(`no race is called ${fault.law}`),
    ).finally(close);
    expect(line.verdict).toBe("failed");
    expect(scenarioResult.checks[0]?.clauses).toContain(fault.blames);
    for (const show of fault.shows) expect(line.counterexample).toMatch(show);
    expect(await runOn(soundServer.url, line.counterexample ?? "")).toBe("passed");
  });
});
