import { describe, expect, test } from "vitest";
import { findSuiteOptionMistake } from "../../../src/engine/run/option-values.js";
import { judgeBundle, type VerifyOptions, verify } from "../../../src/index.js";
import type { ConformanceOptions } from "../../../src/vitest/conformance-options.js";

/** Values that fit no option, or few. */
const INVALID_VALUES = [null, Number.NaN, -1, 1.5, "", Symbol("x"), 10n, Object.create(null), [1], new Date(0)];

/** A value of a kind that each option refuses. */
const WRONG: Record<keyof Required<VerifyOptions>, unknown> = {
  url: new URL("http://127.0.0.1:1"),
  target: 1,
  serverVersion: 1,
  key: 1,
  mcpRevision: "2025",
  profile: "banana",
  seed: "1",
  budgetPaid: -1,
  maxWait: Number.POSITIVE_INFINITY,
  maxTime: "1",
  deadline: 0,
  waitForServer: "60s",
  waivers: ["x"],
  secondOpinion: "yes",
  claim: 1,
  saveBaseline: 1,
  resume: 1,
  out: 1,
  signKey: {},
  forms: ["htm"],
  preflight: 0,
  selfDescription: "x",
  describedPorts: [0],
  throttles: {},
  signal: {},
  onProgress: "x",
  onEstimate: 1,
  onOutage: 1,
  onStart: {},
  only: "4-jobs/*",
  among: ["x"],
  surface: "res",
  shard: { index: 0, of: 1 },
  scenarios: 1,
  runs: 0.5,
  sandbox: "x",
  env: "x",
};
const names = Object.keys(WRONG) as (keyof VerifyOptions)[];

describe("verify refuses, and does not throw for,", () => {
  test.each(names)("a wrong value of %s", async (name) => {
    for (const value of [WRONG[name], ...INVALID_VALUES]) {
      const result = await verify({ url: "http://127.0.0.1:1", [name]: value });
      expect.soft(result.report, String(name)).toBeUndefined();
      expect.soft([2, 4]).toContain(result.exitCode);
    }
    const result = await verify({ url: "http://127.0.0.1:1", [name]: WRONG[name] });
    expect(result).toEqual({ exitCode: 2, messages: [expect.stringMatching(new RegExp(`^${name}[.:].* is not valid.*Use `))] });
  });

  test.each(["profil", "__proto__x", "\u001b[2J", "x".repeat(100_000)])("an unknown option", async (name) => {
    const { messages, exitCode } = await verify({ url: "http://127.0.0.1:1", [name]: 1 } as VerifyOptions);
    expect([exitCode, messages[0]]).toEqual([2, expect.stringMatching(/^There is no option '/)]);
    expect(messages.join()).toMatch(/^[ -~…]{1,1000}$/);
  });

  test.each([null, 1, "x", []])("options that are not an object", async (options) => {
    const refused = { exitCode: 2, messages: [expect.stringMatching(/^Give an object of options: /)] };
    expect(await verify(options as unknown as VerifyOptions)).toEqual(refused);
    expect(await judgeBundle(options as never)).toEqual(refused);
  });
});

test("judgeBundle refuses wrong and missing options", async () => {
  for (const [options, message] of [
    [{}, /^bundle is missing\. Use /],
    [{ bundle: 1 }, /^bundle: 1 is not valid\. Use /],
    [{ bundle: "x", publicKey: {} }, /^publicKey: \{\} is not valid\. Use /],
    [{ bundle: "x", scenarios: 1 }, /^scenarios: 1 is not valid\. Use /],
    [{ bundel: "x" }, /^There is no option 'bundel'; nearest: bundle/],
  ] as const)
    expect(await judgeBundle(options as never)).toEqual({ exitCode: 2, messages: [expect.stringMatching(message)] });
});

test("describeConformance takes its own options, and refuses others", () => {
  const options: Required<Omit<ConformanceOptions, "target" | "key" | "scenarios">> = {
    url: () => "http://127.0.0.1:1",
    title: "t",
    timeout: 1,
    claim: "1.0.0",
    profile: "safe",
    only: ["*"],
    surface: "rest",
    shard: { index: 1, of: 2 },
    budgetPaid: 0,
    maxWait: 0,
    env: {},
  };
  expect(findSuiteOptionMistake(options)).toBeUndefined();
  expect(findSuiteOptionMistake({ ...options, url: 1 })).toMatch(/^url: the value is not valid/);
  expect(findSuiteOptionMistake({ ...options, onli: [] })).toMatch(/^There is no option 'onli'; nearest: only/);
});
