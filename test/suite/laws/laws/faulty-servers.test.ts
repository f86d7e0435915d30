import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Property } from "../../../../src/engine/property/property.js";
import type { PropertyResult } from "../../../../src/engine/property/result.js";
import { laws } from "../../../../src/suite/laws/laws.js";
import { sampled } from "../../../meta/sample.js";
import { type Examined, openMutant, openSound } from "../../../mutants/open.js";
import { faultyIsolation } from "../faulty-isolation.js";
import { faultyLimits } from "../faulty-limits.js";
import { faultyServers } from "../faulty-servers.js";
import { faultySurfaces } from "../faulty-surfaces.js";
import { runOn, tryOn } from "../try.js";

let soundServer: Examined;
beforeAll(async () => {
  soundServer = await openSound();
});
afterAll(() => soundServer.close());

/**
 * Checks a law with the seeds from 1 on. Returns the first result with a failure, or the last one. The faults are rare, so twenty cases may
 * miss them.
 */
async function search(url: string, law: Property): Promise<PropertyResult> {
  let result = await tryOn({ url }, law, 1, 20);
  for (let seed = 2; seed <= 10 && result.line.verdict === "passed"; seed++) result = await tryOn({ url }, law, seed, 20);
  return result;
}

describe("a law finds a fault that no scenario covers, with a minimal case that does not fail on a sound server", () => {
  // Each run draws 2 of them: about 360 commits try all.
  test.each(sampled([...faultyServers, ...faultyLimits, ...faultyIsolation, ...faultySurfaces], 2))("$name", async (fault) => {
    const law = laws.find(({ id }) => id === fault.law);
    const { url, close } = await openMutant(fault);
    const { line, scenario: scenarioResult } = await search(url, law ?? expect.fail(`no law is called ${fault.law}`)).finally(
      close,
    );
    expect(line.verdict).toBe("failed");
    expect(scenarioResult.checks[0]?.clauses).toContain(fault.blames);
    for (const show of fault.shows) expect(line.counterexample).toMatch(show);
    expect(await runOn(soundServer.url, line.counterexample ?? "")).toMatch(/^(passed|inconclusive)/); // limits are in the way of some
  });
});
