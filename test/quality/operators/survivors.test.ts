import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contract, packageRoot } from "../../../src/contract/load.js";
import { instrumentRooms } from "./build.js";
import type { OperatorEnd } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";
import { type Explanation, isExplained, judgeOperators, parseSurvivors } from "./survivors.js";

const file = "src/service/it.ts";
const mutant: OperatorMutant = {
  id: "1",
  name: "a > b | > -> >=",
  file,
  line: 7,
  column: 0,
  mutator: "EqualityOperator",
  change: "> to >=",
  nth: 1,
  within: "compare",
};
const outside = [
  { files: ["src/mock/switches"], reason: "switches" },
  { files: [file], functions: ["describe"], reason: "a text for people" },
];
const outsideMutant = { ...mutant, file: "src/mock/switches.ts" };
const lines = ["x + y | + -> -", "x | -> true"].map((name, at) => ({ ...mutant, id: `${at + 2}`, name, within: "describe" }));

const explanation: Explanation = { file, because: "equivalent", reason: "they are never equal", mutants: ["compare"] };
const [point] = Object.keys(contract.assumptions);

function judgeEnd(end: OperatorEnd, ...survivors: Explanation[]) {
  const findings = [{ file, name: mutant.name, end }];
  return judgeOperators({ outside, survivors }, [mutant, outsideMutant, ...lines], findings, { seconds: 1, seed: 7, plan: "" });
}

test.each<[what: string, end: OperatorEnd, explanations: Explanation[], good: boolean]>([
  ["was killed", "killed", [], true],
  ["hangs", "timeout", [], true],
  ["survived", "survived", [], false],
  ["survived, with a reason", "survived", [explanation], true],
  ["no check reaches", "unreached", [], false],
  ["checks cannot tell about", "inconclusive", [], false],
  ["was killed although there is a reason for its survival", "killed", [explanation], false],
  ["survived by an open point", "survived", [{ ...explanation, because: "open", point: point ?? "" }], true],
  ["survived by a point that is not open", "survived", [{ ...explanation, because: "open", point: "nowhere" }], false],
  ["survived without a word of reason", "survived", [{ ...explanation, reason: " " }], false],
])("a mutant that %s", (_, end, explanations, isExpectedOutcome) => {
  expect(isExplained(judgeEnd(end, ...explanations))).toBe(isExpectedOutcome);
});

test.each<[part: string, good: boolean]>([
  ["compare", true],
  ["compare EqualityOperator", true],
  ["compare EqualityOperator > to >=", true],
  ["compare EqualityOperator > to >= @1", true],
  ["compare EqualityOperator > to >= @2 @3", false],
  ["compare EqualityOperator > to <=", false],
  ["compare ConditionalExpression", false],
  ["describe EqualityOperator", false],
  ["a > b", false],
])("a rule names a function, a kind of mutant and a change: %s", (part, isExpectedOutcome) => {
  expect(isExplained(judgeEnd("survived", { ...explanation, mutants: [part] }))).toBe(isExpectedOutcome);
});

test("a rule is stale when all of its mutants die, not when one does", () => {
  const other = { ...mutant, id: "9", name: "c > d | > -> >=" };
  const judge = (end: OperatorEnd) =>
    judgeOperators(
      { outside, survivors: [explanation] },
      [mutant, other, outsideMutant, ...lines],
      [
        { file, name: mutant.name, end: "killed" },
        { file, name: other.name, end },
      ],
      { seconds: 1, seed: 7, plan: "" },
    );
  expect(judge("survived").stale).toEqual([]);
  expect(judge("killed").stale).toHaveLength(1);
});

test("the rules of survivors.yaml name functions and kinds of mutants, with a reason, in at most 600 lines", () => {
  const text = readFileSync(join(packageRoot, "test", "quality", "survivors.yaml"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(600);
  const { survivors } = parseSurvivors(text);
  const named = survivors.flatMap((rule) => rule.mutants);
  expect(named.filter((part) => !/^\w*( [A-Z]\w+( (true|false|empty|\S+ to \S+))?( @\d+)*)?$/.test(part))).toEqual([]);
  expect(survivors.filter(({ reason }) => reason.trim() === "")).toEqual([]);
});

test("each rule of survivors.yaml names mutants of the code as it is", async () => {
  const rules = parseSurvivors(readFileSync(join(packageRoot, "test", "quality", "survivors.yaml"), "utf8"));
  const outside = rules.outside.filter(({ functions }) => functions !== undefined);
  const named = new Set([...rules.survivors.map(({ file }) => file), ...outside.flatMap(({ files }) => files)]);
  const { mutants } = await instrumentRooms((source) => named.has(source));
  expect(judgeOperators({ ...rules, outside }, mutants, [], { seconds: 1, seed: 7, plan: "" }).stale).toEqual([]);
  // a rule without functions is about whole files: that these exist is enough
  const places = rules.outside.flatMap(({ files, functions }) => (functions === undefined ? files : []));
  expect(places.filter((place) => !existsSync(join(packageRoot, place)))).toEqual([]);
});

test("an explanation of a mutant that does not exist is stale", () => {
  const { stale } = judgeEnd("survived", explanation, { ...explanation, mutants: ["gone"] });
  expect(stale).toEqual([`${file}: no mutant is named "gone"`]);
});

test("files and lines outside the contract are counted separately", () => {
  expect(judgeEnd("killed").counts).toMatchObject({ mutants: 4, in_other_files: 1, in_other_lines: 2, examined: 1, killed: 1 });
});

test("a survivor is reported with file and line", () => {
  expect(judgeEnd("survived").unexplained).toEqual([{ file, name: mutant.name, end: "survived", line: 7 }]);
});
