import type { Job } from "../../src/service/world/world.js";
import { each } from "./family.js";
import {
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  param,
  routeOf,
  showing,
  telling,
  withBody,
  withQuery,
  withRows,
} from "./mutant.js";

const get = "GET /api/jobs/{job_id}";
const repoList = "GET /api/repos/{owner}/{repo}/{branch}/jobs";
const list = "GET /api/jobs";
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const cancel = "POST /api/jobs/{job_id}/cancel";

/** Faults in what is said of jobs. */
export const jobMutants: Mutant[] = [
  {
    name: "tells what a job runs as an object",
    breaks: "JOB-FIELD-TYPES",
    around: showing(get, ({ workflow, ...job }) => ({ ...job, workflow: { name: workflow } })),
  },
  {
    name: "names the repository of a job by its path",
    breaks: "JOB-FIELD-REPO-NAME",
    around: showing(get, (job, { jobs, repos }) => {
      const { owner, repo, branch } = repos[(jobs[String(job.id)] as Job).repo]!;
      return { ...job, repo_name: `${owner}/${repo}/${branch}` };
    }),
  },
  {
    name: "tells no fix PR of a job by tool",
    breaks: "JOB-FIELD-MCP-PR",
    aroundTool: telling("job_status", (job) => ({ ...job, fix_pr_url: null })),
  },
  {
    name: "lists the jobs of all repositories under each",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: onRoute(repoList, (world, call, perform) => perform(world, { ...call, target: { route: list, params: {} } })),
  },
  {
    name: "leaves pending jobs out of the list of a repository",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: answering(repoList, (reply) => withRows<Job>(reply, (jobs) => jobs.filter(({ status }) => status !== "pending"))),
  },
  {
    name: "lists the jobs of one repository for those of the workspace",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    around: answering(list, (reply) =>
      withRows<Job>(reply, (jobs) => jobs.filter(({ repo_name }) => repo_name === jobs[0]?.repo_name)),
    ),
  },
  {
    name: "says cancelled of a pending job and lets it run",
    breaks: "JOB-CANCEL-PENDING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      const before = job && { ...job };
      const reply = perform(world, call);
      if (routeOf(call) === cancel && before?.status === "pending") Object.assign(job!, before);
      return reply;
    },
  },
  {
    name: "refuses to cancel a running job",
    breaks: "JOB-CANCEL-RUNNING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) !== cancel || job?.status !== "running") return perform(world, call);
      return perform(world, { ...call, target: { route: cancel, params: { job_id: "gone" } } });
    },
  },
  {
    name: "enqueues again when an Idempotency-Key is repeated",
    breaks: "IDEMPOTENCY-MATCH",
    around: (world, call, perform) => perform(world, { ...call, idempotencyKey: undefined }),
  },
  {
    name: "forgets an Idempotency-Key after an hour",
    breaks: "IDEMPOTENCY-WINDOW",
    around(world, call, perform) {
      for (const [key, seen] of Object.entries(world.submissions)) {
        if (world.now > seen.at + 3_600_000) delete world.submissions[key];
      }
      return perform(world, call);
    },
  },
  {
    name: "keeps an Idempotency-Key for ever",
    breaks: "IDEMPOTENCY-EXPIRED",
    around(world, call, perform) {
      for (const seen of Object.values(world.submissions)) seen.at = world.now;
      return perform(world, call);
    },
  },
  {
    name: "keeps an Idempotency-Key for a day from the end of its job",
    breaks: "IDEMPOTENCY-EXPIRED",
    around(world, call, perform) {
      for (const seen of Object.values(world.submissions)) seen.at = world.jobs[seen.job]?.finished_at ?? seen.at;
      return perform(world, call);
    },
  },
  {
    name: "ignores force",
    breaks: "JOB-SUBMIT-FORCE",
    around: (world, call, perform) => perform(world, withQuery(call, { force: undefined })),
  },
  {
    name: "starts work again that has just completed",
    breaks: "DEDUPE-COMPLETED",
    around: (world, call, perform) => perform(world, routeOf(call) === submit ? withQuery(call, { force: "true" }) : call),
  },
  ...each("WORKFLOW-MINI-RETIRED", "plan", "takes the retired mini_audit for an audit in a * workspace", {
    rest: (plan) =>
      onRoute(submit, (world, call, perform) => {
        const isMeant = world.workspaces[keyOf(world, call)?.workspace ?? ""]?.plan === plan;
        return perform(world, isMeant && bodyOf(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call);
      }),
  }),
];
