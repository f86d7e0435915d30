import { describe, expect, test } from "vitest";
import { formatQualityLine, getKillRateFor } from "../../../src/engine/report/quality.js";
import type { Report, RunEvidence } from "../../../src/engine/report/report.js";
import type { Hooks, KillRate, SuiteQuality } from "../../../src/engine/report/suite-identity.js";
import type { Profile } from "../../../src/engine/scenario/effects.js";
import { line, sample } from "./sample.js";

const profiles = ["read-only", "safe", "full"] as const satisfies readonly Profile[];
const hooks = ["all-hooks", "no-hooks"] as const satisfies readonly Hooks[];

const rate = (profile: Profile, one: Hooks, killed: number): KillRate => ({
  ...{ profile, hooks: one, drawn: 60, mutants_in_all: 2871, seed: 4711, cases: 20 },
  ...{ killed_by_verdict: killed, timeout: 2, crash: 1, inconclusive: 3, killed_by_own_clause: killed - 1 },
});
/** Each kind of run has a separate number of kills. */
const rates = profiles.flatMap((profile, i) => hooks.map((hook, j) => rate(profile, hook, 10 * (i + 1) + j)));
const quality: SuiteQuality = {
  rates,
  conforming: { servers: 49, flagged: 0, part: "whole", cases: 10, seed: 4711 },
  ...{ clauses: 414, clauses_broken: 414, clauses_excused: 0 },
  operators: {
    ...{ mutants: 10607, in_other_files: 7259, in_other_lines: 610, drawn: 150, seed: 4711 },
    ...{ killed_by_verdict: 99, timeout: 4, crash: 2, inconclusive: 5, equivalent: 8, open: 20, outside: 13, unexplained: 4 },
  },
};

const suite = { version: "1", clauses_digest: "a", scenarios_digest: "b", quality };
const report = (over: Partial<RunEvidence>): Report => sample({ suite, ...over });

/** Each kind of run, and the kills that its report may print. */
const kinds = profiles.flatMap((profile) =>
  [...hooks, undefined].map((one) => ({
    profile,
    hooks: one,
    rate: rates.find((each) => each.profile === profile && each.hooks === one),
  })),
);

describe.each(kinds)("profile $profile, hooks: $hooks", ({ profile, hooks: offered, rate: own }) => {
  const kind = { profile, ...(offered && { hooks: offered }) };

  test("prints the kill rate for its kind of run, if it was measured", () => {
    expect(getKillRateFor(report(kind))).toEqual(own);
    const text = formatQualityLine(report(kind));
    const killRates = rates.filter(({ killed_by_verdict: killed }) => text.includes(`${killed} killed by a verdict`));
    expect(killRates).toEqual(own ? [own] : []);
    if (!own) expect(text).toBe("suite quality: not measured for this kind of run");
  });

  test("prints the figures of conforming servers and operator mutants where they were measured", () => {
    const isFull = profile === "full" && offered === "all-hooks";
    expect(formatQualityLine(report(kind)).includes("conforming servers")).toBe(isFull);
    expect(formatQualityLine(report(kind)).includes("operator mutants")).toBe(isFull);
  });

  test.each<[what: string, over: Partial<RunEvidence>]>([
    ["--only", { selection: { only: ["A"] } }],
    ["--surface", { selection: { only: [], surface: "mcp" } }],
    ["--shard", { selection: { only: [], shard: { index: 1, of: 2 } } }],
    ["a missing shard", { selection: { only: [], missing_shards: [2] } }],
    ["a stop", { scenarios: [line("one", "ALPHA", "not-observed", "the run was stopped")] }],
  ])("prints no rate after %s", (_, over) => {
    const text = formatQualityLine(report({ ...kind, ...over }));
    expect(text).toBe("suite quality: not measured for this kind of run");
  });
});

test("every field of the selection is considered", () => {
  const known: Record<keyof Report["selection"], true> = { only: true, surface: true, shard: true, missing_shards: true };
  expect(Object.keys(known)).toHaveLength(4);
});

test("a version of the suite that was not measured prints nothing", () => {
  const { quality: _, ...unmeasured } = suite;
  expect(formatQualityLine(report({ suite: unmeasured, profile: "full", hooks: "all-hooks" }))).toBe("");
});

test("the line names the conditions of each figure, and does not count timeouts and crashes as kills", () => {
  expect(formatQualityLine(report({ profile: "full", hooks: "all-hooks" }))).toBe(
    "suite quality: profile full with all hooks, 20 cases per property: of 60 mutants (drawn from 2871, seed 4711) 30 killed by a verdict, 2 by timeout, 1 by crash, 3 inconclusive, 24 survived; 29 fail the clause that they break; 0 of 49 conforming servers flagged (the whole suite, 10 cases per property, seed 4711); of 150 operator mutants (seed 4711) 99 killed by a verdict, 4 by timeout, 2 by crash, 5 inconclusive, 4 of the rest unexplained",
  );
});
