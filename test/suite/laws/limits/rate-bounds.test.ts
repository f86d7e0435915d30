import { describe, expect, test } from "vitest";
import { startMock } from "../../../../src/mock/server.js";
import { keyBudget } from "../../../../src/suite/laws/limits/key-budget.js";
import { keyCeilings } from "../../../../src/suite/laws/limits/key-ceilings.js";
import { pathBucketRates } from "../../../../src/suite/laws/limits/path-buckets.js";
import { findBreach, type RateResponse } from "../../../../src/suite/laws/limits/rate-bounds.js";
import { toolCallRate } from "../../../../src/suite/laws/limits/tool-rate.js";
import { sampled } from "../../../meta/sample.js";
import { openSound } from "../../../mutants/open.js";
import { openWorkspace } from "../../cleanup/workspace.js";
import { tryOn } from "../try.js";

// Each run draws 2 of the 4 laws: about 4 commits try all.
test.each(sampled([pathBucketRates, keyBudget, keyCeilings, toolCallRate], 2))(
  "$id tries each limit again, to the end",
  async (law) => {
    const soundServer = await openSound();
    const { line } = await tryOn({ url: soundServer.url }, law, 1, 1).finally(soundServer.close);
    const tried = line.coverage?.["limits tried again"] ?? {};
    expect(Object.keys(tried).length).toBeGreaterThan(0);
    expect(Object.entries(tried).filter(([, times]) => times === 0)).toEqual([]);
  },
);

describe.each([pathBucketRates, toolCallRate])("$id uses limits up, so it is left out", (law) => {
  test("on a shared workspace, and on a target with one workspace", async () => {
    for (const exclusive of [false, true]) {
      const workspace = await openWorkspace((target) => Object.assign(target, { exclusive }));
      const options = { target: workspace.target, profile: "full" as const };
      const { line, scenario: scenarioResult } = await tryOn(options, law, 1, 1).finally(workspace.close);
      expect([line.verdict, line.reason, scenarioResult.requests]).toEqual([
        "not-applicable",
        "the target offers no worlds: set worlds in the target file",
        0,
      ]);
    }
  });

  test("with a read-only profile", async () => {
    const mock = await startMock({ clock: "frozen" });
    const { line, scenario: scenarioResult } = await tryOn({ url: mock.api_url, profile: "read-only" }, law, 1, 1).finally(() =>
      mock.close(),
    );
    expect([line.verdict, line.reason, scenarioResult.skippedBy]).toEqual([
      "not-applicable",
      "the property has write steps, which the profile read-only leaves out",
      "profile",
    ]);
  });
});

/** Returns the responses to requests at one moment, in seconds: some are served, then one is refused. */
function usedUp(burst: number, second: number, served: number): RateResponse[] {
  const outcomes = [...Array.from({ length: served }, () => "served" as const), "refused" as const];
  return outcomes.map((outcome) => ({ outcome, fromMs: second * 1000, toMs: second * 1000, burst }));
}

test.each([
  [98, 98, 0, undefined],
  [98, 99, 0, 197],
  [98, 100, 2, undefined],
  [98, 101, 2, 199],
])(
  "of a limit that served %i when unused and %i later, with %i uncounted, the breach is request %s",
  (first, later, uncounted, index) => {
    const responses = [...usedUp(0, 0, first), ...usedUp(1, 121, later)];
    expect(findBreach(responses, { min: 48, max: 72, uncounted })?.index).toBe(index);
  },
);
