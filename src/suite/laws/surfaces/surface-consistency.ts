import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findToolBindings } from "../../request-rules.js";
import { findTriageStatement, type TriageAction } from "../../statements/observations.js";
import { findOperationStatement } from "../../statements/operations.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE } from "../../statements/setup-steps.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import { createInconclusive } from "../outcome.js";
import { assertResponse, prepare } from "../steps.js";
import { absentJob, createJobAssertions, createJobStep, type JobState } from "./job-steps.js";
import { createTriageAssertions, createTriageStep, newObservation, type ObservationState } from "./observation-steps.js";

/** Actions on jobs and on observations; the cases are drawn in this order. */
const JOB_ACTIONS = ["submit", "cancel", "retry"] as const;
const TRIAGE_ACTIONS = ["acknowledge", "dismiss", "complete", "reopen"] as const satisfies readonly TriageAction[];

/** An action, its surface, and the index of its job or observation. */
interface Action {
  act: (typeof JOB_ACTIONS)[number] | (typeof TRIAGE_ACTIONS)[number];
  by: "rest" | "tool";
  item: 0 | 1;
}

const JOB_TOOLS = ["submit_job", "retry_job", "job_status"] as const satisfies readonly ToolPurpose[];
const TRIAGE_TEXTS = TRIAGE_ACTIONS.map((act) => ({
  ...findOperationStatement(findTriageStatement(act).route),
  clause: findTriageStatement(act).clause,
}));
const USED_TOOLS = [...JOB_TOOLS, ...TRIAGE_TEXTS.flatMap(({ tool = [] }) => tool)];

/** MCP-TOOL-*: REST and the tools serve the same data, so each shows a change by the other immediately. */
export const surfaceConsistency: Property<readonly Action[]> = {
  id: "surface-consistency",
  title: "REST shows every change of jobs and observations by a tool, and the tools show every change by REST",
  proves: [
    ...JOB_TOOLS.map((purpose) => findToolStatement(purpose).clause),
    ...["JOB-FIELD-MCP-BASE", findToolStatement("list_observations").clause],
    ...TRIAGE_TEXTS.flatMap(({ toolClause = [] }) => toolClause),
    ...TRIAGE_TEXTS.map(({ clause }) => clause),
    ...["JOB-GET-ROUTE", "JOB-CANCEL-PENDING"],
  ],
  needs: ["worlds", "surface.mcp", "drive.find", ...REGISTRATION_NEEDS, ...USED_TOOLS.map((tool) => `binding.tools.${tool}`)],
  effects: ["read", "write", "paid"],
  runs: 15,
  cases: () =>
    fc.array(
      fc.record({
        act: fc.constantFrom<Action["act"][]>(...JOB_ACTIONS, ...TRIAGE_ACTIONS),
        by: fc.constantFrom("rest" as const, "tool" as const),
        item: fc.constantFrom(0 as const, 1 as const),
      }),
      { minLength: 4, maxLength: 10 },
    ),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, actions: readonly Action[]): Promise<CaseOutcome> {
  const find = (n: number) => ({
    drive: "find",
    with: { repo: SPARE, observation: { kind: "finding", title: `Seen by both ${n} {unique}` } },
    save: { [`ref${n}`]: "/result/ref" },
  });
  const loose: readonly Step[] = [{ rest: "POST /api/repos", json: REGISTRATION }, find(0), find(1)];
  const steps: Step[] = [];
  const setupFailure = await prepare(sut, loose);
  if (setupFailure) return setupFailure;
  const observations: ObservationState[] = [newObservation, newObservation];
  const jobs: JobState[] = [absentJob, absentJob];
  let subjects = 0;
  for (const action of actions) {
    const done = planItem(action, jobs, observations);
    if (!done || done.steps.some(({ mcp = {} }) => findToolBindings(mcp).some((name) => !sut.offers(`binding.${name}`))))
      continue;
    const failure = await prepare(sut, done.steps);
    if (failure) return failure;
    done.keep();
    steps.push(...done.steps);
    for (const assertion of done.assertions) {
      const caseOutcome = await assertResponse(sut, assertion, { needed: steps, loose });
      if (caseOutcome) return caseOutcome;
      const { expect, ...step } = assertion.step;
      if (step.save) steps.push({ ...step, given: expect });
      subjects += 1;
    }
  }
  return subjects > 0 ? { verdict: "passed", subjects } : createInconclusive("no drawn action was possible");
}

/** Returns the steps of an action, the assertions after it, and a function that records the new state; undefined where the result is open. */
function planItem({ act, by, item }: Action, jobs: JobState[], observations: ObservationState[]) {
  if (act === "submit" || act === "cancel" || act === "retry") {
    const done = createJobStep(act, by, item, jobs[item] ?? absentJob);
    const keep = () => {
      if (done) jobs[item] = done.job;
    };
    return done && { steps: done.steps, assertions: createJobAssertions(item, done.job, by), keep };
  }
  const done = createTriageStep(act, by, item, observations[item] ?? newObservation);
  const keep = () => {
    if (done) observations[item] = done.observation;
  };
  return done && { steps: [done.step], assertions: createTriageAssertions(item, done.observation, act, by), keep };
}
