import fc from "fast-check";
import { expect, test } from "vitest";
import { checkAllProperties } from "../../../../src/engine/property/check-all.js";
import { checkProperty } from "../../../../src/engine/property/check-property.js";
import type { Property } from "../../../../src/engine/property/property.js";
import { runWithTarget, startRun } from "../../../../src/engine/run/connect.js";
import { openSandbox } from "../../../../src/engine/run/sandbox.js";
import type { Target } from "../../../../src/engine/target/target.js";
import { properties } from "../../../../src/suite/properties.js";
import { suite } from "../../../../src/suite/suite.js";
import { getRoute, type Mutant, param } from "../../../mutants/mutant.js";
import { openMutant, openSound } from "../../../mutants/open.js";

const cancel = "POST /api/jobs/{job_id}/cancel";

/** Submits jobs, looks about, and cancels one of them twice: only the submission and the first cancellation matter. */
const cancelledOnce: Property<{ looks: number }> = {
  id: "cancelled-once",
  title: "A cancelled job cannot be cancelled again",
  proves: ["JOB-CANCEL-FINISHED"],
  needs: [],
  effects: ["read", "write", "paid"],
  runs: 5,
  cases: () => fc.record({ looks: fc.integer({ min: 2, max: 5 }) }),
  async run(sut, { looks }) {
    const submission = {
      rest: "POST /api/repos/{repo}/jobs",
      json: { workflow: "audit", params: {}, force: true },
      save: { job: "/id" },
    };
    await sut.send(submission);
    for (let n = 0; n < looks; n++) await sut.send({ rest: "GET /api/jobs/{job}" });
    await sut.send({ rest: "POST /api/jobs/{job}/cancel" });
    for (let n = 0; n < looks; n++) await sut.send({ rest: "GET /api/jobs/{job}" });
    const again = { rest: "POST /api/jobs/{job}/cancel" };
    const stepResult = await sut.send(again);
    if (!stepResult.ok) return { verdict: "inconclusive", why: stepResult.why };
    if (stepResult.response.status >= 400) return { verdict: "passed", subjects: 1 };
    const steps = [...sut.steps.slice(0, -1), { ...again, expect: { status: "4xx" } }];
    return { verdict: "failed", clauses: ["JOB-CANCEL-FINISHED"], why: "a cancelled job was cancelled again", steps };
  },
};

/** Answers a second cancellation as it did the first, and counts submissions. */
function createForgettingMutant(): { mutant: Mutant; submissions: () => number } {
  let submissions = 0;
  const wrapCall: Extract<Mutant, { around: unknown }>["around"] = (world, call, perform) => {
    if (getRoute(call) === "POST /api/repos/{owner}/{repo}/{branch}/jobs") submissions += 1;
    const job = world.jobs[param(call, "job_id")];
    if (getRoute(call) === cancel && job?.status === "cancelled") job.status = "pending";
    return perform(world, call);
  };
  return { mutant: { name: "cancels twice", breaks: "JOB-CANCEL-FINISHED", around: wrapCall }, submissions: () => submissions };
}

test("a failure on a target with costs is shrunk on the sandbox and confirmed in at most three executions", async () => {
  const { mutant, submissions } = createForgettingMutant();
  const costly = await openMutant(mutant);
  let executedCases = 0;
  const options = { url: costly.url, sandbox: openSound };
  const held = await runWithTarget(suite, options, async ({ worlds: _, ...target }, wire) => {
    const run = startRun(suite, options, target, wire);
    const sandbox = openSandbox(suite, options);
    const trial = { seed: 3, deadline: Number.POSITIVE_INFINITY, sandbox: sandbox?.open, onCase: () => void executedCases++ };
    return checkProperty(run, cancelledOnce, trial).finally(() => sandbox?.close());
  }).finally(costly.close);
  if (!("line" in held)) throw new Error(held.messages.join("\n"));
  expect(held.line).toMatchObject({ verdict: "failed", reason: "a cancelled job was cancelled again" });
  expect(held.line.counterexample?.match(/rest:/g)).toHaveLength(3);
  expect(executedCases).toBe(1);
  expect(submissions()).toBeLessThanOrEqual(1 + 3);
});

test("an unconfirmed failure is not a finding", async () => {
  let first = true;
  const once: Mutant = {
    name: "lets one cancellation through",
    breaks: "JOB-CANCEL-FINISHED",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (getRoute(call) === cancel && job?.status === "cancelled" && first) {
        first = false;
        job.status = "pending";
      }
      return perform(world, call);
    },
  };
  const target = await openMutant(once);
  const options = { url: target.url };
  const held = await runWithTarget(suite, options, async (describedTarget, wire) =>
    checkProperty(startRun(suite, options, describedTarget, wire), cancelledOnce, {
      seed: 3,
      deadline: Number.POSITIVE_INFINITY,
    }),
  ).finally(target.close);
  if (!("line" in held)) throw new Error(held.messages.join("\n"));
  expect(held.line.verdict).toBe("inconclusive");
  expect(held.scenario.checks[0]?.clauses).toEqual([]);
});

test("the list of tools is requested once for each target, with and without worlds", async () => {
  const { url, close } = await openSound();
  const some = properties.filter(({ id }) => ["fuzz-tool-list-jobs", "fuzz-tool-list-observations"].includes(id));
  const listings = (change: (target: Target) => Target) =>
    runWithTarget(suite, { url }, async (target, wire) => {
      let count = 0;
      const send: typeof wire.send = (request, signal) => {
        if (new TextDecoder().decode(request.body).includes('"tools/list"')) count += 1;
        return wire.send(request, signal);
      };
      const run = startRun(suite, { url, profile: "full" }, change(target), { ...wire, send });
      const propertyResults = await checkAllProperties(run, some, { seed: 1, runs: 3, deadline: Number.POSITIVE_INFINITY });
      expect(propertyResults.map(({ line }) => [line.verdict, line.runs])).toEqual([
        ["passed", 3],
        ["passed", 3],
      ]);
      return count;
    });
  const counts = [await listings(({ worlds: _, ...target }) => target), await listings((target) => target)];
  await close();
  expect(counts).toEqual([1, 1]);
});
