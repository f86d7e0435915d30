import type { IncomingCall } from "../../src/service/call.js";
import type { Job, World } from "../../src/service/world/world.js";
import { changing, each, onTool } from "./family.js";
import { turned } from "./job-values.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  onRoute,
  repoOf,
  routeOf,
  type Shown,
  withBody,
  withQuery,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const list = "GET /api/repos/{owner}/{repo}/{branch}/jobs";

let different = 0;

/** Faults in submissions of one workflow, or beside work of one status. */
export const submissionValueMutants: Mutant[] = [
  ...each("JOB-STATE-INITIAL", "submitted workflow", "answers that it runs already: *", (workflow) =>
    onSubmitted(workflow, 201, (job) => ({ ...job, status: "running" })),
  ),
  ...each("JOB-SUBMIT-RESPONSE", "submitted workflow", "answers another workflow than was submitted: *", (workflow) =>
    onSubmitted(workflow, 201, (job) => ({ ...job, workflow: "discover" })),
  ),
  ...each("JOB-SUBMIT-RESPONSE", "job answer status", "names no repository of a submitted job where it answers *", (status) =>
    answering(submit, (reply) => {
      const { repo_name: _, ...job } = reply.body as Shown;
      return String(reply.status) === status ? { ...reply, body: job } : reply;
    }),
  ),
  ...each("JOB-SUBMIT-CREATED", "submitted workflow", "answers 200 to a fresh submission of *", (workflow) =>
    changing(
      (reply, call) => reply.status === 201 && isSubmission(call, workflow),
      (reply) => ({ ...reply, status: 200 }),
    ),
  ),
  ...each("JOB-LIST-REPO-WORKFLOW", "submitted workflow", "lists jobs of every workflow for *", (workflow) =>
    onRoute(list, (world, call, perform) =>
      perform(world, call.query.workflow?.[0] === workflow ? withQuery(call, { workflow: undefined }) : call),
    ),
  ),
  ...each("DEDUPE-INFLIGHT", "submitted workflow", "starts identical work beside work in flight: *", (workflow) =>
    notTwins((call) => bodyOf(call).workflow === workflow && !call.query.force),
  ),
  ...each("DEDUPE-INFLIGHT", "in-flight status", "starts identical work beside work that is *", (status) =>
    notTwins((call, world) => twinOf(world, call)?.status === status && !call.query.force),
  ),
  ...each("JOB-SUBMIT-FORCE-INFLIGHT", "in-flight status", "starts by force what is *", (status) =>
    notTwins((call, world) => twinOf(world, call)?.status === status && call.query.force !== undefined),
  ),
  ...each(
    "IDEMPOTENCY-ENDED",
    "retryable status",
    "forgets an Idempotency-Key when its job is *",
    (status) => (world, call, perform) => {
      for (const [key, { job }] of Object.entries(world.submissions)) {
        if (world.jobs[job]?.status === status) delete world.submissions[key];
      }
      return perform(world, call);
    },
  ),
  ...each("MCP-TOOL-SUBMIT", "submitted workflow", "submits no * by tool", {
    mcp: (workflow) =>
      onTool("submit_job", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.workflow === workflow ? { ...call, arguments: { ...call.arguments, repo: "none" } } : call,
        ),
      ),
  }),
  ...each("MCP-TOOL-SUBMIT", "submitted workflow", "submits by tool something else than *", {
    mcp: (workflow) =>
      onTool("submit_job", (world, call, performTool) => {
        const reply = performTool(world, call);
        if (call.arguments.workflow === workflow) turned(world, { ...reply, status: 201 }, workflow);
        return reply;
      }),
  }),
];

function isSubmission(call: IncomingCall, workflow: string): boolean {
  return routeOf(call) === submit && bodyOf(call).workflow === workflow;
}

function onSubmitted(workflow: string, status: number, change: (job: Shown) => Shown): Around {
  return changing(
    (reply, call) => reply.status === status && isSubmission(call, workflow),
    (reply) => ({ ...reply, body: change(reply.body as Shown) }),
  );
}

/** Gives some submissions params that no other has, so that they have no twin. */
function notTwins(isMeant: (call: IncomingCall, world: World) => boolean): Around {
  return onRoute(submit, (world, call, perform) => {
    const isFresh = call.idempotencyKey === undefined && isMeant(call, world);
    return perform(world, isFresh ? withBody(call, { params: { paths: [`different-${different++}`] } }) : call);
  });
}

/** A job in flight of the workflow and params of a submission, on the same repository. */
export function twinOf(world: World, call: IncomingCall): Job | undefined {
  const repo = routeOf(call) === submit ? repoOf(world, call) : undefined;
  const { workflow, params = {} } = bodyOf(call);
  return Object.values(world.jobs).find(
    (job) =>
      job.repo === repo?.id &&
      job.workflow === workflow &&
      JSON.stringify(job.params) === JSON.stringify(params) &&
      job.finished_at === null,
  );
}
