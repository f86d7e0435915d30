import { schedule } from "../../src/service/agenda.js";
import { createRepo } from "../../src/service/repos.js";
import type { Repo, World } from "../../src/service/world.js";
import {
  type Around,
  bodyOf,
  keyOf,
  type Mutant,
  pretending,
  routeOf,
  withAnswer,
  withBody,
  withError,
  withRows,
} from "./mutant.js";

const list = "GET /api/repos";
const register = "POST /api/repos";
const remove = "DELETE /api/repos/{owner}/{repo}/{branch}";
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";

/** Faults in registering, reading and removing repositories. */
export const repositoryMutants: Mutant[] = [
  {
    name: "registers a repository twice",
    breaks: "REPO-REGISTER-TWICE",
    around: answering("repo_already_registered", (reply) => ({ ...reply, status: 201, body: { discover_job_id: null } })),
  },
  {
    name: "calls a second registration a fault of the body",
    breaks: "REPO-REGISTER-TWICE",
    around: answering("repo_already_registered", (reply) => ({ ...withError(reply, { type: "validation_error" }), status: 422 })),
  },
  {
    name: "does not say what is registered already",
    breaks: "REPO-REGISTER-TWICE-ECHO",
    around: answering("repo_already_registered", (reply) => withError(reply, { message: "It is there already.", details: {} })),
  },
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
    name: "registers a private repository anonymously",
    breaks: "REPO-REGISTER-NOTPUBLIC",
    around: (world, call, perform) => pretending(world.codeHost, { private: [] }, () => perform(world, call)),
  },
  {
    name: "lists a repository that it refused to register",
    breaks: "REPO-REGISTER-REFUSED-UNLISTED",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (reply.rule.code !== "repo_no_longer_public") return reply;
      const { owner, repo, branch } = bodyOf(call) as Record<"owner" | "repo" | "branch", string>;
      createRepo(world, { workspace: keyOf(world, call)!.workspace, owner, repo, branch });
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
    name: "knows no access mode installed",
    breaks: "REPO-FIELD-ACCESS-MODE",
    around: registering((body) => ({ ...body, access_mode: body.access_mode === "installed" ? "app" : body.access_mode })),
  },
  {
    name: "leaves discover_job_id out",
    breaks: "REPO-FIELD-DISCOVER-NULL",
    around: registered((reply) => withAnswer(reply, { discover_job_id: undefined })),
  },
  {
    name: "starts no discovery",
    breaks: "REPO-REGISTER-DISCOVERS",
    around: registered((reply, world) => {
      world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
      return reply;
    }),
  },
  {
    name: "starts the discovery after twenty seconds",
    breaks: "REPO-REGISTER-DISCOVERS-SOON",
    around: registered((reply, world) => {
      world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
      schedule(world, world.now + 20_000, { event: "enqueue-discovery", repo: newest(world).id });
      return reply;
    }),
  },
  {
    name: "starts a discovery that nobody can pay",
    breaks: "REPO-REGISTER-GATES",
    around: registered((reply, world) => {
      schedule(world, world.now + 1000, { event: "enqueue-discovery", repo: newest(world).id });
      return reply;
    }),
  },
  {
    name: "registers what it cannot verify",
    breaks: "REPO-REGISTER-UNVERIFIED",
    around: (world, call, perform) => pretending(world.codeHost, { outage: null }, () => perform(world, call)),
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
    name: "does not let a signed-in admin remove a repository",
    breaks: "REPO-DELETE-ADMIN",
    around(world, call, perform) {
      const admin = Object.values(world.sessions).find(({ role, token }) => role === "admin" && token === call.cookie);
      return pretending(routeOf(call) === remove ? admin : undefined, { role: "member" }, () => perform(world, call));
    },
  },
  {
    name: "gives the empty knowledge of a repository that it does not have",
    breaks: "REPO-READ-UNKNOWN",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call)?.endsWith("/knowledge") && reply.status === 404 ? { ...reply, status: 200, body: {} } : reply;
    },
  },
  {
    name: "resets a repository that it does not have",
    breaks: "REPO-WRITE-UNKNOWN",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === reset && reply.status === 404 ? { ...reply, status: 200, body: {} } : reply;
    },
  },
  {
    name: "does not know the reset flag wipe",
    breaks: "REPO-RESET-ROUTE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === reset && "wipe" in bodyOf(call) ? { ...reply, status: 422 } : reply;
    },
  },
  {
    name: "lets a viewer reset a repository",
    breaks: "SCOPE-VIEW-DELETE",
    around: (world, call, perform) =>
      pretending(routeOf(call) === reset ? keyOf(world, call) : undefined, { scopes: ["manage_repos"] }, () =>
        perform(world, call),
      ),
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
