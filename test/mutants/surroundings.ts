import type { IncomingCall } from "../../src/service/call.js";
import { drawSpend } from "../../src/service/limits/spend.js";
import type { Key, Repo, Workspace, World } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import {
  type Around,
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  param,
  pretending,
  repoOf,
  routeOf,
  type Shown,
  showing,
  withArguments,
  withBody,
  withParams,
  withRows,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const cancel = "POST /api/jobs/{job_id}/cancel";
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";
const register = "POST /api/repos";
const parts = ["owner", "repo", "branch"] as const;

const activeAgain = new WeakSet<Workspace>();
const madeByTool = new Set<string>();
const submitters = new Map<string, string | undefined>();

/** Faults that show only beside something else: a namesake, a second suspension, work of others, another surface, one more parameter. */
export const surroundingMutants: Mutant[] = [
  ...each("ADDR-REPO-PATH", "namesake", "resets with a repository one that differs in its * alone", (part) =>
    answering(reset, (reply, world, call) => {
      const repo = repoOf(world, call);
      const others = Object.values(world.repos).filter((row) => isBeside(row, repo, part));
      for (const [id, job] of Object.entries(world.jobs))
        if (job.finished_at !== null && others.some((other) => other.id === job.repo)) delete world.jobs[id];
      return reply;
    }),
  ),
  {
    name: "starts no discovery while another is under way",
    breaks: "REPO-REGISTER-DISCOVERS",
    around: undiscovering(
      ({ jobs, agenda }) =>
        agenda.some(({ event }) => event === "enqueue-discovery") ||
        Object.values(jobs).some((job) => job.workflow === "discover" && job.finished_at === null),
    ),
  },
  {
    name: "starts no discovery of a second branch",
    breaks: "REPO-REGISTER-DISCOVERS",
    around: undiscovering(({ repos }, { owner, repo }) =>
      Object.values(repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at === null),
    ),
  },
  {
    name: "starts no discovery of what the tool registers",
    breaks: "MCP-TOOL-REGISTER",
    ...onTool("register_repository", (world, call, performTool) => {
      const reply = performTool(world, call);
      forgetDiscoveries(world);
      return reply;
    }),
  },
  {
    name: "registers by the tool as installed whatever the mode",
    breaks: "REPO-REGISTER-NOTPUBLIC",
    ...onTool("register_repository", (world, call, performTool) => {
      const { access_mode: _, ...given } = call.arguments;
      return performTool(world, withArguments(call, given));
    }),
  },
  {
    name: "fixes by the tool what lies in a workflow file",
    breaks: "ERR-CODE-WORKFLOW-FILE",
    ...onTool("submit_fix", (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      if (!observation) return performTool(world, call);
      const { locations } = observation;
      observation.locations = [];
      const reply = performTool(world, call);
      observation.locations = locations;
      return reply;
    }),
  },
  {
    name: "suspends a workspace the first time alone",
    breaks: "WORKSPACE-SUSPEND-401",
    around: (world, call, perform) => {
      const { workspace, suspendedBefore } = historyOf(world, keyOf(world, call));
      return suspendedBefore ? pretending(workspace, { state: "active" }, () => perform(world, call)) : perform(world, call);
    },
  },
  {
    name: "brings back the revoked keys of a workspace that was suspended",
    breaks: "KEY-STATE-REVOKED",
    around: afterSuspension((key) => ({ revoked_at: key.name === "revoked" ? null : key.revoked_at })),
  },
  {
    name: "frees the keys of a workspace that was suspended from their dollars",
    breaks: "WORKSPACE-REACTIVATE",
    around: afterSuspension(() => ({ dollars_per_hour: null })),
  },
  {
    name: "draws on the hour for what is answered with a job that was there",
    breaks: "JOB-SUBMIT-ONLY-201",
    around: drawing((status) => status === 200),
  },
  {
    name: "draws on the hour for a submission that is refused",
    breaks: "SPEND-SUBMIT",
    around: drawing((status) => status === 422 || status === 403),
  },
  {
    name: "begins the hour anew with each refusal",
    breaks: "RETRY-AFTER-HELPS",
    around: (world, call, perform) => {
      const reply = perform(world, call);
      const window = world.spend[keyOf(world, call)?.id ?? ""];
      const { code } = (reply.body as { error?: { code?: string } } | undefined)?.error ?? {};
      if (window && code === "rate_limit_budget") window.since = world.now;
      return reply;
    },
  },
  {
    name: "tells params apart by their names alone",
    breaks: "DEDUPE-PARAMS-DIFFER",
    around: onRoute(submit, (world, call, perform) => {
      const { workflow, params } = bodyOf(call) as { workflow: string; params?: object };
      const names = Object.entries(params ?? {}).map(([name, value]) => [name, Array.isArray(value) ? ["any"] : value]);
      return perform(world, workflow === "standard_audit" ? withBody(call, { params: Object.fromEntries(names) }) : call);
    }),
  },
  {
    name: "lets a job be cancelled by the key that submitted it alone",
    breaks: "JOB-CANCEL-PENDING",
    around: (world, call, perform) => {
      const reply = perform(
        world,
        routeOf(call) === cancel && isOfAnother(world, call) ? withParams(call, { job_id: "none" }) : call,
      );
      const { id } = (reply.body ?? {}) as { id?: string };
      if (routeOf(call) === submit && reply.status === 201 && id) submitters.set(id, keyOf(world, call)?.id);
      return reply;
    },
  },
  {
    name: "drops the params of a job that the tool submits",
    breaks: "DEDUPE-PARAMS-DIFFER",
    ...onTool("submit_job", (world, call, performTool) => {
      const { workflow, params } = call.arguments;
      return performTool(
        world,
        workflow === "standard_audit" && params ? withArguments(call, { ...call.arguments, params: {} }) : call,
      );
    }),
  },
  {
    name: "lists jobs of one status by the tool with the oldest first",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...onTool("list_jobs", (world, call, performTool) => {
      const reply = performTool(world, call);
      return call.arguments.status ? withRows<Shown>(reply, (rows) => rows.toReversed()) : reply;
    }),
  },
  {
    name: "lists what retries a job by the tool as the oldest",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...onTool("list_jobs", (world, call, performTool) =>
      withRows<Shown>(performTool(world, call), (rows) => {
        const isRetry = ({ id }: Shown) => Boolean(world.jobs[String(id)]?.retry_of);
        return [...rows.filter((row) => !isRetry(row)), ...rows.filter(isRetry)];
      }),
    ),
  },
  {
    name: "lists jobs of one status by the tool for every workspace",
    breaks: "KEY-WORKSPACE-LIST",
    ...onTool("list_jobs", (world, call, performTool) => {
      const reply = performTool(world, call);
      const others = Object.values(world.jobs).filter(
        ({ workspace, status }) => workspace !== call.caller.workspace.id && status === call.arguments.status,
      );
      return withRows<Shown>(reply, (rows) => [
        ...rows,
        ...others.map(({ id, workflow, repo_name }) => ({ id, workflow, repo_name })),
      ]);
    }),
  },
  {
    name: "finds by the tool what is of another workspace",
    breaks: "KEY-WORKSPACE-LIST",
    ...onTool("list_observations", (world, call, performTool) => {
      const { search } = call.arguments;
      const others = Object.values(world.observations).filter(
        ({ workspace, title }) => workspace !== call.caller.workspace.id && title.includes(String(search)),
      );
      return withRows<Shown>(performTool(world, call), (rows) => [...rows, ...others.map(({ ref, title }) => ({ ref, title }))]);
    }),
  },
  {
    name: "lists no job of the tool among those of the workspace",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    ...onTool("submit_job", (world, call, performTool) => {
      const before = new Set(Object.keys(world.jobs));
      const reply = performTool(world, call);
      for (const id of Object.keys(world.jobs)) if (!before.has(id)) madeByTool.add(id);
      return reply;
    }),
    around: answering("GET /api/jobs", (reply) =>
      withRows<Shown>(reply, (rows) => rows.filter(({ id }) => !madeByTool.has(String(id)))),
    ),
  },
  {
    name: "is not confident of a forecast without runs",
    breaks: "FORECAST-CONFIDENCE",
    around: showing("GET /api/forecasts/lookup", (shown) => (shown.sample_size === 0 ? { ...shown, confidence: null } : shown)),
  },
  {
    name: "takes by force what the plan leaves out",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: forced((workspace, perform) => pretending(workspace, { plan: "paid" }, perform)),
  },
  {
    name: "takes by force a beta that is not enabled",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: forced((workspace, perform) => pretending(workspace, { features: ["suggest"] }, perform)),
  },
];

function isOfAnother(world: World, call: IncomingCall): boolean {
  const id = param(call, "job_id");
  return submitters.has(id) && submitters.get(id) !== keyOf(world, call)?.id;
}

function isBeside(row: Repo, repo: Repo | undefined, part: string): boolean {
  return row.workspace === repo?.workspace && parts.every((name) => (row[name] === repo[name]) === (name !== part));
}

function undiscovering(isMeant: (world: World, body: Record<string, unknown>) => boolean): Around {
  return onRoute(register, (world, call, perform) => {
    const meant = isMeant(world, bodyOf(call));
    const reply = perform(world, call);
    if (meant) forgetDiscoveries(world, Object.keys(world.repos).at(-1));
    return reply;
  });
}

/** Strikes discoveries that are to come off the agenda: of one repository, or of all. */
function forgetDiscoveries(world: World, id?: string): void {
  world.agenda = world.agenda.filter((due) => due.event !== "enqueue-discovery" || (id !== undefined && due.repo !== id));
}

/** The workspace of a key, and whether it is suspended after having been active again. */
function historyOf(world: World, key: Key | undefined): { workspace: Workspace | undefined; suspendedBefore: boolean } {
  for (const workspace of Object.values(world.workspaces))
    if (workspace.state === "suspended") suspended.add(workspace);
    else if (suspended.has(workspace)) activeAgain.add(workspace);
  const workspace = world.workspaces[key?.workspace ?? ""];
  return { workspace, suspendedBefore: workspace?.state === "suspended" && activeAgain.has(workspace) };
}

const suspended = new WeakSet<Workspace>();

/** Every key of a workspace that was suspended and is active again has other fields. */
function afterSuspension(change: (key: Key) => Partial<Key>): Around {
  return (world, call, perform) => {
    const key = keyOf(world, call);
    const { workspace } = historyOf(world, key);
    const isMeant = key && workspace?.state === "active" && activeAgain.has(workspace);
    return isMeant ? pretending(key, change(key), () => perform(world, call)) : perform(world, call);
  };
}

/** Draws what a run costs for submissions that end with some status. */
function drawing(isMeant: (status: number) => boolean): Around {
  return answering(submit, (reply, world, call) => {
    const key = keyOf(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    const caller = key && workspace && { workspace, key, session: null, scopes: new Set(key.scopes) };
    if (caller && isMeant(reply.status)) drawSpend(world, caller, world.runs.standard_audit.cost_usd);
    return reply;
  });
}

function forced(perform: (workspace: Workspace | undefined, answer: () => ReturnType<Around>) => ReturnType<Around>): Around {
  return onRoute(submit, (world, call, answer) => {
    const workspace = world.workspaces[keyOf(world, call)?.workspace ?? ""];
    return call.query.force ? perform(workspace, () => answer(world, call)) : answer(world, call);
  });
}
