import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import { createInconclusive } from "../laws/outcome.js";
import { prepare } from "../laws/steps.js";
import { isRefusal } from "../response-rules.js";
import { createCancelledJob, failedJob } from "../statements/setup-steps.js";
import { explain, type Operation, type Specification } from "./linearizability.js";
import { createNotSerializable, createRaceStep, formatStatuses, type RaceRequest, readValue, runRace } from "./race.js";

/** The final status of the job, the number of concurrent retries, and whether a tool retries it too. */
interface Case {
  ended: "failed" | "cancelled";
  retries: number;
  tool: boolean;
}

/** The retry of the job that is in flight: none, one with an unknown id, or its id. */
type State = { child: string | true | null };

/** JOB-RETRY-NEW, JOB-RETRY-INFLIGHT: one 201 with a new job, and the same job for all others. */
const singleRetry: Specification<State, "retry" | "tool", WireResponse> = {
  initial: [{ child: null }],
  apply({ child }, op, response) {
    if (op === "tool") return [{ child: isRefusal(response) ? child : (child ?? true) }];
    const id = String(readValue(response, "/id"));
    if (response.status === 201) return child === null ? [{ child: id }] : [];
    if (response.status !== 200) return [];
    return child === id || child === true ? [{ child: id }] : [];
  },
};

/** Checks that concurrent retries of one job start one run. */
export const retryRace: Property<Case> = {
  id: "race-retries",
  title: "Concurrent retries of an ended job start one run, and every response shows it",
  proves: ["JOB-RETRY-NEW", "JOB-RETRY-INFLIGHT"],
  needs: ["repos.1"],
  effects: ["read", "write", "paid"],
  changes: ["job"],
  runs: 10,
  cases: ({ offers }) =>
    fc.record({
      ended: fc.constantFrom<Case["ended"]>("cancelled", ...(offers("drive.finish-job") ? (["failed"] as const) : [])),
      retries: fc.integer({ min: 2, max: 8 }),
      tool: offers("binding.tools.retry_job") && offers("binding.tool_args.retry_job.job_id") ? fc.boolean() : fc.constant(false),
    }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { ended, retries, tool }: Case): Promise<CaseOutcome> {
  const setup = ended === "failed" ? failedJob : createCancelledJob();
  const setupFailure = await prepare(sut, setup);
  if (setupFailure) return setupFailure;
  const contenders: RaceRequest<"retry">[] = Array.from({ length: retries }, () => ({
    op: "retry",
    step: { rest: "POST /api/jobs/{job}/retry", json: {} },
  }));
  const toolRequest = tool ? sut.send({ mcp: { tool: "retry_job", arguments: { job_id: "{job}" } }, retry: false }) : undefined;
  const result = await runRace(sut, contenders);
  const toolResponse = await toolRequest;
  if (!result.ok) return result.found;
  if (toolResponse && !toolResponse.ok) return createInconclusive(toolResponse.why);
  await cancelRetry(sut);
  const unknown = { calledAt: Number.NEGATIVE_INFINITY, returnedAt: Number.POSITIVE_INFINITY };
  const toolCall: Operation<"tool", WireResponse>[] = toolResponse
    ? [{ op: "tool", answer: toolResponse.response, ...unknown }]
    : [];
  if (explain<State, "retry" | "tool", WireResponse>([...result.history, ...toolCall], singleRetry).ok)
    return { verdict: "passed", subjects: retries };
  const expect = { statuses: { 201: tool ? { lte: 1 } : 1, "2xx": retries }, distinct: { "/id": 1 } };
  const why = `${retries} concurrent retries got ${formatStatuses(result.history)}`;
  const clause = result.history.some(({ answer: { status } }) => status === 201) ? "JOB-RETRY-INFLIGHT" : "JOB-RETRY-NEW";
  return createNotSerializable(sut, [clause], why, [...setup, createRaceStep(contenders, expect)]);
}

/** Cancels the run that the retries started. In a new world the run may stay. */
async function cancelRetry(sut: SystemUnderTest): Promise<void> {
  if (sut.fresh) return;
  await sut.send({ rest: "POST /api/jobs/{job}/retry", json: {}, save: { child: "/id" } });
  if (sut.lookup("child") !== undefined) await sut.send({ rest: "POST /api/jobs/{child}/cancel" });
}
