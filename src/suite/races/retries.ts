import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import { isRefusal } from "../answers.js";
import { inconclusive } from "../laws/blame.js";
import { prepare } from "../laws/prepare.js";
import { cancelledJob, failedJob } from "../statements/set-ups.js";
import { explain, type Operation, type Specification } from "./linearizable.js";
import { type Contender, race, raceStep, statusesOf, unexplained, valueAt } from "./race.js";

/** How the job ended, how many retry it at once, and whether a tool does so too. */
interface Case {
  ended: "failed" | "cancelled";
  retries: number;
  tool: boolean;
}

/** The job's retry in flight: none, one whose id is not known yet, or its id. */
type State = { child: string | true | null };

/** JOB-RETRY-NEW, JOB-RETRY-INFLIGHT: one 201 with a new job, and the same job for all others. */
const oneChild: Specification<State, "retry" | "tool", WireResponse> = {
  initial: [{ child: null }],
  apply({ child }, op, answer) {
    if (op === "tool") return [{ child: isRefusal(answer) ? child : (child ?? true) }];
    const id = String(valueAt(answer, "/id"));
    if (answer.status === 201) return child === null ? [{ child: id }] : [];
    if (answer.status !== 200) return [];
    return child === id || child === true ? [{ child: id }] : [];
  },
};

/** However many retry one job at once, one run is started. */
export const retriesStartOneRun: Property<Case> = {
  id: "race-retries",
  title: "Retries of one ended job at once start one run, which all of them are answered with",
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
  run: retryAtOnce,
};

async function retryAtOnce(sut: SystemUnderTest, { ended, retries, tool }: Case): Promise<CaseOutcome> {
  const setUp = ended === "failed" ? failedJob : cancelledJob();
  const unready = await prepare(sut, setUp);
  if (unready) return unready;
  const contenders: Contender<"retry">[] = Array.from({ length: retries }, () => ({
    op: "retry",
    step: { rest: "POST /api/jobs/{job}/retry", json: {} },
  }));
  const byTool = tool ? sut.send({ mcp: { tool: "retry_job", arguments: { job_id: "{job}" } }, asIs: true }) : undefined;
  const raced = await race(sut, contenders);
  const toolReply = await byTool;
  if (!raced.ok) return raced.found;
  if (toolReply && !toolReply.ok) return inconclusive(toolReply.why);
  await cancelRetry(sut);
  const unknown = { calledAt: Number.NEGATIVE_INFINITY, returnedAt: Number.POSITIVE_INFINITY };
  const toolCall: Operation<"tool", WireResponse>[] = toolReply ? [{ op: "tool", answer: toolReply.response, ...unknown }] : [];
  if (explain<State, "retry" | "tool", WireResponse>([...raced.history, ...toolCall], oneChild).ok)
    return { verdict: "passed", subjects: retries };
  const expect = { statuses: { 201: tool ? { lte: 1 } : 1, "2xx": retries }, distinct: { "/id": 1 } };
  const why = `${retries} retries at once: ${statusesOf(raced.history)}`;
  return unexplained(sut, ["JOB-RETRY-NEW", "JOB-RETRY-INFLIGHT"], why, [...setUp, raceStep(contenders, expect)]);
}

/** Elsewhere than in a world of its own the run that was started is stopped. */
async function cancelRetry(sut: SystemUnderTest): Promise<void> {
  if (sut.fresh) return;
  await sut.send({ rest: "POST /api/jobs/{job}/retry", json: {}, save: { child: "/id" } });
  if (sut.lookup("child") !== undefined) await sut.send({ rest: "POST /api/jobs/{child}/cancel" });
}
