import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { judgeBundle } from "../../src/engine/run/judge-bundle.js";
import type { RunResult } from "../../src/engine/run/options.js";
import { type VerifyOptions, verify } from "../../src/engine/run/verify.js";
import { listUnjudgedReasons } from "../../src/engine/verdict/unjudged-reasons.js";
import { suite } from "../../src/suite/suite.js";
import { base } from "./base.js";
import type { Choices } from "./choices.js";
import { OPS_TOKEN, startReference } from "./server.js";
import { terse } from "./variants.js";

// A vendor certifies a conforming server, and a CI job compares later runs with it.

const here = mkdtempSync(join(tmpdir(), "vendor-"));
afterAll(() => rmSync(here, { recursive: true }));

const HOOKLESS: Choices = { ...terse, name: "terse without hooks", control: "none", clock: "flows", pace: 20 };
/** Scenarios that need no hook, one of which shows a served submission, and one that needs events and a clock. */
const ONLY = ["auth-*", "error-envelope", "job-ends-failed", "job-submit"];
const BASELINE = join(here, "baseline.json");

let servers: Record<"equipped" | "hookless" | "regressed", Awaited<ReturnType<typeof startReference>>>;
beforeAll(async () => {
  const [equipped, hookless, regressed] = await Promise.all([
    startReference(terse),
    startReference(HOOKLESS),
    startReference({ ...HOOKLESS, code: (words) => words }),
  ]);
  servers = { equipped, hookless, regressed };
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

/** Runs `verify` with the target file of a server, to which `more` is added. */
function certify(name: keyof typeof servers, options: Partial<VerifyOptions> = {}, more: object = {}): Promise<RunResult> {
  const target = join(here, `${name}.json`);
  writeFileSync(target, JSON.stringify({ ...servers[name].target, ...more }));
  const common = {
    target,
    only: ONLY,
    seed: 1,
    runs: 0,
    profile: "full",
    maxWait: 5,
    env: { REFERENCE_OPS: OPS_TOKEN },
  } as const;
  return verify(suite, { ...common, ...options });
}

/** The exit code of a run and the sentence of its report, or its messages without a report. */
function ending({ exitCode, report, messages }: RunResult): [number, string] {
  return [exitCode, report?.outcome.sentence ?? messages.join("\n")];
}

describe("a server with every hook conforms", () => {
  test("with a target file of fewer than 100 lines, if it follows the conventions", async () => {
    const { target, close } = await startReference(base);
    await close();
    expect(stringify(target).split("\n").length - 1).toBeLessThan(100);
  });

  test("without a claim", async () => {
    expect(ending(await certify("equipped"))).toEqual([0, expect.stringMatching(/^All \d+ clauses passed\.$/)]);
  });

  test("apart from what its legal choices leave open, which a claim must leave out", async () => {
    const only = ["auth-*", "job-submit", "repository-register-without-credit"]; // it registers nothing without credit
    const result = await certify("equipped", { only });
    expect(ending(result)).toEqual([
      0,
      expect.stringMatching(/^Conforms as far as \d+ of \d+ clauses could be judged; 1 need: another legal choice of the server/),
    ]);
    expect(listUnjudgedReasons(result.report!)).toContainEqual(
      expect.stringMatching(/^ {2}REPO-REGISTER-GATES: .* has no credit/),
    );
    expect(ending(await certify("equipped", { only, claim: "REPO-REGISTER-GATES" }))).toEqual([3, expect.any(String)]);
  });

  test("within a deadline that leaves no time for a minute of its limits", async () => {
    const only = ["auth-*", "error-envelope", "bucket-*"];
    const result = await certify("hookless", { only, deadline: 90, maxWait: 2000 }, { timing: { rate_minute_s: 900 } });
    expect(ending(result)).toEqual([0, expect.stringMatching(/^Conforms as far as .* need: a longer --deadline \(\d+\)/)]);
    expect(result.report?.counts.inconclusive).toBeUndefined();
  });

  test("with a claim in its target file, and its bundle says the same", async () => {
    const out = join(here, "bundle");
    const claim = { clauses: ["AUTH-*", "ERR-ENVELOPE-ONE"], profile: "full" };
    const result = await certify("equipped", { out }, { claim });
    expect(ending(result)).toEqual([0, "All 5 claimed clauses passed."]);
    expect(result.report?.claim).toMatchObject({ names: ["AUTH-*", "ERR-ENVELOPE-ONE", "profile full"], total: 418 });
    const { exitCode, report } = await judgeBundle(suite, { bundle: out });
    expect([exitCode, report?.claim]).toEqual([0, result.report?.claim]);
  });
});

describe("a server without hooks", () => {
  test("conforms as far as it could be judged, and then to its baseline", async () => {
    const first = await certify("hookless", { saveBaseline: BASELINE });
    expect(ending(first)).toEqual([
      0,
      expect.stringMatching(/^Conforms as far as \d+ of \d+ clauses could be judged; \d+ need: .*drive\.finish-job \(2\)/),
    ]);
    expect(first.messages).toContainEqual(expect.stringMatching(/baseline\.json: \d+ clauses$/));
    const passed = first.report?.counts.passed;
    const repeatedRunResult = await certify("hookless", {}, { claim: { baseline: BASELINE } });
    expect(ending(repeatedRunResult)).toEqual([0, `All ${passed} claimed clauses passed.`]);
  });

  test("fails its baseline by the name of the clause that no longer passes", async () => {
    const { report, ...result } = await certify("regressed", { claim: `baseline:${BASELINE}` });
    expect(ending({ report: report!, ...result })).toEqual([
      1,
      expect.stringMatching(/^\d of \d+ claimed clauses (is|are) broken: .*\bERR-ENVELOPE-ONE\b/),
    ]);
  });

  test("is not judged by a claim that it offers no means for", async () => {
    const claim = "ERR-ENVELOPE-ONE,JOB-STATE-FAILURE";
    expect(ending(await certify("hookless", { claim }))).toEqual([
      2,
      expect.stringMatching(
        /^--claim: the target offers no means to judge 1 of 2 claimed clauses \(JOB-STATE-FAILURE\)\. Add .*drive\.finish-job.* to the target file, or claim less\.$/,
      ),
    ]);
  });

  test("gets a warning for a failure outside its claim", async () => {
    const result = await certify("regressed", { claim: "AUTH-*" });
    expect(ending(result)).toEqual([0, "All 4 claimed clauses passed."]);
    expect(result.report?.clauses.find(({ id }) => id === "ERR-ENVELOPE-ONE")).toMatchObject({
      verdict: "warned",
      reason: expect.stringMatching(/^outside the claim: failed: /),
    });
  });
});
