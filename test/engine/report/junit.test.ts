import { expect, test } from "vitest";
import { convert } from "xmlbuilder2";
import { formatJunitReport } from "../../../src/engine/report/junit.js";
import { check, EVIDENCE, HOSTILE_TEXT, line, OUTLINE, sample, waiver } from "./sample.js";

interface Case {
  "@name": string;
  "@classname": string;
  [ending: string]: unknown;
}

/** The suites of a report, parsed again, and the totals. */
function read(report = sample()) {
  const { testsuites } = convert(formatJunitReport(report, OUTLINE), { format: "object" }) as unknown as {
    testsuites: Record<string, unknown> & { testsuite: { "@name": string; testcase: Case | Case[] }[] };
  };
  const suites = testsuites.testsuite.map((suite) => [suite["@name"], [suite.testcase].flat()] as const);
  return { all: testsuites, suites: Object.fromEntries(suites) };
}

test("has a suite for each scenario, a case for each check, and a last suite with the verdict", () => {
  const { all, suites } = read();
  expect(Object.keys(suites)).toEqual(["one", "two", "three", "verdict"]);
  expect([all["@tests"], all["@failures"], all["@errors"], all["@skipped"]]).toEqual(["4", "2", "1", "0"]);
  expect(suites.one).toEqual([
    { "@name": "step", "@classname": "1-letters.one", "@file": "scenarios/1-letters/one.yaml", "@line": "7" },
  ]);
});

test("reports a failure with all details, also with special characters", () => {
  const xml = formatJunitReport(sample(), OUTLINE);
  expect(read().suites.two?.[0]?.failure).toMatchObject({
    "#": expect.stringMatching(/^Title of two\nclauses: BETA\nexpected: status: 201\n/),
  });
  expect(xml).toContain("&lt;/pre&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; ]]&gt; ``` &amp; ");
  expect(xml).toContain(
    "replay: npx counterpart-kit replay scenarios/1-letters/two.yaml https://staging.example --target 'my staging.yaml'",
  );
  expect([...xml].filter((character) => character < " " && character !== "\n")).toEqual([]);
});

test("names the cause of a failed check as its property, and has one failing case for each failed check", () => {
  const mismatches = [{ at: "/a", pointer: "/a", expected: "1", actual: HOSTILE_TEXT }];
  const checks = ["a", "b"].map((name) => check(name, "BETA", "failed", { operation: "GET /x", mismatches }));
  const xml = formatJunitReport(
    sample({
      scenarios: ["a", "b"].map((name) => line(name, "BETA", "failed")),
      checks: [...checks, ...EVIDENCE.checks.slice(0, 1)],
    }),
    OUTLINE,
  );
  expect(xml.match(/<property name="cause" value="GET \/x: \/a is &lt;\/pre&gt;[^"]*, not 1"\/>/g)).toHaveLength(2);
  expect(xml.match(/<failure/g)).toHaveLength(3); // two checks and the verdict of the run
});

test("does not pass if nothing failed but a clause was not observed", () => {
  const { suites } = read(sample({ scenarios: EVIDENCE.scenarios.slice(0, 1), checks: EVIDENCE.checks.slice(0, 1) }));
  expect(suites.verdict?.[0]).toHaveProperty("error");
});

test("skips scenarios that did not run, with the reason", () => {
  const { suites } = read(sample({ scenarios: [line("one", "ALPHA", "not-applicable", "needs a clock")], checks: [] }));
  expect(suites.one?.[0]?.skipped).toEqual({ "@message": "needs a clock" });
});

test("reports an inconclusive scenario as an error if the run claims its clauses, and as skipped otherwise", () => {
  const checks = [check("three", "GAMMA", "inconclusive", { reason: "the server was busy" })];
  const busy = { scenarios: [line("three", "GAMMA", "inconclusive")], checks };
  expect(read(sample(busy)).suites.three?.[0]).toHaveProperty("error");
  const later = { ...busy, claim: { names: ["edition 1.0.0"], edition: "1.0.0", clauses: ["ALPHA", "BETA"], total: 3 } };
  const report = sample({ ...later, scenarios: [line("three", "GAMMA", "inconclusive")] });
  expect(read({ ...report, checks }).suites.three?.[0]?.skipped).toMatchObject({ "@message": "the server was busy" });
});

test("skips scenarios that were not observed, with the reason", () => {
  const { suites } = read(sample({ checks: [check("one", "ALPHA", "not-observed", { reason: "the run was stopped" })] }));
  expect(suites.one?.[0]?.skipped).toMatchObject({ "@message": "the run was stopped" });
});

test("fails for a stale waiver", () => {
  const { suites } = read(sample({ waivers: [waiver("ALPHA")] }));
  expect(suites.verdict?.[0]).toMatchObject({ "@name": "waiver of ALPHA", failure: expect.anything() });
});

test("reports notes and the second opinion as properties of the verdict suite", () => {
  const violation = {
    location: "response.body",
    severity: "Error",
    message: HOSTILE_TEXT,
    request: "GET /api/jobs",
    status: 200,
    count: 2,
  };
  const second_opinion = {
    validator: "Prism",
    version: "5",
    exchanges: 9,
    unjudged: 0,
    request_violations: 0,
    violations: [violation],
  };
  const xml = formatJunitReport(sample({ notes: ["The key of role viewer was refused."], second_opinion }), OUTLINE);
  expect(xml).toContain('<property name="note" value="The key of role viewer was refused."/>');
  expect(xml).toMatch(/<property name="second opinion" value="Prism 5 on 9 exchanges: 2 violations .*\/>/);
  expect(xml).toMatch(/<property name="second opinion" value="2 × Error response.body: [^<]*GET \/api\/jobs → 200"\/>/);
  expect(read(sample({ second_opinion })).all["@failures"]).toBe(read().all["@failures"]);
  expect(formatJunitReport(sample(), OUTLINE)).not.toContain('name="second opinion"');
});

test("reports leftovers as properties of the verdict suite", () => {
  const left = { what: "job started", why: "cancel answered 409", scenario: "one" };
  const xml = formatJunitReport(
    sample({
      leftovers: [
        { ...left, id: "job_1" },
        { ...left, id: "job_2" },
      ],
    }),
    OUTLINE,
  );
  expect(xml).toContain('<property name="left behind" value="job started: job_1, job_2: cancel answered 409"/>');
});

test("reports the seed and the suite quality as properties of the verdict suite", () => {
  const ends = { killed_by_verdict: 8, timeout: 1, crash: 0, inconclusive: 0, killed_by_own_clause: 7 };
  const kind = { profile: "full", hooks: "all-hooks" } as const;
  const rate = { ...kind, drawn: 9, mutants_in_all: 9, seed: 3, cases: 20, ...ends };
  const conforming = { servers: 3, flagged: 0, part: "whole", cases: 10, seed: 3 } as const;
  const quality = { rates: [rate], conforming, clauses: 5, clauses_broken: 4, clauses_excused: 1 };
  const suite = { version: "1", clauses_digest: "a", scenarios_digest: "b", quality };
  const xml = formatJunitReport(sample({ ...kind, suite }), OUTLINE);
  expect(xml).toContain('<property name="seed" value="7"/>');
  expect(xml).toContain("of 9 mutants (all; seed 3) 8 killed by a verdict, 1 by timeout, 0 by crash");
});
