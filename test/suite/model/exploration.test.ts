import fc from "fast-check";
import { expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { Run } from "../../../src/engine/execute/run.js";
import { executeScenario } from "../../../src/engine/execute/scenario.js";
import { type Coverage, openCoverage } from "../../../src/engine/property/coverage.js";
import type { CaseOutcome, Failure } from "../../../src/engine/property/property.js";
import { openSystemUnderTest } from "../../../src/engine/property/system-under-test.js";
import { runWithTarget, startRun } from "../../../src/engine/run/connect.js";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import type { Step } from "../../../src/engine/scenario/format.js";
import type { CommandCall } from "../../../src/suite/model/command.js";
import { exploration } from "../../../src/suite/model/exploration.js";
import { errorCodes } from "../../../src/suite/statements/errors.js";
import { suite } from "../../../src/suite/suite.js";
import { exhaustive, sampled } from "../../meta/sample.js";
import { furtherEffectMutants } from "../../mutants/further-effects.js";
import { furtherReadMutants } from "../../mutants/further-reads.js";
import type { Mutant } from "../../mutants/mutant.js";
import { type Examined, openMutant, openSound } from "../../mutants/open.js";
import { mutants } from "../../quality/mutants.js";
import { type Subject, variants } from "../../quality/variants.js";

/** Explores a server case by case until one fails. */
async function explore({ options, close }: Subject, cases: number): Promise<{ failure?: Failure; coverage: Coverage }> {
  const coverage = openCoverage();
  const found = await runWithTarget(suite, options, async (target, wire) => {
    const run = startRun(suite, { profile: "full", ...options }, target, wire);
    for (let batch = 0; batch * 20 < cases; batch++) {
      const drawn = fc.sample(exploration.cases({ coverage, offers: () => true }), {
        seed: batch,
        numRuns: Math.min(20, cases - batch * 20),
      });
      for (const [number, one] of drawn.entries()) {
        const caseOutcome = await runOne(run, one, { unique: `case-${batch}-${number}`, coverage });
        if (caseOutcome.verdict === "failed") return { failure: caseOutcome };
      }
    }
    return {};
  }).finally(close);
  if ("exitCode" in found) throw new Error(found.messages.join("\n"));
  return { ...found, coverage };
}

async function runOne(
  run: Run,
  commandCalls: CommandCall[],
  { unique, coverage }: { unique: string; coverage: Coverage },
): Promise<CaseOutcome> {
  const result = await openSystemUnderTest(run, { name: exploration.id, unique, coverage });
  if (!result.ok) throw new Error(result.why);
  return exploration.run(result.sut, commandCalls).finally(result.close);
}

const subject = ({ url, close }: Examined): Subject => ({ options: { url }, close });

/** Codes that no case brings about, and why. */
const unreachable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(errorCodes).flatMap(([code, { unreachable: why }]) => (why === undefined ? [] : [[code, why]])),
  ),
  internal_error: "only a fault of the service brings it about",
  idempotency_key_reused: "a server may answer another body with the first job; the default of the stand-in does",
};

test("every reachable point of the contract is covered on the mock, without a failure", async () => {
  const { failure, coverage } = await explore(subject(await openSound()), exhaustive ? 200 : 10);
  expect(failure?.why).toBeUndefined();
  if (!exhaustive) return; // so few cases reach most of them
  const points = coverage.toJSON();
  expect(Object.keys(points).flatMap((kind) => coverage.unreached(kind).map((name) => `${kind}/${name}`))).toEqual([]);
  const codes = Object.keys(contract.errors).filter((code) => !(code in unreachable));
  expect(codes.filter((code) => coverage.visits("error codes", code) === 0)).toEqual([]);
});

test.each(sampled(["the reference server, wordy", "the reference server, terse", "the mock with a sliding rate window"], 1))(
  "accepts every answer of %s",
  async (name) => {
    const open = variants.get(name);
    if (!open) throw new Error(`no ${name}`);
    const { failure } = await explore(await open(), exhaustive ? 40 : 6);
    expect(failure?.why).toBeUndefined();
  },
);

const mutantsOfFurtherEffects = [...furtherEffectMutants, ...furtherReadMutants];
const directMutants = mutants.filter((mutant) => !mutantsOfFurtherEffects.includes(mutant));

/** The first mutant of each clause. Those that show only in rare histories, such as a second retry, come last in their files. */
const tableMutants: Mutant[] = [
  "JOB-CANCEL-PENDING",
  "JOB-CANCEL-RUNNING",
  "JOB-CANCEL-FINISHED",
  "JOB-RETRY-WORKFLOW",
  "JOB-RETRY-INFLIGHT",
  "JOB-RETRY-AGAIN",
  "OBS-DISMISS-CLOSES",
  "OBS-COMPLETE-CLOSES",
  "OBS-ACK-OPEN",
  "OBS-REOPEN-OPENS",
  "OBS-REOPEN-CLEARS",
  "OBS-ACTION-CLOSED",
  "OBS-FIX-ON-CLOSED",
].flatMap((clause) => directMutants.find((mutant) => mutant.breaks === clause && "around" in mutant) ?? []);

test("the faulty servers exist", () => expect(tableMutants.length).toBeGreaterThanOrEqual(12));

test.each(sampled(tableMutants, 1).map((mutant) => [mutant.breaks, mutant.name, mutant] as const))(
  "finds a server that breaks %s (%s), and the counterexample passes on a sound server",
  async (clause, _, mutant) => {
    const { failure } = await explore(subject(await openMutant(mutant)), 120);
    expect(failure?.clauses, failure?.why).toContain(clause);
    expect(await getVerdict(await openMutant(mutant), failure?.steps ?? [])).toBe("failed");
    expect(await getVerdict(await openSound(), failure?.steps ?? [])).toMatch(/passed|inconclusive/);
  },
);

/** Returns the verdict on the last step of a proof on a server. */
async function getVerdict(server: Examined, steps: readonly Step[]) {
  const text = { scenario: "proof", title: "Proof", proves: [], steps: [...steps] };
  const scenario = compileScenario(text, suite);
  const result = await runWithTarget(suite, { url: server.url }, (target, wire) =>
    executeScenario(startRun(suite, { url: server.url }, target, wire), scenario, "proof"),
  ).finally(server.close);
  if (!("checks" in result)) throw new Error("not played");
  return result.checks.at(-1)?.verdict ?? "inconclusive";
}
