import { expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { listTestableClauses } from "../../src/engine/verdict/clauses.js";
import type { Mutant } from "../mutants/mutant.js";
import type { Outcome } from "./examine.js";
import { isExpectedOutcome, judgeSuite, type Quality } from "./matrix.js";
import { plain } from "./variants.js";

const mutant: Mutant = { name: "it", breaks: "CURSOR-LAST", around: (world, call, perform) => perform(world, call) };

const conforming = { part: "whole", cases: 10, seed: 7 } as const;

/** A mutant for every clause except the named clause. */
const allBut = (clause: string) =>
  listTestableClauses(contract.clauses).flatMap((id): Mutant[] =>
    id === clause ? [] : [{ ...mutant, breaks: id as Mutant["breaks"] }],
  );

/** Judges the outcomes of one mutant and of the unchanged mock. */
function judgeOutcomes(onMutant: Partial<Outcome>, onMock: Partial<Outcome> = {}, all = allBut("")): Quality {
  const outcome = (name: string, found: Partial<Outcome>): [string, Outcome] => [
    name,
    {
      name,
      seconds: 1,
      scenarios: 1,
      requests: 1,
      passed: 1,
      failed: [],
      inconclusive: [],
      alarms: [],
      unpassed: [],
      ...found,
    },
  ];
  const outcomes = new Map([outcome("it", onMutant), outcome(plain, onMock)]);
  return judgeSuite({
    plan: [],
    seconds: 2,
    conforming,
    outcomes,
    chosen: [mutant],
    all,
    variants: [plain],
    constants: [],
    tests: [],
  });
}

test.each<[what: string, quality: Quality, end: string, good: boolean]>([
  ["fails its clause among others", judgeOutcomes({ failed: ["CURSOR-MORE", "CURSOR-LAST"] }), "right", true],
  ["fails another clause only", judgeOutcomes({ failed: ["CURSOR-MORE"] }), "other", false],
  ["fails nothing", judgeOutcomes({}), "survived", false],
  ["gives no report", judgeOutcomes({ problem: "it is away" }), "not examined", false],
  ["does not end in time", judgeOutcomes({ problem: "timeout", broken: "timeout" }), "timeout", false],
  ["ends the thread that examines it", judgeOutcomes({ problem: "crash", broken: "crash" }), "crash", false],
  ["makes its clause inconclusive", judgeOutcomes({ inconclusive: ["CURSOR-LAST"] }), "inconclusive", false],
  ["makes another clause inconclusive", judgeOutcomes({ inconclusive: ["CURSOR-MORE"] }), "survived", false],
  [
    "fails what the mock without a fault fails too",
    judgeOutcomes({ failed: ["CURSOR-LAST"] }, { failed: ["CURSOR-LAST"], alarms: ["a"] }),
    "survived",
    false,
  ],
])("a mutant that %s", (_, quality, end, good) => {
  expect(quality.mutants.map((line) => line.end)).toEqual([end]);
  expect(isExpectedOutcome(quality)).toBe(good);
});

test("one false alarm on a legal variant makes the measure fail", () => {
  const quality = judgeOutcomes({ failed: ["CURSOR-LAST"] }, { alarms: ["a/b: expected 1, got 2"] });
  expect(quality.counts).toMatchObject({ right: 1, variants: 1, flagged: 1 });
  expect(isExpectedOutcome(quality)).toBe(false);
});

test("legal variants with an unjudged clause whose reason names no choice are counted", () => {
  const endedWith = (unnamed: string[]) =>
    judgeOutcomes({ failed: ["CURSOR-LAST"] }, { end: { exit_code: 3, choices: ["the plan has no room"], unnamed } });
  const [explained, unexplained] = [endedWith([]), endedWith(["CURSOR-LAST"])];
  expect([explained.counts.unexplained, unexplained.counts.unexplained]).toEqual([0, 1]);
});

test("one failed slow test makes the measure fail", () => {
  const quality = judgeOutcomes({ failed: ["CURSOR-LAST"] });
  const tests = (failed: string[]) => [{ name: "test/one.test.ts", seconds: 1, passed: 3, failed }];
  expect([
    isExpectedOutcome({ ...quality, tests: tests([]) }),
    isExpectedOutcome({ ...quality, tests: tests(["it holds"]) }),
  ]).toEqual([true, false]);
});

test("one other verdict on a server that differs only in form makes the measure fail", () => {
  const inForm = "the mock of another seed";
  const sound = { scenarios: 2, passed: 2, failed: [], inconclusive: [], alarms: [], unpassed: [] };
  const on = (name: string, found: Partial<Outcome>): [string, Outcome] => [
    name,
    { name, seconds: 1, requests: 1, ...sound, ...found },
  ];
  const flaggedWith = (found: Partial<Outcome>) =>
    judgeSuite({
      plan: [],
      seconds: 2,
      conforming,
      outcomes: new Map([on(plain, {}), on(inForm, found)]),
      chosen: [],
      all: allBut(""),
      variants: [plain, inForm],
      constants: [],
      tests: [],
    }).counts.flagged;
  const inHalf = { scenarios: 1, passed: 1 };
  expect([{}, inHalf].map(flaggedWith)).toEqual([0, 0]);
  const unpassed = ["CURSOR-LAST inconclusive"];
  expect([{ unpassed }, { ...inHalf, unpassed }, { passed: 1 }].map(flaggedWith)).toEqual([1, 1, 1]);
});

test("a clause without a mutant is named, with the mutants of other clauses that it fails on", () => {
  const quality = judgeOutcomes({ failed: ["CURSOR-MORE"] }, {}, allBut("CURSOR-MORE"));
  expect(quality.unbroken).toEqual([{ clause: "CURSOR-MORE", failed_on: ["it"] }]);
  expect(quality.counts).toMatchObject({ unbroken: 1, unseen: 0 });
  expect(isExpectedOutcome(quality)).toBe(false);
});
