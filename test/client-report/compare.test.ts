import { expect, test } from "vitest";
import { openClientTally } from "../../src/client-report/calls.js";
import { compareTrials, type Trial } from "../../src/client-report/compare.js";
import { createReport } from "../../src/client-report/judge.js";
import type { ClientReport } from "../../src/client-report/report.js";
import { createTrialCall, type TrialCall } from "../../src/client-report/trial-call.js";

const emptyReport = { ...createReport(openClientTally()), requests: 1 };

function trial(exitCode: number, calls: TrialCall[] = [], findings: ClientReport["findings"] = []): Trial {
  const routes = [...new Set(calls.map(({ operation }) => operation))];
  return {
    exitCode,
    calls,
    report: { ...emptyReport, findings, coverage: { ...emptyReport.coverage, routes: { covered: routes, uncovered: [] } } },
  };
}

function call(
  operation: string,
  variations: string[] = [],
  body: object = { id: 1 },
  world = "default",
  status = 200,
): TrialCall {
  return createTrialCall(
    { number: 1, request: operation, route: operation, status, answer: { headers: {}, body }, variations },
    world,
  );
}

const finding = { id: "x", severity: "forbidden" as const, clauses: [], message: "", count: 1, examples: [] };
const [get, list, submit] = ["GET /a", "GET /b", "POST /api/repos/{owner}/{repo}/{branch}/jobs"];
const extra = (operation: string, world?: string) => call(operation, ["extra-fields"], { id: 1, _links: {} }, world);

/** The verdicts on VERSION-TOLERATE, ERR-CODE-BRANCH and JOB-SUBMIT-ONLY-201. */
const compared = ({ clauses }: ClientReport) =>
  ["VERSION-TOLERATE", "ERR-CODE-BRANCH", "JOB-SUBMIT-ONLY-201"].map((id) => clauses.find((clause) => clause.id === id)?.verdict);
const none = ["not-observed", "not-observed", "not-observed"];

test.each<[what: string, plain: Trial, varied: Trial, findings: string[], verdicts: string[]]>([
  [
    "fares alike, and met unknown fields",
    trial(0, [call(get)]),
    trial(0, [extra(get), call(list)]),
    [],
    ["passed", none[0]!, none[1]!],
  ],
  [
    "fares alike, and met a 200 to a submission",
    trial(0, [call(submit)]),
    trial(0, [call(submit)]),
    [],
    [none[0]!, none[1]!, "passed"],
  ],
  ["met no variation", trial(0, [call(get)]), trial(0, [call(get)]), [], none],
  [
    "stops after an answer with unknown fields",
    trial(0, [call(get), call(list)]),
    trial(1, [extra(get)]),
    ["leans-on-undocumented forbidden VERSION-TOLERATE"],
    ["failed", none[0]!, none[1]!],
  ],
  [
    "leaves out a part after it",
    trial(0, [call(get), call(list)]),
    trial(0, [extra(get)]),
    ["leans-on-undocumented discouraged VERSION-TOLERATE"],
    ["warned", none[0]!, none[1]!],
  ],
  [
    "stops after an answer that varied in two ways",
    trial(0, [call(get), call(list)]),
    trial(1, [call(get, ["extra-fields", "key-order"])]),
    ["leans-on-undocumented forbidden "],
    none,
  ],
  [
    "goes on with another call after it",
    trial(0, [call(get), call(list)]),
    trial(1, [extra(get), call(submit)]),
    ["leans-on-undocumented forbidden "],
    none,
  ],
  ["fails though no answer varied", trial(0, [call(get)]), trial(1, [call(get)]), ["leans-on-undocumented forbidden "], none],
  [
    "fails at no known call",
    trial(0, [call(get), call(list)]),
    trial(1, [extra(get), extra(list)]),
    ["leans-on-undocumented forbidden "],
    none,
  ],
  ["fails by itself", trial(1, [call(get)]), trial(1), [], none],
  ["breaks a rule in one run", trial(0), trial(0, [], [finding]), ["x forbidden "], none],
])("a program that %s", (_what, plainTrial, variedTrial, findings, verdicts) => {
  const report = compareTrials(plainTrial, variedTrial);
  expect(report.findings.map(({ id, severity, clauses }) => `${id} ${severity} ${clauses}`)).toEqual(findings);
  expect(report.verdict).toBe(findings.length > 0 ? "findings" : verdicts.includes("passed") ? "clean" : "inconclusive");
  expect(compared(report)).toEqual(verdicts);
});

test("names the variation, the call and the field, also in one of several worlds", () => {
  const plainTrialCalls = ["w1", "w2", "w3"].flatMap((world) => [
    call(get, [], { id: 1 }, world),
    call(list, [], { id: 1 }, world),
  ]);
  const variedTrialCalls = [extra(get, "w1"), extra(list, "w1"), extra(get, "w2"), extra(get, "w3"), extra(list, "w3")];
  const [example] = compareTrials(trial(0, plainTrialCalls), trial(1, variedTrialCalls)).findings[0]!.examples;
  expect(example).toMatchObject({ world: "w2", entry: 1, request: get, variation: "extra-fields", fields: ["_links"] });
  expect(example?.why).toMatch(/^variation extra-fields, which changed _links: the program ended with 1/);
});

test("counts the findings of both runs together", () => {
  const { findings } = compareTrials(trial(0, [], [finding]), trial(0, [], [finding]));
  expect(findings).toEqual([{ ...finding, count: 2 }]);
});
