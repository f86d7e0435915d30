import fc from "fast-check";
import { inconclusive } from "../laws/blame.js";
import { prepare } from "../laws/check.js";
import { cancelledJob } from "../laws/set-up.js";
import type { Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import { isRefusal } from "../wire/mcp.js";
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
  runs: 10,
  cases: ({ offers }) =>
    fc.record({
      ended: fc.constantFrom<Case["ended"]>("cancelled", ...(offers("drive.finish-job") ? (["failed"] as const) : [])),
      retries: fc.integer({ min: 2, max: 8 }),
      tool: offers("binding.tools.retry_job") && offers("binding.tool_args.retry_job.job_id") ? fc.boolean() : fc.constant(false),
    }),
  play: retryAtOnce,
};

async function retryAtOnce(scene: Scene, { ended, retries, tool }: Case): Promise<Found> {
  const setUp = ended === "failed" ? FAILED_JOB : cancelledJob();
  const unready = await prepare(scene, setUp);
  if (unready) return unready;
  const contenders: Contender<"retry">[] = Array.from({ length: retries }, () => ({
    op: "retry",
    step: { rest: "POST /api/jobs/{job}/retry", json: {} },
  }));
  const byTool = tool ? scene.send({ mcp: { tool: "retry_job", arguments: { job_id: "{job}" } }, asIs: true }) : undefined;
  const raced = await race(scene, contenders);
  const asked = await byTool;
  if (!raced.ok) return raced.found;
  if (asked && !asked.ok) return inconclusive(asked.why);
  await tidy(scene);
  const unknown = { calledAt: Number.NEGATIVE_INFINITY, returnedAt: Number.POSITIVE_INFINITY };
  const toolCall: Operation<"tool", WireResponse>[] = asked ? [{ op: "tool", answer: asked.response, ...unknown }] : [];
  const explained = explain<State, "retry" | "tool", WireResponse>([...raced.history, ...toolCall], oneChild);
  if (explained.ok) return { verdict: "passed", subjects: retries };
  const expect = { statuses: { 201: tool ? { lte: 1 } : 1, "2xx": retries }, distinct: { "/id": 1 } };
  const why = `${retries} retries at once: ${statusesOf(raced.history)}`;
  return unexplained(scene, ["JOB-RETRY-NEW", "JOB-RETRY-INFLIGHT"], why, [...setUp, raceStep(contenders, expect)]);
}

const FAILED_JOB: readonly Step[] = [
  {
    rest: "POST /api/repos/{repo}/jobs",
    query: { force: "true" },
    json: { workflow: "audit", params: {} },
    save: { job: "/id" },
  },
  { drive: "finish-job", with: { job_id: "{job}", outcome: "failure" } },
  {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "failed" } },
  },
];

/** Elsewhere than in a world of its own the run that was started is stopped. */
async function tidy(scene: Scene): Promise<void> {
  if (scene.fresh) return;
  await scene.send({ rest: "POST /api/jobs/{job}/retry", json: {}, save: { child: "/id" } });
  if (scene.look("child") !== undefined) await scene.send({ rest: "POST /api/jobs/{child}/cancel" });
}
