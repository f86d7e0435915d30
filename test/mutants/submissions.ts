import type { WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { Job, World } from "../../src/service/world/world.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  onRoute,
  pretending,
  repoOf,
  type Shown,
  withBody,
  withError,
  withParams,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

let moves = 0;

/** Faults in what comes of a submission. */
export const submissionMutants: Mutant[] = [
  {
    name: "forbids work on credit that is used up",
    breaks: "JOB-SUBMIT-CREDIT",
    around: refusedFor("insufficient_credit", (reply) => ({ ...withError(reply, { type: "permission_error" }), status: 403 })),
  },
  {
    name: "does not look at the paths of a submission",
    breaks: "DEDUPE-PARAMS-DIFFER",
    around: reading(({ params, ...body }) => {
      const { paths: _, ...rest } = Object(params);
      return { ...body, params: rest };
    }),
  },
  {
    name: "takes an audit for a standard audit in flight",
    breaks: "DEDUPE-WORKFLOW-DIFFERS",
    around: onRoute(submit, (world, call, perform) => {
      const standard = withBody(call, { workflow: "standard_audit" });
      return perform(world, bodyOf(call).workflow === "audit" && inFlight(world, standard, "here") ? standard : call);
    }),
  },
  {
    name: "answers with the same work on another repository",
    breaks: "DEDUPE-REPO-DIFFERS",
    around: onRoute(submit, (world, call, perform) => {
      const job = inFlight(world, call, "here") ?? inFlight(world, call, "elsewhere");
      const { owner, repo, branch } = (job && world.repos[job.repo]) ?? {};
      return perform(world, owner && repo && branch ? withParams(call, { owner, repo, branch }) : call);
    }),
  },
  {
    name: "answers with work on an earlier commit",
    breaks: "DEDUPE-COMMIT-DIFFERS",
    around: onRoute(submit, (world, call, perform) => {
      const job = inFlight(world, call, "here");
      return pretending(repoOf(world, call), job ? { head_commit: job.commit } : {}, () => perform(world, call));
    }),
  },
  {
    name: "starts identical work for a new Idempotency-Key",
    breaks: "IDEMPOTENCY-OTHER-KEY",
    around: onRoute(submit, (world, call, perform) => {
      const isKnown = Object.keys(world.submissions).some((seen) => seen.endsWith(` ${call.idempotencyKey}`));
      if (call.idempotencyKey === undefined || isKnown) return perform(world, call);
      return pretending(repoOf(world, call), { head_commit: `moved ${moves++} times` }, () => perform(world, call));
    }),
  },
  ...[
    ["plan", "revalidate", "workflow_not_entitled"],
    ["credit", "standard_audit", "insufficient_credit"],
    ["beta", "task", "feature_not_enabled"],
    ["scope", "audit", "insufficient_scope"],
    ["params", "standard_audit", "invalid_payload"],
  ].map(
    ([why, workflow, code]): Mutant => ({
      name: `refuses for the ${why} and leaves a job behind`,
      breaks: "JOB-SUBMIT-ONLY-201",
      around: leaving(workflow as WorkflowName, ({ rule }) => rule.code === code),
    }),
  ),
  {
    name: "ignores params that a workflow does not take",
    breaks: "JOB-SUBMIT-PARAMS-INVALID",
    around: reading(({ params, ...body }) => {
      const { no_such_parameter: _, ...rest } = Object(params);
      return { ...body, params: rest };
    }),
  },
  {
    name: "calls params that do not fit a bad request",
    breaks: "JOB-SUBMIT-PARAMS-INVALID",
    around: unfitting({ code: "bad_request" }),
  },
  { name: "says nothing of params that do not fit", breaks: "JOB-SUBMIT-PARAMS-MESSAGE", around: unfitting({ message: "" }) },
  {
    name: "lists params that do not fit as fields",
    breaks: "JOB-SUBMIT-PARAMS-NOERRORS",
    around: unfitting({ errors: [{ loc: ["params"], msg: "does not fit" }] }),
  },
];

/** Reads the body of a submission otherwise. */
function reading(read: (body: Shown) => Shown): Around {
  return onRoute(submit, (world, call, perform) =>
    perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call)) } }),
  );
}

function refusedFor(code: string, change: (reply: Reply) => Reply): Around {
  return answering(submit, (reply) => (reply.rule.code === code ? change(reply) : reply));
}

/** Refuses params that the workflow rejects with another error. */
function unfitting(error: Shown): Around {
  const isSemantic = ({ rule }: Reply) => rule.code === "invalid_payload" && rule.gate === "operation";
  return answering(submit, (reply) => (isSemantic(reply) ? withError(reply, error) : reply));
}

/** Leaves a job behind a submission that starts none; of the workflow asked for, where none is named. */
function leaving(workflow: WorkflowName | undefined, isMeant: (reply: Reply, call: IncomingCall) => boolean): Around {
  return answering(submit, (reply, world, call) => {
    const repo = repoOf(world, call);
    if (!repo || !isMeant(reply, call)) return reply;
    createJob(world, { repo, workflow: workflow ?? (bodyOf(call).workflow as WorkflowName), params: {} });
    return reply;
  });
}

/** A job in flight of the workflow and params of a submission, on the same repository or on another of the workspace. */
function inFlight(world: World, call: IncomingCall, where: "here" | "elsewhere"): Job | undefined {
  const repo = repoOf(world, call);
  const { workflow, params } = bodyOf(call);
  return Object.values(world.jobs).find(
    (job) =>
      job.workspace === repo?.workspace &&
      (job.repo === repo.id) === (where === "here") &&
      job.workflow === workflow &&
      JSON.stringify(job.params) === JSON.stringify(params) &&
      job.finished_at === null,
  );
}
