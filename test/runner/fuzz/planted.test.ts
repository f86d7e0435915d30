import { describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { fuzzProperties } from "../../../src/runner/fuzz/properties.js";
import { holdAll } from "../../../src/runner/property/hold-all.js";
import { parseScenario } from "../../../src/runner/scenario/parse.js";
import { onTarget, startRun } from "../../../src/runner/start.js";
import { openMutant } from "../../mutants/open.js";
import { planted } from "./planted.js";

const properties = fuzzProperties();

describe("a fault that was planted in a sound server", () => {
  test.each(planted)("is found and made small: one that $says", async ({ fault, by, breaks, least }) => {
    const { url, close } = await openMutant(fault);
    const property = properties.filter(({ id }) => id === by);
    const held = await onTarget({ url }, async (target, wire) =>
      holdAll(startRun({ url }, target, wire), property, { seed: 1, deadline: Number.POSITIVE_INFINITY }),
    ).finally(close);
    const [{ line, played } = { line: undefined, played: undefined }] = Array.isArray(held) ? held : [];
    expect(line?.reason, line?.verdict).toBeTypeOf("string");
    expect(line?.verdict, line?.reason).toBe("failed");
    expect(played?.checks.flatMap(({ clauses }) => clauses)).toEqual([breaks]);
    expect(line?.counterexample).toMatch(least);
    const parsed = parseScenario("found.yaml", line?.counterexample ?? "", contract.clauses);
    expect(parsed.ok ? [] : parsed.mistakes).toEqual([]);
  });
});
