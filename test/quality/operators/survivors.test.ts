import { expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { OperatorEnd } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";
import { type Explanation, isExplained, judgeOperators } from "./survivors.js";

const file = "src/service/it.ts";
const mutant: OperatorMutant = {
  id: "1",
  name: "a > b | > -> >=",
  file,
  line: 7,
  column: 0,
  mutator: "EqualityOperator",
  within: "compare",
};
const outside = [
  { files: "src/mock/switches", reason: "switches" },
  { files: file, code: ["describe"], reason: "a text for people" },
];
const apart = { ...mutant, file: "src/mock/switches.ts" };
const lines = ["x + y | + -> -", "x | -> true"].map((name, at) => ({ ...mutant, id: `${at + 2}`, name, within: "describe" }));

const explanation: Explanation = { file, because: "equivalent", reason: "they are never equal", mutants: [mutant.name] };
const [point] = Object.keys(contract.assumptions);

function judged(end: OperatorEnd, ...survivors: Explanation[]) {
  const findings = [{ file, name: mutant.name, end }];
  return judgeOperators({ outside, survivors }, [mutant, apart, ...lines], findings, { seconds: 1, seed: 7, plan: "" });
}

test.each<[what: string, end: OperatorEnd, explanations: Explanation[], good: boolean]>([
  ["was killed", "killed", [], true],
  ["hangs", "timeout", [], true],
  ["survived", "survived", [], false],
  ["survived, and it is said why", "survived", [explanation], true],
  ["no check reaches", "unreached", [], false],
  ["checks cannot tell about", "inconclusive", [], false],
  ["was killed although it is said why it survives", "killed", [explanation], false],
  ["survived by an open point", "survived", [{ ...explanation, because: "open", point: point ?? "" }], true],
  ["survived by a point that is not open", "survived", [{ ...explanation, because: "open", point: "nowhere" }], false],
  ["survived without a word of reason", "survived", [{ ...explanation, reason: " " }], false],
])("a mutant that %s", (_, end, explanations, good) => {
  expect(isExplained(judged(end, ...explanations))).toBe(good);
});

test("an explanation of a mutant that does not exist is stale", () => {
  const { stale } = judged("survived", explanation, { ...explanation, mutants: ["gone"] });
  expect(stale).toEqual([`${file}: no mutant is named "gone"`]);
});

test("files that are no part of the contract, and such lines of other files, are counted apart", () => {
  expect(judged("killed").counts).toMatchObject({ mutants: 4, in_other_files: 1, in_other_lines: 2, examined: 1, killed: 1 });
});

test("a survivor is shown by file and line", () => {
  expect(judged("survived").unexplained).toEqual([{ file, name: mutant.name, end: "survived", line: 7 }]);
});
