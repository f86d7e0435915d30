import { describe, expect, test } from "vitest";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import type { Suite } from "../../../src/engine/suite.js";
import { suite } from "../../../src/suite/suite.js";

const SUITE: Suite = {
  ...suite,
  clauses: {
    "JOB-A": { section: 4, description: "a", level: "stated", surface: ["rest"] },
    "JOB-OPEN": { section: 4, description: "b", level: "open", surface: ["rest"] },
  },
};

const SCENARIO_HEAD = "scenario: a-b\ntitle: A sentence that is long enough\nproves: [JOB-A]\nsteps:\n";
const GET = "  - rest: GET /api/jobs\n    expect: { status: 200 }\n";

const MISTAKES: [what: string, yaml: string, message: string][] = [
  [
    "an unknown key",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    expct: { status: 200 }\n`,
    'f.yaml:6:5: unknown key "expct"; allowed: id, proves, covers, rows, rest',
  ],
  [
    "an unknown key of an answer",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    expect: { staus: 200 }\n`,
    'f.yaml:6:15: unknown key "staus"; allowed: status, headers',
  ],
  [
    "two actions in a step",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    repeat: x\n    expect: { status: 200 }\n`,
    "f.yaml:5:5: exactly one of these keys is required: rest, repeat",
  ],
  ["no title", "scenario: a\nproves: []\nsteps:\n  - rest: GET /a\n", 'f.yaml:1:1: "title" is missing'],
  [
    "a brace without quotes",
    `${SCENARIO_HEAD}  - rest: GET /a\n    control: { rest: GET /{repo}, expect: {} }\n`,
    "f.yaml:6:27: Unexpected flow-map-start at node end; inside {…}",
  ],
  ["an unknown clause", `${SCENARIO_HEAD.replace("JOB-A", "JOB-Z")}${GET}`, 'f.yaml:3:10: no clause is called "JOB-Z"'],
  ["a clause that is open", `${SCENARIO_HEAD}${GET}    proves: [JOB-OPEN]\n`, 'f.yaml:7:14: "JOB-OPEN" is open'],
  [
    "an expectation of a field that the contract does not show",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    expect: { status: 200, json: { data: { each: { colour: red } } } }\n`,
    "f.yaml:6:5: the contract does not show /data/*/colour; allowed: observe",
  ],
  [
    "an expectation about the content of a field that shows its name only",
    `${SCENARIO_HEAD}  - rest: GET /api/forecasts/lookup\n    expect: { json: { confidence: 0.5 } }\n`,
    "f.yaml:6:5: the contract does not show /confidence; allowed: observe",
  ],
  [
    "an expectation of a status that the contract does not show",
    `${SCENARIO_HEAD}  - rest: POST /api/observations/x/dismiss\n    expect: { status: 200 }\n`,
    "f.yaml:6:5: the contract does not show status 200 here; allowed: 2xx",
  ],
  ["no clauses", `${SCENARIO_HEAD.replace("proves: [JOB-A]\n", "")}${GET}`, 'f.yaml:1:1: "proves" is missing'],
  ["an unjudged clause", `${SCENARIO_HEAD}  - rest: GET /a\n`, 'f.yaml:3:10: no check judges "JOB-A"'],
  [
    "a variable before it is saved",
    `${SCENARIO_HEAD}${GET}  - rest: GET /api/jobs/{job}\n`,
    "f.yaml:7:5: {job} is used before it is saved",
  ],
  [
    "a saved value in a row of the scenario",
    `${SCENARIO_HEAD.replace("steps:", 'rows:\n  - { path: "/api/jobs/{job}" }\nsteps:')}${GET}`,
    "f.yaml:5:5: {job} has no value before the first step",
  ],
  [
    "a variable saved by the step that uses it",
    `${SCENARIO_HEAD}${GET}  - rest: GET /api/jobs/{job}\n    save: { job: /id }\n`,
    "f.yaml:7:5: {job} is used before",
  ],
  ["a repeat of nothing", `${SCENARIO_HEAD}${GET}  - repeat: first\n`, 'f.yaml:7:5: no earlier rest step is called "first"'],
  [
    "polling with a write",
    `${SCENARIO_HEAD}  - rest: POST /api/jobs\n    until: { within: 5s }\n    expect: { status: 200 }\n`,
    "f.yaml:5:5: until sends the request again",
  ],
  [
    "an event that saves less than the step that it replaces",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    save: { job: /id }\n    otherwise: { drive: find, with: {}, save: {} }\n${GET}`,
    "f.yaml:5:5: the step saves job, and its otherwise does not",
  ],
  [
    "a check with an event instead of it",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs\n    otherwise: { drive: find, with: {}, save: {} }\n    expect: { status: 200 }\n`,
    "f.yaml:5:5: otherwise belongs to a step without expect",
  ],
  [
    "a query in two places",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs?limit=1\n    query: { limit: 2 }\n    expect: { status: 200 }\n`,
    "f.yaml:5:5: the step has two queries; allowed: one, in rest or in query",
  ],
  [
    "a control whose query would come second",
    `${SCENARIO_HEAD}  - rest: GET /api/jobs?limit=1\n    expect: { status: 200 }\n    control: { query: { limit: 2 }, expect: { status: 200 } }\n`,
    "f.yaml:5:5: the step has two queries",
  ],
  [
    "a row whose clause is not there",
    `${SCENARIO_HEAD.replace("proves: [JOB-A]", "rows: [{ scenario: x, proves: [JOB-Z] }]")}${GET}`,
    'f.yaml:3:32: no clause is called "JOB-Z"',
  ],
  [
    "a row with an unknown need",
    `${SCENARIO_HEAD.replace("steps", "rows: [{ scenario: x, needs: [no moonlight] }]\nsteps")}${GET}`,
    'f.yaml:4:31: "no moonlight" is not valid',
  ],
  [
    "two rows of one name",
    `${SCENARIO_HEAD.replace("steps", "rows: [{ scenario: x }, { scenario: x }]\nsteps")}${GET}`,
    'f.yaml:4:27: two rows are called "x"',
  ],
  [
    "a row that has a name and no clauses",
    `${SCENARIO_HEAD.replace("proves: [JOB-A]", "rows: [{ scenario: x }]")}${GET}`,
    'f.yaml:3:8: "proves" is missing',
  ],
  [
    "a duration without a unit",
    `${SCENARIO_HEAD}${GET}  - clock: { by: "5" }\n`,
    'f.yaml:7:14: "5" is not valid; allowed: A number and a unit',
  ],
];

describe("a scenario file", () => {
  test.each(MISTAKES)("with %s is refused with its place", (_, yaml, message) => {
    const parseResult = parseScenario("f.yaml", yaml, SUITE);
    expect(parseResult.ok ? [] : parseResult.mistakes.filter((line) => line.startsWith(message))).toHaveLength(1);
  });

  test.each([
    ["observes a field that the contract does not show", "observe: [/colour]\n    given: { status: 200 }"],
    [
      "asks whether a field is there of which only the name is shown",
      "expect: { json: { confidence: { absentOrNull: false } } }",
    ],
    ["demands that a field is not there", "expect: { status: 200, json: { colour: { absent: true } } }"],
    ["mentions the envelope of a refusal", "expect: { status: 400, json: { error: { colour: red } } }"],
  ])("that %s is accepted", (_, words) => {
    const yaml = `${SCENARIO_HEAD}${GET}  - rest: GET /api/forecasts/lookup\n    ${words}\n`;
    expect(parseScenario("f.yaml", yaml, SUITE)).toMatchObject({ ok: true });
  });

  test("with a recipe need not prove a clause", () => {
    const yaml = `${SCENARIO_HEAD.replace("proves: [JOB-A]\n", "")}${GET}`;
    expect(parseScenario("f.yaml", yaml, SUITE, { recipe: true }).ok).toBe(true);
  });

  test("has the line of every step", () => {
    const parseResult = parseScenario("f.yaml", `${SCENARIO_HEAD}${GET}${GET}`, SUITE);
    expect(parseResult.ok && parseResult.scenarios[0]?.steps.map(({ line }) => line)).toEqual([5, 7]);
  });

  test("has the needs of the scenario and of its row, whether the row has a name or not", () => {
    const rows = "needs: [worlds]\nrows: [{ part: jobs, needs: [clock] }, { scenario: x, part: jobs, needs: [repos.2] }]\nsteps";
    const parseResult = parseScenario("f.yaml", `${SCENARIO_HEAD.replace("steps", rows)}${GET.replace("jobs", "{part}")}`, SUITE);
    const scenarios = parseResult.ok ? parseResult.scenarios : expect.fail(parseResult.mistakes.join());
    expect(scenarios.map(({ name, needs }) => [name, ...needs.map(({ need }) => need).slice(0, 2)])).toEqual([
      ["a-b[1]", "worlds", "clock"],
      ["x", "worlds", "repos.2"],
    ]);
    expect(scenarios.map(({ variables }) => Object.keys(variables))).toEqual([["part"], ["part"]]);
  });

  test("becomes one scenario for each row", () => {
    const yaml = `${SCENARIO_HEAD.replace("steps", "rows: [{ workflow: audit }, { workflow: review }]\nsteps")}${GET.replace("jobs", "{workflow}")}`;
    const parseResult = parseScenario("f.yaml", yaml, SUITE);
    expect(parseResult.ok && parseResult.scenarios.map(({ name, variables }) => [name, variables.workflow])).toEqual([
      ["a-b[1]", "audit"],
      ["a-b[2]", "review"],
    ]);
  });

  test("may name its clauses in its checks", () => {
    const yaml = `${SCENARIO_HEAD.replace("proves: [JOB-A]\n", "")}${GET}    proves: [JOB-A]\n`;
    expect(parseScenario("f.yaml", yaml, SUITE).ok).toBe(true);
  });

  test("without a name has the name of its file", () => {
    const named = (file: string) => {
      const parseResult = parseScenario(file, `${SCENARIO_HEAD.replace("scenario: a-b\n", "")}${GET}`, SUITE);
      return parseResult.ok ? parseResult.scenarios[0]?.name : parseResult.mistakes;
    };
    expect(named("4-jobs/job-submit.yaml")).toBe("job-submit");
    expect(named("bad_request.yml")).toBe("bad-request");
    expect(named("My Jobs.yaml")).toEqual([
      expect.stringContaining('My Jobs.yaml:1:1: "My Jobs" is not a valid name; allowed: lower-case words'),
    ]);
  });

  test("may hold several scenarios, each with its name and lines", () => {
    const second = `${SCENARIO_HEAD}${GET}`.replace("a-b", "c-d");
    const parseResult = parseScenario("f.yaml", `${SCENARIO_HEAD}${GET}---\n${second}`, SUITE);
    expect(parseResult.ok && parseResult.scenarios.map(({ name, line, steps }) => [name, line, steps[0]?.line])).toEqual([
      ["a-b", 1, 5],
      ["c-d", 8, 12],
    ]);
  });

  test.each([
    ["without a name among several", "scenario: a-b\n", "", 'f.yaml:8:1: "scenario" is missing; each scenario of a file'],
    ["with the name of another", "", "", 'f.yaml:8:1: two scenarios are called "a-b"'],
    ["with an unknown key", "steps:", "stops:", 'f.yaml:11:1: unknown key "stops"'],
  ])("with a second scenario %s is refused with its place", (_, from, to, message) => {
    const second = `${SCENARIO_HEAD}${GET}`.replace(from, to);
    const parseResult = parseScenario("f.yaml", `${SCENARIO_HEAD}${GET}---\n${second}`, SUITE);
    expect(parseResult.ok ? [] : parseResult.mistakes).toContainEqual(expect.stringContaining(message));
  });

  test("becomes a separate scenario for each row that has a name", () => {
    const rows =
      "rows:\n  - { scenario: one, title: The first of the two, workflow: audit }\n  - { scenario: two, proves: [], workflow: review }";
    const yaml = `${SCENARIO_HEAD.replace("steps", `${rows}\nsteps`)}${GET.replace("jobs", "{workflow}")}`;
    const parseResult = parseScenario("f.yaml", yaml, SUITE);
    expect(
      parseResult.ok && parseResult.scenarios.map(({ name, text, variables }) => [name, text.title, text.proves, variables]),
    ).toEqual([
      ["one", "The first of the two", ["JOB-A"], { workflow: "audit" }],
      ["two", "A sentence that is long enough", [], { workflow: "review" }],
    ]);
  });
});
