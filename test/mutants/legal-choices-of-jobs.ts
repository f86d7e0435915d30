import { type Disguised, disguised, getJob, hideJobsAfterReset, isCancelled, refuse } from "./helpers/legal-choices.js";
import { repoJobsRoute, retryRoute, submitRoute } from "./helpers/routes.js";
import { reportOtherResult } from "./helpers/tools.js";
import { changeResponses, getBody, getKey, param, withRows, wrapRoute } from "./mutant.js";

/** Mutants each of which looks like a legal choice about jobs where the contract leaves none. */
export const legalJobChoiceMutants: Disguised[] = [
  disguised(
    "a reset removes the jobs in flight",
    "REPO-RESET-ROUTE",
    "answers 404 for every job in flight once any repository was reset instead of showing it",
    hideJobsAfterReset(),
  ),
  disguised(
    "the server returns an existing job and starts none",
    "DEDUPE-REPO-DIFFERS",
    "answers a submission with the job in flight of another branch instead of starting one",
    wrapRoute(submitRoute, (world, call, perform) => {
      const { workflow } = getBody(call);
      const workspace = getKey(world, call)?.workspace;
      const other = Object.values(world.jobs).find(
        (job) =>
          job.workspace === workspace &&
          job.workflow === workflow &&
          !job.finished_at &&
          world.repos[job.repo]?.repo === param(call, "repo") &&
          world.repos[job.repo]?.branch !== param(call, "branch"),
      );
      if (!other) return perform(world, call);
      return perform(world, {
        ...call,
        body: { kind: "none" },
        query: {},
        target: { route: "GET /api/jobs/{job_id}", params: { job_id: other.id } },
      });
    }),
  ),
  disguised(
    "the spend of the hour has not reached the ceiling",
    "SPEND-RETRY",
    "counts no retry of a cancelled job to the hour's spend instead of each",
    wrapRoute(retryRoute, (world, call, perform) => {
      const { spend } = world;
      const isMeant = isCancelled(world, call);
      if (isMeant) world.spend = {};
      const response = perform(world, call);
      if (isMeant) world.spend = spend;
      return response;
    }),
  ),
  {
    looksLike: "the tool shows its result in another form than the check reads",
    ...reportOtherResult("answers a forecast without figures instead of with them", "MCP-TOOL-FORECAST", "forecast", () => ({
      forecast: "There is one.",
    })),
  },
  disguised(
    "the job is in another state by then",
    "JOB-RETRY-AGAIN",
    "refuses a second retry of a failed job as a conflict instead of starting it",
    refuse(
      retryRoute,
      (world, call) => {
        const earlier = world.jobs[getJob(world, call)?.retried_by ?? ""];
        return earlier?.finished_at != null;
      },
      409,
      { type: "conflict", code: "job_not_retryable" },
    ),
  ),
  disguised(
    "the list has too few jobs, or the job is in another state than the check needs",
    "JOB-LIST-REPO-ROUTE",
    "leaves cancelled jobs out of a repository's list instead of listing them",
    changeResponses(repoJobsRoute, (response, world) =>
      withRows(response, (rows: { id: string }[]) => rows.filter(({ id }) => world.jobs[id]?.status !== "cancelled")),
    ),
  ),
];
