import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, RouteName } from "../../src/contract/types.js";
import { createJob, isInFlight } from "../../src/service/jobs/jobs.js";
import { changeObservation, type ObservationFields } from "../../src/service/observations/observations.js";
import { removeRepo } from "../../src/service/repositories/repos.js";
import type { Key, Observation, World } from "../../src/service/world/world.js";
import { wrapTool } from "./family.js";
import {
  acknowledgeRoute,
  cancelRoute,
  changeKeyRoute,
  completeRoute,
  deleteRepoRoute,
  dismissRoute,
  fixRoute,
  forecastRoute,
  observationRoute,
  registerRoute,
  reopenRoute,
  retryRoute,
  submitRoute,
  ticketRoute,
} from "./helpers/routes.js";
import { type Fault, getKey, type Mutant, param, wrapRoute } from "./mutant.js";

/** A further effect of a request in a workspace. `named` are the ids in the request. */
type Further = (world: World, workspace: string, named: readonly unknown[]) => void;

/** The answers with which the further effect comes. */
type When = (status: number) => boolean;

const accepted: When = (status) => status < 300;

/** Changes the newest open observation that the request does not name. */
function changeAnother(change: (row: Observation) => ObservationFields): Further {
  return (world, workspace, named) => {
    const row = listOpenObservations(world, workspace).findLast(({ ref }) => !named.includes(ref));
    if (row) changeObservation(world, row, change(row));
  };
}

/** Changes the observation that the request names. */
function changeNamed(change: (row: Observation, world: World) => ObservationFields): Further {
  return (world, _, named) => {
    for (const ref of named) {
      const row = world.observations[String(ref)];
      if (row) changeObservation(world, row, change(row, world));
    }
  };
}

function listOpenObservations({ observations, repos }: World, workspace: string): Observation[] {
  return Object.values(observations).filter(
    (row) => row.workspace === workspace && row.status === "new" && !row.fix_pr && !repos[row.repo]?.deleted_at,
  );
}

const otherPriority = ({ priority }: Observation) => ({ priority: priority === "P1" ? ("P2" as const) : ("P1" as const) });
const acknowledgesAnother: Further = (world, workspace, named) => {
  const row = listOpenObservations(world, workspace).findLast(
    ({ ref, acknowledged_at }) => !named.includes(ref) && !acknowledged_at,
  );
  if (row) changeObservation(world, row, { acknowledged_at: world.now });
};
const closesAnother: Further = (world, workspace, named) =>
  changeAnother(() => ({ status: "closed", close_reason: "completed", resolved_at: world.now }))(world, workspace, named);
const reopensAnother: Further = (world, workspace, named) => {
  const row = Object.values(world.observations).findLast(
    (observation) =>
      observation.workspace === workspace &&
      observation.status === "closed" &&
      !named.includes(observation.ref) &&
      !observation.fix_pr,
  );
  if (row) changeObservation(world, row, { status: "new", close_reason: null });
};
const cancelsAnother: Further = ({ jobs }, workspace, named) => {
  const job = Object.values(jobs).find((one) => one.workspace === workspace && isInFlight(one) && !named.includes(one.id));
  if (job) job.status = "cancelled";
};
const startsJob: Further = (world, workspace) => {
  const repo = Object.values(world.repos).find((one) => one.workspace === workspace && !one.deleted_at);
  if (repo) createJob(world, { repo, workflow: "review", params: {} });
};
const cancelsPendingOfRepository: Further = ({ jobs }, _, named) => {
  const repo = Object.values(jobs).find(({ id }) => named.includes(id))?.repo;
  const job = Object.values(jobs).find((one) => one.repo === repo && one.status === "pending" && !named.includes(one.id));
  if (job) job.status = "cancelled";
};
const closesTwins: Further = (world, workspace, named) => {
  const row = Object.values(world.observations).find(({ ref }) => named.includes(ref));
  for (const twin of listOpenObservations(world, workspace))
    if (row && twin !== row && twin.repo === row.repo && twin.title === row.title)
      changeObservation(world, twin, { status: "closed", close_reason: row.close_reason, resolved_at: world.now });
};
const removesRepository: Further = (world, workspace) => {
  const repo = Object.values(world.repos).find((one) => one.workspace === workspace && !one.deleted_at);
  if (repo) removeRepo(world, repo);
};
/** Does the same in every other workspace. */
function inOtherWorkspace(further: Further): Further {
  return (world, workspace, named) => {
    for (const id of Object.keys(world.workspaces)) if (id !== workspace) further(world, id, named);
  };
}

/** A route that does more than it should. */
function byRoute(name: string, breaks: ClauseId, route: RouteName, further: Further, when = accepted): Mutant {
  return {
    name: `${name} beside the requested effect`,
    breaks,
    around: wrapRoute(route, (world, call, perform) => {
      const workspace = getKey(world, call)?.workspace;
      const response = perform(world, call);
      const named = [param(call, "ref"), param(call, "job_id")];
      if (workspace !== undefined && when(response.status)) further(world, workspace, named);
      return response;
    }),
  };
}

/** A tool that does more than it should. */
function byTool(name: string, breaks: ClauseId, purpose: ToolPurpose, further: Further, when = accepted): Mutant {
  const fault: Fault = wrapTool(purpose, (world, call, performTool) => {
    const response = performTool(world, call);
    if (when(response.status)) further(world, call.caller.workspace.id, Object.values(call.arguments));
    return response;
  });
  return { name: `${name} beside the requested effect`, breaks, ...fault };
}

/** A PATCH that also changes ceilings which it does not name. */
function byPatch(name: string, change: (world: World, patchedKey: Key) => void): Mutant {
  return {
    name: `${name} beside the requested effect`,
    breaks: "KEY-PATCH-LOWER",
    around: wrapRoute(changeKeyRoute, (world, call, perform) => {
      const response = perform(world, call);
      const key = world.keys[param(call, "key_id")];
      if (key && response.status < 300) change(world, key);
      return response;
    }),
  };
}

/** Mutants whose requests also change something else. */
export const furtherEffectMutants: Mutant[] = [
  byRoute(
    "changes the priority of another observation with a dismissal",
    "OBS-DISMISS-CLOSES",
    dismissRoute,
    changeAnother(otherPriority),
  ),
  byRoute("changes the priority of the acknowledged observation", "OBS-ACK-STAMPS", acknowledgeRoute, changeNamed(otherPriority)),
  byRoute(
    "acknowledges the completed observation",
    "OBS-COMPLETE-CLOSES",
    completeRoute,
    changeNamed((_, { now }) => ({ acknowledged_at: now })),
  ),
  byRoute(
    "rewrites the title of the dismissed observation",
    "OBS-DISMISS-CLOSES",
    dismissRoute,
    changeNamed(({ title }) => ({ title: `${title} (dismissed)` })),
  ),
  byRoute(
    "replaces the description of the completed observation",
    "OBS-COMPLETE-CLOSES",
    completeRoute,
    changeNamed(() => ({ description: "Done." })),
  ),
  byRoute("acknowledges another observation with a completion", "OBS-COMPLETE-CLOSES", completeRoute, acknowledgesAnother),
  byRoute("removes a repository with a cancellation", "JOB-CANCEL-PENDING", cancelRoute, removesRepository),
  byRoute("cancels another job with a retry", "JOB-RETRY-NEW", retryRoute, cancelsAnother),
  byRoute("cancels a pending job of the repository with a retry", "JOB-RETRY-NEW", retryRoute, cancelsPendingOfRepository),
  byTool(
    "cancels a pending job of the repository with a retry by the tool",
    "MCP-TOOL-RETRY",
    "retry_job",
    cancelsPendingOfRepository,
  ),
  byRoute("closes observations of the same title with a dismissal", "OBS-DISMISS-CLOSES", dismissRoute, closesTwins),
  byRoute("closes observations of the same title with a completion", "OBS-COMPLETE-CLOSES", completeRoute, closesTwins),
  byRoute("starts a review with a reopening", "OBS-REOPEN-OPENS", reopenRoute, startsJob),
  byRoute("reopens another observation with a fix", "OBS-FIX-MAKES-JOB", fixRoute, reopensAnother),
  byRoute("closes another observation with a ticket", "OBS-TICKET-ROUTE", ticketRoute, closesAnother),
  byRoute("cancels another job with a registration", "REPO-REGISTER-ROUTE", registerRoute, cancelsAnother),
  byRoute("removes another repository with a deletion", "REPO-DELETE-ROUTE", deleteRepoRoute, removesRepository),
  byRoute("acknowledges an observation with a submission", "JOB-STATE-INITIAL", submitRoute, acknowledgesAnother),
  byRoute(
    "closes an observation of other workspaces with a dismissal",
    "KEY-WORKSPACE",
    dismissRoute,
    inOtherWorkspace(closesAnother),
  ),
  byRoute(
    "removes a repository of other workspaces with a cancellation",
    "KEY-WORKSPACE",
    cancelRoute,
    inOtherWorkspace(removesRepository),
  ),
  byRoute(
    "acknowledges another observation when its detail is read",
    "OBS-FIELD-ACK-NULL",
    observationRoute,
    acknowledgesAnother,
  ),
  byRoute("starts a review when a forecast is read", "JOB-SUBMIT-ONLY-201", forecastRoute, startsJob),
  byRoute(
    "acknowledges another observation when it refuses a dismissal",
    "OBS-DISMISS-BOTH-REQUIRED",
    dismissRoute,
    acknowledgesAnother,
    (status) => status === 422,
  ),
  byRoute(
    "closes another observation when it refuses a reopening",
    "OBS-REOPEN-REASON-REQUIRED",
    reopenRoute,
    closesAnother,
    (status) => status === 422,
  ),
  {
    name: "closes another observation when it refuses a revoked key beside the requested effect",
    breaks: "KEY-STATE-REVOKED",
    around: wrapRoute(acknowledgeRoute, (world, call, perform) => {
      const key = getKey(world, call);
      if (key?.revoked_at) closesAnother(world, key.workspace, [param(call, "ref")]);
      return perform(world, call);
    }),
  },
  byRoute(
    "removes a repository when it refuses a registration",
    "REPO-REGISTER-REFUSED-UNLISTED",
    registerRoute,
    removesRepository,
    (status) => status === 422,
  ),
  byRoute(
    "cancels another job when it refuses to cancel an ended one",
    "JOB-CANCEL-FINISHED",
    cancelRoute,
    cancelsAnother,
    (status) => status === 409,
  ),
  byTool(
    "changes the priority of another observation with a dismissal by the tool",
    "MCP-TOOL-DISMISS",
    "dismiss_observation",
    changeAnother(otherPriority),
  ),
  byTool("acknowledges an observation when guidance is set", "MCP-TOOL-GUIDANCE", "set_guidance", acknowledgesAnother),
  byTool("closes an observation when a doc read is recorded", "MCP-TOOL-DOCREAD", "record_doc_read", closesAnother),
  byTool("starts a review when a job is retried by the tool", "MCP-TOOL-RETRY", "retry_job", startsJob),
  byTool(
    "changes the priority of an observation when jobs are listed",
    "MCP-TOOL-READ-PURE",
    "list_jobs",
    changeAnother(otherPriority),
  ),
  byTool("removes a repository when an observation is explained", "MCP-TOOL-READ-PURE", "explain_observation", removesRepository),
  byTool(
    "closes another observation when the scope is missing",
    "MCP-SCOPE-REFUSED",
    "acknowledge_observation",
    closesAnother,
    (status) => status === 403,
  ),
  {
    name: "starts a review when an argument is undeclared beside the requested effect",
    breaks: "MCP-ARG-EFFECT",
    ...wrapTool("set_learn_mode", (world, call, performTool) => {
      const response = performTool(world, call);
      if ("no_such_argument" in call.arguments) startsJob(world, call.caller.workspace.id, []);
      return response;
    }),
  },
  byPatch("sets the ceilings of other keys too with a PATCH", ({ keys }, patchedKey) => {
    for (const key of Object.values(keys))
      if (key.requests_per_minute !== null) key.requests_per_minute = patchedKey.requests_per_minute;
  }),
  byPatch("raises dollars_per_hour with a PATCH of requests_per_minute", (_, key) => {
    if (key.dollars_per_hour !== null) key.dollars_per_hour *= 10;
  }),
];
