import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeYaml } from "../../../src/engine/property/replay-token.js";
import { verify } from "../../../src/engine/run/verify.js";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import type { Suite } from "../../../src/engine/suite.js";
import { suite } from "../../../src/suite/suite.js";

const CLAUSES = { "JOB-A": { section: 4, description: "a", level: "stated", surface: ["rest"] } };
const SCENARIO_HEAD = "title: A sentence that is long enough\n";
const CHECK = "  - rest: GET /api/repos\n    expect: { status: 200 }\n";
const OPEN = `${SCENARIO_HEAD}saves: { job: its id }
steps:
  - rest: GET /api/jobs
    save: { job: /data/0/id }
finally: [{ rest: "POST /api/jobs/{job}/cancel" }]
`;

describe("a setup of a scenario", () => {
  test("runs before the scenario's steps, in order, and is undone after them in reverse order", () => {
    const { text } = setupMistakes(`use: [one, two]\nsteps:\n${CHECK}finally: [{ rest: DELETE /own }]\n`, {
      one: setup("/one"),
      two: setup("/two"),
    });
    expect(text.steps.map(({ rest }) => rest)).toEqual(["GET /one", "GET /two", "GET /api/repos"]);
    expect(text.finally?.map(({ rest }) => rest)).toEqual(["DELETE /own", "DELETE /two", "DELETE /one"]);
    expect(text).not.toHaveProperty("use");
  });

  test("includes its own setups, each once", () => {
    const { text } = setupMistakes(`use: [one, two]\nsteps:\n${CHECK}`, {
      base: setup("/base"),
      one: `use: [base]\n${setup("/one")}`,
      two: `use: [base]\n${setup("/two")}`,
    });
    expect(text.steps.map(({ rest }) => rest)).toEqual(["GET /base", "GET /one", "GET /two", "GET /api/repos"]);
    expect(text.finally?.map(({ rest }) => rest)).toEqual(["DELETE /two", "DELETE /one", "DELETE /base"]);
  });

  test("takes typed parameters, and passes them on", () => {
    const { text } = setupMistakes(`use: [{ two: { limit: 5 } }]\nsteps:\n${CHECK}`, {
      one: `${SCENARIO_HEAD}parameters: { size: 1, as: full }\nsteps: [{ rest: "GET /one/{size}", json: { size: "{size}" }, as: "{as}" }]\n`,
      two: `use: [{ one: { size: "{limit}" } }]\n${SCENARIO_HEAD}parameters: { limit: 2 }\nsteps: [{ rest: "GET /two/{limit}" }]\n`,
    });
    expect(text.steps.slice(0, 2)).toEqual([{ rest: "GET /one/5", json: { size: 5 }, as: "full" }, { rest: "GET /two/5" }]);
  });

  test("adds its needs", () => {
    const { text } = setupMistakes(`needs: [clock]\nuse: [one]\nsteps:\n${CHECK}`, { one: `needs: [worlds]\n${setup("/one")}` });
    expect(text.needs).toEqual(["worlds", "clock"]);
  });

  test("keeps the numbers of the scenario's own steps, and every step has its file and line", () => {
    const { steps } = setupMistakes(`use: [one]\nsteps:\n${CHECK}  - { id: named, rest: GET /api/repos }\n`, {
      one: setup("/one"),
    });
    expect(steps.map(({ name, file, line }) => ({ name, file, line }))).toEqual([
      { name: "use.one#1", file: expect.stringMatching(/setups\/one\.yaml$/), line: 2 },
      { name: "#1", file: expect.stringMatching(/scenario\.yaml$/), line: 4 },
      { name: "named", file: expect.stringMatching(/scenario\.yaml$/), line: 6 },
    ]);
  });

  test("is part of the written scenario, which then runs alone", () => {
    const scenario = setupMistakes(`proves: [JOB-A]\nuse: [one]\nsteps:\n${CHECK}`, { one: OPEN });
    const repeatedParseResult = parseScenario("elsewhere.yaml", decodeYaml(scenario.text), SUITE);
    expect(repeatedParseResult.ok && repeatedParseResult.scenarios[0]?.text.steps).toEqual(scenario.text.steps);
    expect(repeatedParseResult.ok && repeatedParseResult.scenarios[0]?.text.finally).toEqual(scenario.text.finally);
  });

  test("is searched beside the file's directory first, then in the suite", () => {
    const { text } = setupMistakes(`use: [open-finding]\nsteps:\n${CHECK}`, {});
    expect(text.steps[0]?.save).toEqual({ ref: "/data/0/ref" });
    const ownScenario = setupMistakes(`use: [open-finding]\nsteps:\n${CHECK}`, { "open-finding": setup("/own") });
    expect(ownScenario.text.steps[0]?.rest).toBe("GET /own");
  });
});

const MISTAKES: [what: string, scenario: string, setups: Record<string, string>, message: string | RegExp][] = [
  ["an unknown name", "use: [oen]", { one: setup("/one") }, /^scenario\.yaml:2:7: no setup is called "oen"; allowed: .*\bone\b/],
  [
    "a setup that uses itself",
    "use: [one]",
    { one: `use: [two]\n${setup("/one")}`, two: `use: [one]\n${setup("/two")}` },
    "setups/two.yaml:1:7: one uses itself: one uses two uses one",
  ],
  [
    "an unknown parameter",
    "use: [{ one: { sise: 3 } }]",
    { one: `parameters: { size: 1 }\n${setup("/{size}")}` },
    'scenario.yaml:2:16: one has no parameter "sise"; allowed: size',
  ],
  [
    "a parameter where there is none",
    "use: [{ one: { size: 3 } }]",
    { one: setup("/one") },
    'scenario.yaml:2:16: one has no parameter "size"; allowed: none',
  ],
  [
    "the same setup with other parameters",
    "use: [{ one: { size: 3 } }, one]",
    { one: `parameters: { size: 1 }\n${setup("/{size}")}` },
    "scenario.yaml:2:29: one is used before with other parameters; allowed: the same, since a setup runs once",
  ],
  [
    "two setups that save the same",
    "use: [one, two]",
    { one: OPEN, two: OPEN },
    "scenario.yaml:2:12: {job} is saved by one and by two; allowed: one of the two",
  ],
  [
    "a variable of a setup that is not used",
    `steps:\n  - rest: GET /api/jobs/{job}\n${CHECK}`,
    { one: OPEN },
    "scenario.yaml:3:5: {job} is used before it is saved; allowed: built-in variables only",
  ],
  [
    "a variable that a setup uses and no step saves",
    "use: [one]",
    { one: setup("/{nobody}") },
    "setups/one.yaml:2:5: {nobody} is used before it is saved; allowed: built-in variables only",
  ],
  [
    "a check in a setup",
    "use: [one]",
    { one: `${SCENARIO_HEAD}steps:\n${CHECK}` },
    'setups/one.yaml:4:5: "expect" is not allowed here',
  ],
  [
    "clauses in a setup",
    "use: [one]",
    { one: `${SCENARIO_HEAD}steps:\n  - rest: GET /a\n    proves: [JOB-A]\n` },
    'setups/one.yaml:4:5: "proves" is not allowed here',
  ],
  [
    "an unknown key in a setup",
    "use: [one]",
    { one: `${SCENARIO_HEAD}step: []\n${setup("/one").replace(SCENARIO_HEAD, "")}` },
    /^setups\/one\.yaml:2:1: unknown key "step"; allowed: title, parameters, saves/,
  ],
  [
    "an unknown key in a step of a setup",
    "use: [one]",
    { one: `${SCENARIO_HEAD}steps: [{ rest: GET /a, expct: {} }]\n` },
    /^setups\/one\.yaml:2:25: unknown key "expct"; allowed: id/,
  ],
  [
    "a setup whose step saves an undeclared variable",
    "use: [one]",
    { one: OPEN.replace("saves: { job: its id }\n", "") },
    "setups/one.yaml:1:1: a step saves {job}, which saves does not describe",
  ],
  [
    "a setup that declares a variable and does not save it",
    "use: [one]",
    { one: OPEN.replace("job: its id", "job: its id, key: a key") },
    "setups/one.yaml:2:23: no step saves {key}; allowed: job",
  ],
];

describe("a scenario", () => {
  test.each(MISTAKES)("with %s is refused with its place", (_, words, setups, message) => {
    const found = mistakes(words.includes("steps:") ? words : `${words}\nsteps:\n${CHECK}`, setups);
    expect(found).toEqual([typeof message === "string" ? message : expect.stringMatching(message)]);
  });

  test("that shares a setup with another reports a mistake in it once", () => {
    const directory = getDirectory({ one: `${SCENARIO_HEAD}stops: []\n` });
    for (const name of ["a", "b"])
      writeFileSync(join(directory, "part", `${name}.yaml`), `${SCENARIO_HEAD}use: [one]\nsteps:\n${CHECK}`);
    const { mistakes: found } = readScenarios(directory, SUITE);
    expect(found.filter((line) => line.includes("setups/one.yaml"))).toEqual([...new Set(found)]);
    expect(found).toContainEqual(expect.stringContaining('unknown key "stops"'));
  });

  test("with the name of a scenario or row of another file is refused", () => {
    const directory = getDirectory({});
    const rows = "rows: [{ scenario: b, proves: [JOB-A] }, { scenario: c, proves: [JOB-A] }]\n";
    writeFileSync(join(directory, "part", "a.yaml"), `${SCENARIO_HEAD}${rows}steps:\n${CHECK}`);
    writeFileSync(join(directory, "part", "c.yaml"), `${SCENARIO_HEAD}proves: [JOB-A]\nsteps:\n${CHECK}`);
    const { scenarios, mistakes: found } = readScenarios(directory, SUITE);
    expect(scenarios.map(({ name }) => name)).toEqual(["b", "c"]);
    expect(found).toEqual([expect.stringMatching(/part\/c\.yaml:1:1: another file has a scenario called "c"$/)]);
  });

  test("is read again when its setup has changed", () => {
    const directory = getDirectory({ one: setup("/one") });
    writeFileSync(join(directory, "part", "a.yaml"), `${SCENARIO_HEAD}proves: [JOB-A]\nuse: [one]\nsteps:\n${CHECK}`);
    const first = () => readScenarios(directory, SUITE).scenarios[0]?.text.steps[0]?.rest;
    expect(first()).toBe("GET /one");
    writeFileSync(join(directory, "setups", "one.yaml"), setup("/changed"));
    expect(first()).toBe("GET /changed");
  });
});

test("a setup that is refused is reported at its file and line", async () => {
  const directory = getDirectory({ one: `${SCENARIO_HEAD}# A comment.\nsteps:\n  - rest: GET /api/refused\n` });
  writeFileSync(join(directory, "part", "a.yaml"), `${SCENARIO_HEAD}proves: [REPO-LIST-ROUTE]\nuse: [one]\nsteps:\n${CHECK}`);
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/api/refused" ? 500 : 200, { "content-type": "application/json" }).end(PAGE);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { report, messages } = await verify(suite, {
    url,
    scenarios: directory,
    runs: 0,
    env: {},
    key: "a-key",
    profile: "full",
  });
  server.close();
  expect(report?.checks[0], messages?.join("\n")).toMatchObject({
    id: "a/use.one#1",
    step: "use.one#1",
    verdict: "inconclusive",
    reason: expect.stringContaining("setup was refused: status 500"),
    file: expect.stringMatching(/setups\/one\.yaml$/),
    line: 4,
  });
});

const PAGE = JSON.stringify({ data: [], next_cursor: null, has_more: false });

const SUITE: Suite = { ...suite, clauses: CLAUSES };

function setup(path: string): string {
  const tidied = path.replace(/\{.*/, "");
  return `steps:\n  - rest: GET ${path}\nfinally: [{ rest: DELETE ${tidied} }]\n${SCENARIO_HEAD}`;
}

/** A directory of scenarios with these setups in it. */
function getDirectory(setups: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "counterpart-"));
  for (const part of ["part", "setups"]) mkdirSync(join(directory, part));
  for (const [name, text] of Object.entries(setups)) writeFileSync(join(directory, "setups", `${name}.yaml`), text);
  return directory;
}

function parse(words: string, setups: Record<string, string>) {
  const directory = getDirectory(setups);
  const proving = words.includes("proves:") ? "" : "proves: [JOB-A]\n";
  const parseResult = parseScenario(join(directory, "part", "scenario.yaml"), `${SCENARIO_HEAD}${words}${proving}`, SUITE);
  return { parsed: parseResult, directory };
}

function setupMistakes(words: string, setups: Record<string, string>) {
  const { parsed } = parse(words, setups);
  if (!parsed.ok) throw new Error(parsed.mistakes.join("\n"));
  return parsed.scenarios[0]!;
}

function mistakes(words: string, setups: Record<string, string>): string[] {
  const { parsed, directory } = parse(words, setups);
  const names = parsed.ok ? [] : parsed.mistakes;
  return names.map((line) => line.replace(`${join(directory, "part")}/`, "").replace(`${directory}/`, ""));
}
