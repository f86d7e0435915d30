import { describe, expect, test } from "vitest";
import type { Hooks } from "../../src/engine/report/suite-identity.js";
import { verify } from "../../src/engine/run/verify.js";
import type { Profile } from "../../src/engine/scenario/effects.js";
import { suite } from "../../src/suite/suite.js";
import { openSound } from "../mutants/open.js";
import type { MutantResult } from "./matrix.js";
import { optionsFor, rateFor, runKinds } from "./run-kinds.js";

/** Every profile and every state of the hooks: a new one does not compile until it stands here. */
const profiles: Record<Profile, true> = { "read-only": true, safe: true, full: true };
const hooks: Record<Hooks, true> = { "all-hooks": true, "no-hooks": true };

test("every kind of run is measured, each once", () => {
  const all = Object.keys(profiles).flatMap((profile) => Object.keys(hooks).map((one) => `${profile} ${one}`));
  expect(runKinds.map((kind) => `${kind.profile} ${kind.hooks}`).sort()).toEqual(all.sort());
});

test("timeouts, crashes and inconclusive runs are counted separately from kills", () => {
  const each: Record<MutantResult, number> = {
    right: 5,
    other: 1,
    timeout: 2,
    crash: 3,
    inconclusive: 4,
    survived: 6,
    "not examined": 0,
  };
  const lines = Object.entries(each).flatMap(([end, count]) =>
    Array.from({ length: count }, () => ({ end: end as MutantResult })),
  );
  expect(rateFor({ profile: "safe", hooks: "no-hooks" }, lines, { mutants_in_all: 99, seed: 7, cases: 20 })).toEqual({
    ...{ profile: "safe", hooks: "no-hooks", drawn: 21, mutants_in_all: 99, seed: 7, cases: 20, max_wait_s: 2 },
    ...{ killed_by_verdict: 6, killed_by_own_clause: 5, timeout: 2, crash: 3, inconclusive: 4 },
  });
});

describe.each(runKinds)("profile $profile, $hooks", (kind) => {
  test("is the run kind in the report", async () => {
    const server = await openSound();
    try {
      const options = await optionsFor(kind, server.url);
      const { report, messages } = await verify(suite, { ...options, only: ["PAGE-DEFAULT"], seed: 1 });
      expect(messages.join("\n")).not.toContain("mistake");
      expect(report).toMatchObject(kind);
    } finally {
      await server.close();
    }
  });
});
