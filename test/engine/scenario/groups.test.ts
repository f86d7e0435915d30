import { describe, expect, test } from "vitest";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { suite } from "../../../src/suite/suite.js";

const SCENARIO_HEAD = "title: A sentence that is long enough\nsteps:\n";

const GROUP_FILE = `${SCENARIO_HEAD}  - proves: [REPO-LIST-ROUTE]
    rest: GET /api/repos
    as: viewer
    expect: { status: 200 }
    steps:
      - { id: own, as: free }
      - { id: other, expect: { status: 4xx } }
      - query: { limit: 1 }
        steps: [{ allPages: true }, { allPages: false }]
  - rest: GET /api/jobs
`;

test("fields of a group apply to each of its steps that does not set them, also in nested groups", () => {
  const parseResult = parseScenario("f.yaml", GROUP_FILE, suite);
  const common = { proves: ["REPO-LIST-ROUTE"], rest: "GET /api/repos", as: "viewer", expect: { status: 200 } };
  expect(parseResult.ok && parseResult.scenarios[0]?.text.steps).toEqual([
    { ...common, id: "own", as: "free" },
    { ...common, id: "other", expect: { status: "4xx" } },
    { ...common, query: { limit: 1 }, allPages: true },
    { ...common, query: { limit: 1 }, allPages: false },
    { rest: "GET /api/jobs" },
  ]);
  expect(parseResult.ok && parseResult.scenarios[0]?.steps.map(({ name, line }) => [name, line])).toEqual([
    ["own", 8],
    ["other", 9],
    ["#3", 11],
    ["#4", 11],
    ["#5", 12],
  ]);
});

const MISTAKES: [what: string, steps: string, messages: string[]][] = [
  [
    "an unknown key of a group, told once",
    "  - { rest: GET /a, expct: {}, steps: [{ as: a }, { as: b }] }",
    ['3:21: unknown key "expct"; allowed: id'],
  ],
  [
    "an unknown key of a member",
    "  - { rest: GET /a, steps: [{ as: a }, { expct: {} }] }",
    ['3:42: unknown key "expct"; allowed: id'],
  ],
  [
    "a member without a request",
    "  - { as: a, steps: [{ rest: GET /a }, { as: b }] }",
    ["3:40: exactly one of these keys is required"],
  ],
  [
    "a member with two requests",
    "  - { rest: GET /a, steps: [{ clock: { by: 1s } }, { as: b }] }",
    ["3:29: exactly one of these keys is required"],
  ],
  ["a group without members", "  - { rest: GET /a, steps: [] }", ["3:21: steps must NOT have fewer than 1 items"]],
  [
    "an id that all members share",
    "  - { id: one, rest: GET /a, steps: [{ as: a }, { as: b }] }",
    ['3:7: two steps are called "one"'],
  ],
  ["a variable before it is saved", '  - { rest: "GET /{a}", steps: [{ as: a }] }', ["3:33: {a} is used before it is saved"]],
];

describe("a group", () => {
  test.each(MISTAKES)("with %s is refused with its line and column", (_, steps, messages) => {
    const parseResult = parseScenario("f.yaml", `${SCENARIO_HEAD}${steps}\n`, suite, { recipe: true });
    expect(parseResult.ok ? [] : parseResult.mistakes).toEqual(
      messages.map((message) => expect.stringContaining(`f.yaml:${message}`)),
    );
  });
});
