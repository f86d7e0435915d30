import type { WorkflowName } from "../../src/contract/types.js";
import { forecast } from "../../src/service/jobs/forecasts.js";
import { schedule } from "../../src/service/world/agenda.js";
import type { Repo, World } from "../../src/service/world/world.js";
import {
  type Around,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  pretending,
  repoOf,
  routeOf,
  sessionOf,
  withBody,
  withError,
  withRows,
} from "./mutant.js";

const list = "GET /api/repos";
const register = "POST /api/repos";
const remove = "DELETE /api/repos/{owner}/{repo}/{branch}";

/** Faults in registering, reading and removing repositories. */
export const repositoryMutants: Mutant[] = [
  {
    name: "takes another branch for the same repository",
    breaks: "REPO-REGISTER-OTHER-BRANCH",
    around(world, call, perform) {
      const { owner, repo } = bodyOf(call);
      const same = Object.values(world.repos).find((row) => row.owner === owner && row.repo === repo && row.deleted_at === null);
      return perform(world, routeOf(call) === register && same ? withBody(call, { branch: same.branch }) : call);
    },
  },
  {
    name: "tells the plan's cap by the code of anonymous registration",
    breaks: "REPO-REGISTER-CAP",
    around: answering("plan_repo_cap_exceeded", (reply) => ({
      ...withError(reply, { type: "invalid_request_error", code: "repo_cap_exceeded" }),
      status: 400,
    })),
  },
  {
    name: "tells the cap of anonymous registration by the plan's code",
    breaks: "REPO-REGISTER-CAP-ANONYMOUS",
    around: answering("repo_cap_exceeded", (reply) => ({
      ...withError(reply, { type: "permission_error", code: "plan_repo_cap_exceeded" }),
      status: 403,
    })),
  },
  {
    name: "has room for no repository at all",
    breaks: "REPO-REGISTER-CAP-ANONYMOUS",
    around(world, call, perform) {
      if (routeOf(call) !== register) return perform(world, call);
      const caps = Object.values(world.plans).map((plan) => plan.repo_cap);
      for (const plan of Object.values(world.plans)) plan.repo_cap = 0;
      const reply = perform(world, call);
      for (const [index, plan] of Object.values(world.plans).entries()) plan.repo_cap = caps[index] ?? null;
      return reply;
    },
  },
  {
    name: "registers anonymously where no access mode is named",
    breaks: "REPO-FIELD-ACCESS-DEFAULT",
    around: registering((body) => ({ access_mode: "anonymous", ...body })),
  },
  {
    name: "takes an access mode that it does not know",
    breaks: "REPO-REGISTER-ACCESSMODE-INVALID",
    around: registering((body) => ({ ...body, access_mode: body.access_mode === "anonymous" ? "anonymous" : "installed" })),
  },
  {
    name: "starts the discovery after twenty seconds",
    breaks: "REPO-REGISTER-DISCOVERS-SOON",
    around: registered((reply, world) => {
      world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
      schedule(world, { at: world.now + 20_000, event: "enqueue-discovery", repo: newest(world).id });
      return reply;
    }),
  },
  {
    name: "does not list what was registered since the start",
    breaks: "REPO-LIST-ROUTE",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (routeOf(call) !== list) return reply;
      return withRows<{ repo: string }>(reply, (rows) => rows.filter(({ repo }) => !repo.startsWith("spare")));
    },
  },
  {
    name: "answers a removal with 200",
    breaks: "REPO-DELETE-ROUTE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.status === 204 ? { ...reply, status: 200, body: {} } : reply;
    },
  },
  {
    name: "says that a repository is removed and keeps it",
    breaks: "REPO-DELETE-GONE",
    around(world, call, perform) {
      if (routeOf(call) !== remove) return perform(world, call);
      return { status: 204, headers: {}, body: undefined, rule: { gate: "operation", code: null, clause: null }, changes: [] };
    },
  },
  {
    name: "removes a repository without the permission",
    breaks: "REPO-DELETE-PERMISSION",
    around: (world, call, perform) =>
      pretending(keyOf(world, call), { permissions: ["delete_repo"] }, () => perform(world, call)),
  },
  {
    name: "lets a member delete a repository",
    breaks: "REPO-DELETE-PERMISSION",
    around: onRoute(remove, (world, call, perform) =>
      pretending(sessionOf(world, call), { role: "admin" }, () => perform(world, call)),
    ),
  },
  {
    name: "forecasts for a repository from the runs of its workspace",
    breaks: "FORECAST-REPO-ROUTE",
    around: onRoute("GET /api/repos/{owner}/{repo}/{branch}/forecasts", (world, call, perform) => {
      const workspace = repoOf(world, call)?.workspace;
      return withRows<{ workflow: WorkflowName }>(perform(world, call), (rows) =>
        rows.map((row) => ({ ...row, ...(workspace && forecast(world, workspace, null, row.workflow)) })),
      );
    }),
  },
];

function answering(code: string, change: (reply: ReturnType<Around>) => ReturnType<Around>): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    return reply.rule.code === code ? change(reply) : reply;
  };
}

/** Reads the body of a registration otherwise. */
function registering(read: (body: Record<string, unknown>) => Record<string, unknown>): Around {
  return (world, call, perform) => perform(world, routeOf(call) === register ? withBody(call, read(bodyOf(call))) : call);
}

/** Changes the answer to a registration, or what follows from it. */
function registered(change: (reply: ReturnType<Around>, world: World) => ReturnType<Around>): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    return routeOf(call) === register && reply.status === 201 ? change(reply, world) : reply;
  };
}

function newest(world: World): Repo {
  return Object.values(world.repos).toSorted((a, b) => b.serial - a.serial)[0]!;
}
