import { join } from "node:path";
import { expect, test } from "vitest";
import { formatLastLine } from "../../../src/common/outcomes.js";
import type { Reservation } from "../../../src/engine/pacing/reservation.js";
import type { KnownReservations, Throttle } from "../../../src/engine/pacing/throttle.js";
import { type FormName, renderReport } from "../../../src/engine/report/forms.js";
import type { Report } from "../../../src/engine/report/report.js";
import { merge } from "../../../src/engine/run/merge.js";
import type { RunResult } from "../../../src/engine/run/options.js";
import { type OutcomeReason, outcomeReasons } from "../../../src/engine/verdict/outcome.js";
import { suite } from "../../../src/suite/suite.js";
import { directory, execution, OK, removeDirectories, scenario } from "../run/execution.js";

removeDirectories();

const PASSING_STEP = "  - rest: GET /api/a\n    expect: { status: 200 }\n";
const FAILING_STEP = "  - rest: GET /api/a\n    expect: { status: 201 }\n";
const WRITING_STEP = "  - rest: POST /api/observations/X-1/acknowledge\n    expect: { status: 2xx }\n";
const EMPTY = "  - rest: GET /api/jobs\n    expect: { json: { data: { each: { id: { type: string } } } } }\n";
/** A step that passes alone, and one after it without a clause. */
const addPassingStep = (steps: string) =>
  execution(OK, scenario(`${PASSING_STEP}    proves: [JOB-RETRY-NEW]\n${steps}`, "proves: []"));

const run = (steps: string, options: Parameters<typeof execution>[2] = {}) => execution(OK, scenario(steps), options);
const waiver = (target: string, expires: string) => ({
  waivers: join(
    directory({
      "w.yaml": `waivers: [{ clause: JOB-RETRY-NEW, reason: it is old, ticket: T-1, expires: ${expires}, target: "${target}" }]\n`,
    }),
    "w.yaml",
  ),
});

/** Makes a throttle throw when a scenario begins: a fault of the runner. */
function breakThrottle(throttle: Throttle): Throttle {
  const { forReservation, withoutReservation } = throttle;
  return Object.assign(throttle, {
    waitForAll() {
      throw new Error("a fault of the runner");
    },
    forReservation: (reservation: Reservation) => breakThrottle(forReservation(reservation)),
    withoutReservation: (knownReservations: KnownReservations) => {
      const { throttle: own, close } = withoutReservation(knownReservations);
      return { throttle: breakThrottle(own), close };
    },
  });
}

class BrokenThrottles extends Map<string, Throttle> {
  override set(url: string, throttle: Throttle) {
    return super.set(url, breakThrottle(throttle));
  }
}

/** A target of this name, so that waivers can name it. */
const NAMED_TARGET = { targetText: () => "name: here\nrepos: [acme/demo/main]" };

interface Ending {
  reason: OutcomeReason;
  exitCode: number;
  sentence: string;
  /** The message of the report about its waiver. */
  waiver?: string;
  run(): Promise<RunResult>;
}

const ENDINGS: Record<string, Ending> = {
  "a pass": { reason: "passed", exitCode: 0, sentence: "The one clause passed.", run: () => run(PASSING_STEP) },
  "a pass of a part of the claim": {
    reason: "passed",
    exitCode: 0,
    sentence: "The one claimed clause of this selection passed; the claim has 2 more.",
    run: () => run(PASSING_STEP, { claim: "JOB-RETRY-NEW,JOB-RETRY-WORKFLOW,JOB-RETRY-INFLIGHT" }),
  },
  "a failure": { reason: "findings", exitCode: 1, sentence: "The only clause is broken.", run: () => run(FAILING_STEP) },
  "a failure with a waiver": {
    reason: "passed-with-waivers",
    exitCode: 0,
    sentence: "No clause is broken without a waiver; the only clause is waived.",
    waiver: "waived until 2999-01-01: it is old",
    run: () => run(FAILING_STEP, { ...NAMED_TARGET, ...waiver("here", "2999-01-01") }),
  },
  "a failure whose waiver has expired": {
    reason: "findings",
    exitCode: 1,
    sentence: "The only clause is broken; the waiver of 1 has expired.",
    waiver: "has no effect: it expired on 2020-01-01",
    run: () => run(FAILING_STEP, { ...NAMED_TARGET, ...waiver("here", "2020-01-01") }),
  },
  "a failure whose waiver is for another target": {
    reason: "findings",
    exitCode: 1,
    sentence: "The only clause is broken; the waiver of 1 is for another target.",
    waiver: "has no effect: it is for the target there, not for here",
    run: () => run(FAILING_STEP, { ...NAMED_TARGET, ...waiver("there", "2999-01-01") }),
  },
  "a stale waiver": {
    reason: "stale-waivers",
    exitCode: 1,
    sentence: "No clause is broken, but 1 waiver is stale: its clause passes.",
    run: () => run(PASSING_STEP, { ...NAMED_TARGET, ...waiver("here", "2999-01-01") }),
  },
  "a waiver of a clause that was not judged": {
    reason: "clauses-unjudged",
    exitCode: 3,
    sentence: "No clause is broken, but the only clause is not judged.",
    waiver: "has no effect: its clause did not fail (valid until 2999-01-01)",
    run: () => run(EMPTY, { ...NAMED_TARGET, ...waiver("here", "2999-01-01") }),
  },
  "an empty list": {
    reason: "clauses-unjudged",
    exitCode: 3,
    sentence: "No clause is broken, but the only clause is not judged.",
    run: () => run(EMPTY),
  },
  "a failure without a clause": {
    reason: "findings-without-clause",
    exitCode: 1,
    sentence: "No clause is broken, but 1 scenario failed.",
    run: () => addPassingStep(FAILING_STEP),
  },
  "a scenario that could not be judged beside a pass": {
    reason: "scenarios-unjudged",
    exitCode: 3,
    sentence: "No clause is broken, but the only scenario could not be judged.",
    run: () => addPassingStep(EMPTY),
  },
  "a profile that excludes every scenario": {
    reason: "nothing-claimed",
    exitCode: 3,
    sentence: "Nothing was judged: no clause applies to this run; 1 need: --profile safe (1).",
    run: () => run(WRITING_STEP, { profile: "read-only" }),
  },
  "a target without means for a clause": {
    reason: "passed-in-part",
    exitCode: 0,
    sentence: "Conforms as far as 1 of 2 clauses could be judged; 1 need: drive.find (1), keys.free (1).",
    run: () => inPart(PASSING_STEP),
  },
  "a target without means for a clause, and an empty list": {
    reason: "clauses-unjudged",
    exitCode: 3,
    sentence: "No clause is broken, but the only clause is not judged; 1 need: drive.find (1), keys.free (1).",
    run: () => inPart(EMPTY),
  },
  "a target without any means": {
    reason: "nothing-claimed",
    exitCode: 3,
    sentence: "Nothing was judged: no clause applies to this run; 1 need: drive.find (1).",
    run: () => run(`  - drive: find\n    with: { repo: "{repo}" }\n${PASSING_STEP}`),
  },
  "a runner that fails": {
    reason: "runner-fault",
    exitCode: 4,
    sentence: "No clause is broken, but the runner itself failed 1 time.",
    run: () => run(PASSING_STEP, { throttles: new BrokenThrottles() }),
  },
  "a missing shard": {
    reason: "missing-shards",
    exitCode: 3,
    sentence: "No clause is broken, but the report of shard 2 is missing.",
    run: () => shardAlone(PASSING_STEP),
  },
  "a missing shard, and a failure": {
    reason: "findings",
    exitCode: 1,
    sentence: "The only clause is broken; the report of shard 2 is missing.",
    run: () => shardAlone(FAILING_STEP),
  },
};

/** A scenario with these steps, and one that needs an event and a key that the target does not offer. */
function inPart(steps: string): Promise<RunResult> {
  const needs =
    '  - drive: find\n    with: { repo: "{repo}" }\n  - rest: GET /api/a\n    as: free\n    expect: { status: 200 }\n';
  const other = scenario(needs, "proves: [JOB-CANCEL-PENDING]").replace("under-test", "under-test-too");
  return execution(OK, scenario(steps), {}, { "other.yaml": other });
}

/** The first of two shards, merged alone. */
async function shardAlone(steps: string): Promise<RunResult> {
  const out = directory();
  await run(steps, { shard: { index: 1, of: 2 }, out });
  return merge(suite, [out]);
}

const FORMS: readonly FormName[] = ["text", "json", "github", "junit", "html", "markdown"];

test.each(Object.entries(ENDINGS))(
  "a run with %s is reported once in each report form, with the same exit code",
  async (_, ending) => {
    const { report, exitCode, messages } = await ending.run();
    expect(report?.outcome).toEqual({
      verdict: report?.verdict,
      exit_code: ending.exitCode,
      reason: ending.reason,
      sentence: ending.sentence,
    });
    expect([exitCode, formatLastLine(report!.outcome)]).toEqual([ending.exitCode, `exit code ${exitCode}: ${ending.sentence}`]);
    expect(messages.join("\n")).not.toContain("not earned");
    for (const form of FORMS) {
      const text = await renderReport(form, report as Report, suite, { colour: false });
      expect([form, text.split(ending.sentence).length - 1]).toEqual([form, 1]);
      if (ending.waiver !== undefined && form !== "json")
        expect([form, text]).toEqual([form, expect.stringContaining(ending.waiver)]);
      if (ending.waiver !== undefined) expect([form, text]).toEqual([form, expect.stringContaining("T-1")]);
    }
    isTrue(report as Report);
  },
);

test("these runs cover every reason", () => {
  expect(new Set(Object.values(ENDINGS).map(({ reason }) => reason))).toEqual(new Set(outcomeReasons));
});

test("the last line of a run reports that its report cannot be written", async () => {
  const file = join(directory({ file: "" }), "file");
  const { report, exitCode, outcome, messages } = await merge(suite, [await shardOut()], { out: join(file, "below") });
  expect([exitCode, report?.outcome.exit_code, messages.join()]).toEqual([4, 3, expect.stringContaining("could not be written")]);
  expect(formatLastLine(outcome!)).toBe("exit code 4: The report could not be written; see the line above.");
});

async function shardOut(): Promise<string> {
  const out = directory();
  await run(PASSING_STEP, { shard: { index: 1, of: 2 }, out });
  return out;
}

/** Compares the counts in the sentence with those of the report. */
function isTrue({ outcome, counts, clauses, checks }: Report): void {
  const claimedCount = clauses.filter(({ verdict }) => verdict !== "not-applicable" && verdict !== "informational").length;
  const lacking = clauses.filter(({ missing }) => missing).length;
  const [, some, all] = /(\d+) of (\d+) clauses/.exec(outcome.sentence) ?? [];
  if (outcome.reason === "passed-in-part") expect([some, all]).toEqual([String(claimedCount), String(claimedCount + lacking)]);
  else if (some !== undefined) expect(all).toBe(String(claimedCount));
  if (/No clause is broken/.test(outcome.sentence)) expect(counts.failed ?? 0).toBe(0);
  if (/Nothing was judged/.test(outcome.sentence)) expect(checks.filter(({ verdict }) => verdict === "passed")).toEqual([]);
}
