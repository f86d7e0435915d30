import type { ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import { createRepo } from "../../src/service/repositories/repos.js";
import type { Repo, Workspace, World } from "../../src/service/world/world.js";
import { changing, each, onTool } from "./family.js";
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
  withAnswer,
  withBody,
  withError,
  withParams,
} from "./mutant.js";

const register = "POST /api/repos";
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";

const refusals: Record<string, ErrorCode> = {
  cap: "plan_repo_cap_exceeded",
  "cap anonymous": "repo_cap_exceeded",
  "not public": "repo_no_longer_public",
  "registered already": "repo_already_registered",
  access_mode: "invalid_payload",
  unverified: "service_unavailable",
};

/** A workspace to which the reason does not apply. */
const waived: Record<string, Partial<Workspace>> = { credit: { credit_usd: 1000 }, "paused spend": { spend_paused: false } };

const parts = ["owner", "repo", "branch"] as const;

/** Faults in registering by one access mode, in one refusal, and in finding repositories on one route. */
export const registrationMutants: Mutant[] = [
  ...each("REPO-FIELD-ACCESS-MODE", "access mode", "knows no access mode *", (mode) =>
    onRoute(register, (world, call, perform) =>
      perform(world, bodyOf(call).access_mode === mode ? withBody(call, { access_mode: "app" }) : call),
    ),
  ),
  ...each("REPO-FIELD-DISCOVER-NULL", "access mode", "leaves discover_job_id out of a registration that is *", (mode) =>
    registered(mode, 201, (reply) => withAnswer(reply, { discover_job_id: undefined })),
  ),
  ...each("REPO-FIELD-DISCOVER-NULL", "access mode", "makes up a discover_job_id for a registration that is *", (mode) =>
    registered(mode, 201, (reply) => withAnswer(reply, { discover_job_id: "job_0" })),
  ),
  ...each("REPO-REGISTER-ROUTE", "access mode", "answers 202 to a registration that is *", (mode) =>
    registered(mode, 201, (reply) => ({ ...reply, status: 202 })),
  ),
  ...each("REPO-REGISTER-DISCOVERS", "access mode", "discovers nothing in a repository that is *", (mode) =>
    registered(mode, 201, (reply, world) => {
      world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
      return reply;
    }),
  ),
  ...each(
    "REPO-REGISTER-NOTPUBLIC",
    "not public",
    "registers anonymously what is *",
    (why) => (world, call, perform) => pretending(world.codeHost, { [why]: [] }, () => perform(world, call)),
  ),
  ...each("REPO-REGISTER-GATES", "plan reason", "discovers by itself in spite of the plan: *", (why) =>
    onRoute(register, (world, call, perform) =>
      pretending(workspaceOf(world, call), waived[why] ?? {}, () => perform(world, call)),
    ),
  ),
  ...each("REPO-REGISTER-GATES-MANUAL", "plan reason", "discovers by hand in spite of the plan: *", (why) =>
    onRoute(submit, (world, call, perform) => {
      const workspace = bodyOf(call).workflow === "discover" ? workspaceOf(world, call) : undefined;
      return pretending(workspace, waived[why] ?? {}, () => perform(world, call));
    }),
  ),
  ...each("REPO-REGISTER-TWICE", "access mode", "answers 400 to a second registration that is *", (mode) =>
    registered(mode, 409, (reply) => ({ ...withError(reply, { type: "invalid_request_error" }), status: 400 })),
  ),
  ...each("REPO-REGISTER-TWICE", "access mode", "takes a second registration that is *", (mode) =>
    registered(mode, 409, (reply) => ({ ...reply, status: 201, body: { discover_job_id: null } })),
  ),
  {
    name: "refuses a second registration of one name, whoever its owner is",
    breaks: "REPO-REGISTER-TWICE",
    around: onRoute(register, (world, call, perform) => {
      const { repo, branch } = bodyOf(call);
      const namesake = Object.values(world.repos).find((row) => row.repo === repo && row.branch === branch && !row.deleted_at);
      const owner = namesake?.workspace === workspaceOf(world, call)?.id ? namesake?.owner : undefined;
      return perform(world, owner === undefined ? call : withBody(call, { owner }));
    }),
  },
  ...each("REPO-REGISTER-TWICE-ECHO", "access mode", "does not say what is registered already by one that is *", (mode) =>
    registered(mode, 409, (reply) => withError(reply, { message: "It is there already.", details: {} })),
  ),
  ...each("REPO-REGISTER-UNVERIFIED", "access mode", "registers what it cannot verify where it is *", (mode) =>
    onRoute(register, (world, call, perform) =>
      pretending(modeOf(call) === mode ? world.codeHost : undefined, { outage: null }, () => perform(world, call)),
    ),
  ),
  ...each("REPO-REGISTER-REFUSED-UNLISTED", "registration refusal", "lists what it refused to register: *", (why) =>
    answering(register, (reply, world, call) => {
      const { owner, repo, branch } = bodyOf(call) as Record<"owner" | "repo" | "branch", string>;
      if (reply.rule.code === refusals[why]) createRepo(world, { workspace: keyOf(world, call)!.workspace, owner, repo, branch });
      return reply;
    }),
  ),
  ...each("REPO-RESET-ROUTE", "reset flag", "breaks down over the reset flag *", (flag) =>
    answering(reset, (reply, _world, call) => (flag in bodyOf(call) ? { ...reply, status: 500 } : reply)),
  ),
  {
    name: "drops the observations of every repository when one is reset",
    breaks: "REPO-RESET-ROUTE",
    around: answering(reset, (reply, world) => {
      if (reply.status === 200) for (const { ref } of Object.values(world.observations)) delete world.observations[ref];
      return reply;
    }),
  },
  ...each("ADDR-REPO-PATH", "repository read", "finds a repository whatever its owner on *", (route) =>
    finding(route, (row, asked) => row.repo === asked.repo && row.branch === asked.branch),
  ),
  ...each("ADDR-REPO-PATH", "repository read", "finds a repository whatever its branch on *", (route) =>
    finding(route, (row, asked) => row.owner === asked.owner && row.repo === asked.repo),
  ),
  ...each("ADDR-REPO-PATH", "repository read", "finds a repository by owner and name in either order on *", (route) =>
    finding(route, (row, asked) => row.owner === asked.repo && row.repo === asked.owner && row.branch === asked.branch),
  ),
  ...each("REPO-READ-UNKNOWN", "repository read", "finds nothing in a repository that it does not have on *", (route) =>
    unfound(route),
  ),
  ...each("REPO-WRITE-UNKNOWN", "repository write", "does as if it had every repository on *", (route) => unfound(route)),
  ...(["REPO-READ-UNKNOWN", "REPO-WRITE-UNKNOWN"] as const).flatMap((clause) =>
    each(
      clause,
      "workspace relation",
      `says that a repository is forbidden to ${clause.slice(5, 9).toLowerCase()} that is *`,
      (relation) =>
        changing(
          ({ status, rule }, call, world) =>
            status === 404 &&
            rule.gate === "operation" &&
            isRead(call) === (clause === "REPO-READ-UNKNOWN") &&
            relationOf(world, call) === relation,
          (reply) => ({ ...reply, status: 403 }),
        ),
    ),
  ),
  {
    name: "registers by the tool past the plan's number of repositories",
    breaks: "REPO-REGISTER-CAP",
    ...onTool("register_repository", (world, call, performTool) =>
      pretending(call.caller.workspace, { repo_cap: 1000 }, () => performTool(world, call)),
    ),
  },
  {
    name: "knows a repository by the small letters of its name",
    breaks: "REPO-GET-ROUTE",
    around: onRoute(register, (world, call, perform) => {
      const { repo } = bodyOf(call);
      return perform(world, typeof repo === "string" ? withBody(call, { repo: repo.toLowerCase() }) : call);
    }),
  },
];

function workspaceOf(world: World, call: IncomingCall): Workspace | undefined {
  return world.workspaces[keyOf(world, call)?.workspace ?? ""];
}

function modeOf(call: IncomingCall): unknown {
  return bodyOf(call).access_mode ?? "installed";
}

/** Changes the answer to a registration by one access mode, or what follows from it. */
function registered(mode: string, status: number, change: (reply: Reply, world: World) => Reply): Around {
  return answering(register, (reply, world, call) =>
    reply.status === status && modeOf(call) === mode ? change(reply, world) : reply,
  );
}

type Triple = Pick<Repo, "owner" | "repo" | "branch">;

/** Finds the repository of one route otherwise than by its triple. */
function finding(route: string, isMeant: (row: Repo, asked: Triple) => boolean): Around {
  return onRoute(route, (world, call, perform) => {
    const workspace = keyOf(world, call)?.workspace;
    const rows = Object.values(world.repos).filter((row) => row.workspace === workspace && !row.deleted_at);
    const row = repoOf(world, call) ?? rows.find((one) => isMeant(one, tripleIn(call)));
    return perform(world, row ? withParams(call, { owner: row.owner, repo: row.repo, branch: row.branch }) : call);
  });
}

function tripleIn(call: IncomingCall): Triple {
  return { owner: param(call, "owner"), repo: param(call, "repo"), branch: param(call, "branch") };
}

function unfound(route: string): Around {
  return answering(route, (reply) => (reply.status === 404 ? { ...reply, status: 200, body: {} } : reply));
}

function isRead({ target }: IncomingCall): boolean {
  return typeof target === "object" && "route" in target && target.route.startsWith("GET ");
}

/** Whose the repository of a path is that the key's workspace does not have. */
function relationOf(world: World, call: IncomingCall): string | undefined {
  const asked = tripleIn(call);
  if (asked.owner === "") return undefined;
  const isThere = Object.values(world.repos).some((row) => !row.deleted_at && parts.every((part) => row[part] === asked[part]));
  return isThere ? "of another workspace" : "unknown";
}
