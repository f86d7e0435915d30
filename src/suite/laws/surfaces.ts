import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { bindingsOfTool } from "../request-rules.js";
import { type TriageAction, triageStatement } from "../statements/observations.js";
import { operationStatement } from "../statements/operations.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE } from "../statements/setup-steps.js";
import { type ToolPurpose, toolStatement } from "../statements/tools.js";
import { assertAnswer } from "./assertion.js";
import { inconclusive } from "./blame.js";
import { type JobState, jobAction, jobAssertions, noJob } from "./job-actions.js";
import { prepare } from "./prepare.js";
import { type ObservationState, triageAction, triageAssertions, untouched } from "./triage-actions.js";

/** What is done to jobs, and to observations; in the order in which cases are drawn from them. */
const JOB_ACTS = ["submit", "cancel", "retry"] as const;
const TRIAGE_ACTS = ["acknowledge", "dismiss", "complete", "reopen"] as const satisfies readonly TriageAction[];

/** What is done, by which surface, to which of two things. */
interface Action {
  act: (typeof JOB_ACTS)[number] | (typeof TRIAGE_ACTS)[number];
  by: "rest" | "tool";
  thing: 0 | 1;
}

const JOB_TOOLS = ["submit_job", "retry_job", "job_status"] as const satisfies readonly ToolPurpose[];
const TRIAGE_TEXTS = TRIAGE_ACTS.map((act) => ({
  ...operationStatement(triageStatement(act).route),
  clause: triageStatement(act).clause,
}));
const TOOLS = [...JOB_TOOLS, ...TRIAGE_TEXTS.flatMap(({ tool = [] }) => tool)];

/** MCP-TOOL-*: REST and the tools are two doors to one service, so each shows at once what was done by the other. */
export const surfacesAgree: Property<readonly Action[]> = {
  id: "surfaces-agree",
  title: "Whatever is submitted, retried, cancelled or triaged by one surface is seen by the other",
  proves: [
    ...JOB_TOOLS.map((purpose) => toolStatement(purpose).clause),
    ...["JOB-FIELD-MCP-BASE", toolStatement("list_observations").clause],
    ...TRIAGE_TEXTS.flatMap(({ toolClause = [] }) => toolClause),
    ...TRIAGE_TEXTS.map(({ clause }) => clause),
    ...["JOB-GET-ROUTE", "JOB-CANCEL-PENDING"],
  ],
  needs: ["worlds", "surface.mcp", "drive.find", ...REGISTRATION_NEEDS, ...TOOLS.map((tool) => `binding.tools.${tool}`)],
  effects: ["read", "write", "paid"],
  runs: 15,
  cases: () =>
    fc.array(
      fc.record({
        act: fc.constantFrom<Action["act"][]>(...JOB_ACTS, ...TRIAGE_ACTS),
        by: fc.constantFrom("rest" as const, "tool" as const),
        thing: fc.constantFrom(0 as const, 1 as const),
      }),
      { minLength: 4, maxLength: 10 },
    ),
  run: actAndLook,
};

async function actAndLook(sut: SystemUnderTest, actions: readonly Action[]): Promise<CaseOutcome> {
  const find = (n: number) => ({
    drive: "find",
    with: { repo: SPARE, observation: { kind: "finding", title: `Seen by both ${n} {unique}` } },
    save: { [`ref${n}`]: "/result/ref" },
  });
  const loose: readonly Step[] = [{ rest: "POST /api/repos", json: REGISTRATION }, find(0), find(1)];
  const needed: Step[] = [];
  const unready = await prepare(sut, loose);
  if (unready) return unready;
  const observations: ObservationState[] = [untouched, untouched];
  const jobs: JobState[] = [noJob, noJob];
  let subjects = 0;
  for (const action of actions) {
    const done = planned(action, jobs, observations);
    if (!done || bindingsOfTool(done.step.mcp ?? {}).some((name) => !sut.offers(`binding.${name}`))) continue;
    const unmade = await prepare(sut, [done.step]);
    if (unmade) return unmade;
    done.keep();
    needed.push(done.step);
    for (const assertion of done.assertions) {
      const found = await assertAnswer(sut, assertion, { needed, loose });
      if (found) return found;
      const { expect, ...step } = assertion.step;
      if (step.save) needed.push({ ...step, given: expect });
      subjects += 1;
    }
  }
  return subjects > 0 ? { verdict: "passed", subjects } : inconclusive("no action that was drawn could be done");
}

/** The request of an action, what must be seen after it, and how to keep in mind what then is; undefined where the text does not say what it does. */
function planned({ act, by, thing }: Action, jobs: JobState[], observations: ObservationState[]) {
  if (act === "submit" || act === "cancel" || act === "retry") {
    const done = jobAction(act, by, thing, jobs[thing] ?? noJob);
    const keep = () => {
      if (done) jobs[thing] = done.job;
    };
    return done && { step: done.step, assertions: jobAssertions(thing, done.job, by), keep };
  }
  const done = triageAction(act, by, thing, observations[thing] ?? untouched);
  const keep = () => {
    if (done) observations[thing] = done.observation;
  };
  return done && { step: done.step, assertions: triageAssertions(thing, done.observation, act), keep };
}
