import fc from "fast-check";
import type { Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { bindingsOfTool } from "../scenario/tools.js";
import { inconclusive } from "./blame.js";
import { check, prepare } from "./check.js";
import { type JobState, jobAction, jobClaims } from "./job-actions.js";
import { REGISTERS, REGISTRATION, SPARE } from "./set-up.js";
import { type ObservationState, triageAction, triageClaims } from "./triage-actions.js";

/** What is done, by which surface, to which of two things. */
interface Action {
  act: "submit" | "cancel" | "retry" | "acknowledge" | "dismiss" | "complete" | "reopen";
  by: "rest" | "tool";
  thing: 0 | 1;
}

const TOOLS = [
  "submit_job",
  "retry_job",
  "job_status",
  "acknowledge_observation",
  "dismiss_observation",
  "complete_observation",
  "reopen_observation",
];

/** MCP-TOOL-*: REST and the tools are two doors to one service, so each shows at once what was done by the other. */
export const surfacesAgree: Property<readonly Action[]> = {
  id: "surfaces-agree",
  title: "Whatever is submitted, retried, cancelled or triaged by one surface is seen by the other",
  proves: [
    ...["MCP-TOOL-SUBMIT", "MCP-TOOL-RETRY", "MCP-TOOL-STATUS", "JOB-FIELD-MCP-BASE", "MCP-TOOL-OBS-LIST"],
    ...["MCP-TOOL-ACK", "MCP-TOOL-DISMISS", "MCP-TOOL-COMPLETE", "MCP-TOOL-REOPEN"],
    ...["OBS-ACK-STAMPS", "OBS-DISMISS-CLOSES", "OBS-COMPLETE-CLOSES", "OBS-REOPEN-OPENS", "JOB-GET-ROUTE", "JOB-CANCEL-PENDING"],
  ],
  needs: ["worlds", "surface.mcp", "drive.find", ...REGISTERS, ...TOOLS.map((tool) => `binding.tools.${tool}`)],
  effects: ["read", "write", "paid"],
  runs: 15,
  cases: () =>
    fc.array(
      fc.record({
        act: fc.constantFrom(
          ...(["submit", "cancel", "retry", "acknowledge", "dismiss", "complete", "reopen"] satisfies Action["act"][]),
        ),
        by: fc.constantFrom("rest" as const, "tool" as const),
        thing: fc.constantFrom(0 as const, 1 as const),
      }),
      { minLength: 4, maxLength: 10 },
    ),
  play: actAndLook,
};

async function actAndLook(scene: Scene, actions: readonly Action[]): Promise<Found> {
  const find = (n: number) => ({
    drive: "find",
    with: { repo: SPARE, observation: { kind: "finding", title: `Seen by both ${n} {unique}` } },
    save: { [`ref${n}`]: "/result/ref" },
  });
  const loose: readonly Step[] = [{ rest: "POST /api/repos", json: REGISTRATION }, find(0), find(1)];
  const needed: Step[] = [];
  const unready = await prepare(scene, loose);
  if (unready) return unready;
  const observations: ObservationState[] = [0, 1].map(() => ({ status: "new", acknowledged: false }));
  const jobs: JobState[] = [{ status: "none" }, { status: "none" }];
  let subjects = 0;
  for (const action of actions) {
    const done = planned(action, jobs, observations);
    if (!done || bindingsOfTool(done.step.mcp ?? {}).some((name) => !scene.offers(`binding.${name}`))) continue;
    const unmade = await prepare(scene, [done.step]);
    if (unmade) return unmade;
    done.settle();
    needed.push(done.step);
    for (const claim of done.claims) {
      const found = await check(scene, claim, { needed, loose });
      if (found) return found;
      const { expect, ...step } = claim.step;
      if (step.save) needed.push({ ...step, given: expect });
      subjects += 1;
    }
  }
  return subjects > 0 ? { verdict: "passed", subjects } : inconclusive("no action that was drawn could be done");
}

/** The request of an action, what must be seen after it, and how to keep in mind what then is; undefined where the text does not say what it does. */
function planned({ act, by, thing }: Action, jobs: JobState[], observations: ObservationState[]) {
  if (act === "submit" || act === "cancel" || act === "retry") {
    const done = jobAction(act, by, thing, jobs[thing] ?? { status: "none" });
    const settle = () => {
      if (done) jobs[thing] = done.job;
    };
    return done && { step: done.step, claims: jobClaims(thing, done.job, by), settle };
  }
  const done = triageAction(act, by, thing, observations[thing] ?? { status: "new", acknowledged: false });
  const settle = () => {
    if (done) observations[thing] = done.observation;
  };
  return done && { step: done.step, claims: triageClaims(thing, done.observation, act), settle };
}
