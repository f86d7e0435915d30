import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laws } from "../../../src/suite/laws/laws.js";
import { type Examined, openMutant, openSound } from "../../mutants/open.js";
import { sampled } from "../../sample.js";
import { planted } from "./planted.js";
import { plantedIsolation } from "./planted-isolation.js";
import { plantedLimits } from "./planted-limits.js";
import { playOn, tryOn } from "./try.js";

let sound: Examined;
beforeAll(async () => {
  sound = await openSound();
});
afterAll(() => sound.close());

describe("a law finds a fault that no scenario looks at, shows it in the least case, and a sound server does not fail that", () => {
  test.each([...sampled(planted, 2), ...sampled(plantedLimits, 2), ...sampled(plantedIsolation, 2)])("$name", async (fault) => {
    const law = laws.find(({ id }) => id === fault.law);
    const { url, close } = await openMutant(fault);
    const { line, scenario: played } = await tryOn({ url }, law ?? expect.fail(`no law is called ${fault.law}`), 1, 20).finally(
      close,
    );
    expect(line.verdict).toBe("failed");
    expect(played.checks[0]?.clauses).toContain(fault.blames);
    for (const shown of fault.shows) expect(line.counterexample).toMatch(shown);
    expect(await playOn(sound.url, line.counterexample ?? "")).toMatch(/^(passed|inconclusive)/); // limits are in the way of some
  });
});
