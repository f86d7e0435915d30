import fc from "fast-check";
import { expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { Drawn } from "../../../src/runner/model/command.js";
import { exploration } from "../../../src/runner/model/exploration.js";
import { UNREACHABLE } from "../../../src/runner/model/points.js";
import { playScenario } from "../../../src/runner/play/play.js";
import type { Run } from "../../../src/runner/play/run.js";
import { type Coverage, openCoverage } from "../../../src/runner/property/coverage.js";
import type { Failure, Found } from "../../../src/runner/property/property.js";
import { openScene } from "../../../src/runner/property/scene.js";
import type { Step } from "../../../src/runner/scenario/format.js";
import { onTarget, startRun } from "../../../src/runner/start.js";
import { jobMutants } from "../../mutants/jobs.js";
import type { Mutant } from "../../mutants/mutant.js";
import { observationMutants } from "../../mutants/observations.js";
import { type Examined, openMutant, openSound } from "../../mutants/open.js";
import { type Subject, variants } from "../../quality/variants.js";

/** Explores a server case by case until one fails. */
async function explore({ options, close }: Subject, cases: number): Promise<{ failure?: Failure; coverage: Coverage }> {
  const coverage = openCoverage();
  const found = await onTarget(options, async (target, wire) => {
    const run = startRun({ profile: "full", ...options }, target, wire);
    for (let batch = 0; batch * 20 < cases; batch++) {
      const drawn = fc.sample(exploration.cases({ coverage, offers: () => true }), { seed: batch, numRuns: 20 });
      for (const [number, one] of drawn.entries()) {
        const judged = await playOne(run, one, { unique: `case-${batch}-${number}`, coverage });
        if (judged.verdict === "failed") return { failure: judged };
      }
    }
    return {};
  }).finally(close);
  if ("exitCode" in found) throw new Error(found.messages.join("\n"));
  return { ...found, coverage };
}

async function playOne(run: Run, drawn: Drawn[], { unique, coverage }: { unique: string; coverage: Coverage }): Promise<Found> {
  const opened = await openScene(run, { name: exploration.id, unique, coverage });
  if (!opened.ok) throw new Error(opened.why);
  return exploration.play(opened.scene, drawn).finally(opened.close);
}

const subject = ({ url, close }: Examined): Subject => ({ options: { url }, close });

test("every point of the contract that can be reached is reached on the stand-in, and no answer of it is flagged", async () => {
  const { failure, coverage } = await explore(subject(await openSound()), 200);
  expect(failure?.why).toBeUndefined();
  const points = coverage.toJSON();
  expect(Object.keys(points).flatMap((kind) => coverage.unreached(kind).map((name) => `${kind}/${name}`))).toEqual([]);
  const codes = Object.keys(contract.errors).filter((code) => !(code in UNREACHABLE));
  expect(codes.filter((code) => coverage.visits("error codes", code) === 0)).toEqual([]);
});

test.each(["the reference server, wordy", "the reference server, terse", "the mock with a sliding rate window"])(
  "flags no answer of %s",
  async (name) => {
    const open = variants.get(name);
    if (!open) throw new Error(`no ${name}`);
    const { failure } = await explore(await open(), 40);
    expect(failure?.why).toBeUndefined();
  },
);

const faulty = [...jobMutants, ...observationMutants];
const machines: Mutant[] = [
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
].flatMap((clause) => faulty.find(({ breaks }) => breaks === clause) ?? []);

test("the faults to be found are there", () => expect(machines.length).toBeGreaterThanOrEqual(12));

test.each(machines.map((mutant) => [mutant.breaks, mutant.name, mutant] as const))(
  "finds a server that breaks %s (%s), and its proof passes on a sound one",
  async (clause, _, mutant) => {
    const { failure } = await explore(subject(await openMutant(mutant)), 120);
    expect(failure?.clauses, failure?.why).toContain(clause);
    expect(await verdictOf(await openMutant(mutant), failure?.steps ?? [])).toBe("failed");
    expect(await verdictOf(await openSound(), failure?.steps ?? [])).toMatch(/passed|inconclusive/);
  },
);

/** How the last step of a proof is judged on a server. */
async function verdictOf(server: Examined, steps: readonly Step[]) {
  const text = { scenario: "proof", title: "Proof", proves: [], steps: [...steps] };
  const scenario = { name: "proof", text, variables: {}, file: "proof", line: 1, stepLines: [] };
  const played = await onTarget({ url: server.url }, (target, wire) =>
    playScenario(startRun({ url: server.url }, target, wire), scenario, "proof"),
  ).finally(server.close);
  if (!("checks" in played)) throw new Error("not played");
  return played.checks.at(-1)?.verdict ?? "inconclusive";
}
