import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { Scope } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import { jobView } from "../../src/service/jobs.js";
import { observationView } from "../../src/service/observations.js";
import { repoView } from "../../src/service/repos.js";
import type { Session, World } from "../../src/service/world.js";
import {
  type Around,
  type AroundTool,
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  pretending,
  type Shown,
  showing,
  withBody,
  withRows,
  withScopes,
} from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";
const remove = "DELETE /api/repos/{owner}/{repo}/{branch}";
const fix = "POST /api/observations/{ref}/fix";

const everyScope = contract.enums.Scope;

/** Faults in what a key is made of, who makes it and what it may do. */
export const keyRightMutants: Mutant[] = [
  { name: "lets no admin create keys", breaks: "KEY-CREATE-ADMIN", around: demoting(create, "admin") },
  { name: "lets no owner create keys", breaks: "KEY-CREATE-OWNER", around: demoting(create, "owner") },
  { name: "lets no admin edit keys", breaks: "KEY-PATCH-ADMIN", around: demoting(patch, "admin") },
  { name: "lets no owner edit keys", breaks: "KEY-PATCH-ADMIN", around: demoting(patch, "owner") },
  {
    name: "lets a member edit keys",
    breaks: "KEY-PATCH-ADMIN",
    around: onRoute(patch, (world, call, perform) =>
      pretending(sessionOf(world, call, "member"), { role: "admin" }, () => perform(world, call)),
    ),
  },
  {
    name: "calls the id of a new key otherwise",
    breaks: "KEY-FIELD-ID",
    around: showing(create, ({ key_id, ...key }) => ({ ...key, id: key_id })),
  },
  {
    name: "tells an id of a new key that PATCH does not know",
    breaks: "KEY-FIELD-ID",
    around: showing(create, (key) => ({ ...key, key_id: `new-${key.key_id}` })),
  },
  {
    name: "does not hold a new key to its requests per minute",
    breaks: "KEY-FIELD-RPM",
    around: creating(({ requests_per_minute: _, ...body }) => body),
  },
  {
    name: "makes no key of one request a minute",
    breaks: "KEY-FIELD-RPM",
    around: creating((body) => (body.requests_per_minute === 1 ? { ...body, requests_per_minute: 0 } : body)),
  },
  {
    name: "makes no key that ends within a day",
    breaks: "KEY-FIELD-EXPIRES",
    around: creating((body, now) =>
      Date.parse(String(body.expires_at)) < now + 86_400_000 ? { ...body, expires_at: "soon" } : body,
    ),
  },
  {
    name: "does not narrow the scopes of a key",
    breaks: "KEY-PATCH-SCOPES",
    around: onRoute(patch, (world, call, perform) =>
      perform(world, bodyOf(call).scopes ? withBody(call, { scopes: "none" }) : call),
    ),
  },
  {
    name: "takes all scopes from a key when they are narrowed",
    breaks: "KEY-PATCH-SCOPES",
    around: onRoute(patch, (world, call, perform) => perform(world, bodyOf(call).scopes ? withBody(call, { scopes: [] }) : call)),
  },
  {
    name: "knows no scope for tenant settings",
    breaks: "SCOPE-NAMES",
    around: naming("manage_tenant_settings"),
  },
  { name: "knows no scope for tasks", breaks: "SCOPE-NAMES", around: naming("submit_task_jobs") },
  {
    name: "gives a key of the owner every scope",
    breaks: "SCOPE-OWNER",
    around: onRoute(create, (world, call, perform) =>
      perform(world, sessionOf(world, call, "owner") ? withBody(call, { scopes: everyScope }) : call),
    ),
  },
  {
    name: "does not hold a key to its scopes when it spawns fixes",
    breaks: "SCOPE-SURFACES",
    around: onRoute(fix, (world, call, perform) => {
      const key = keyOf(world, call);
      return pretending(key, { scopes: [...(key?.scopes ?? []), "submit_fix_jobs"] }, () => perform(world, call));
    }),
  },
  {
    name: "does not hold a key to its scopes when it submits by the tool",
    breaks: "SCOPE-SURFACES",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withScopes(call, everyScope) : call),
  },
  {
    name: "takes a scope for the permission to remove repositories",
    breaks: "KEY-CREATOR-SUBSET",
    around: onRoute(remove, (world, call, perform) => {
      const key = keyOf(world, call);
      return pretending(key?.scopes.includes("manage_repos") ? key : undefined, { permissions: ["delete_repo"] }, () =>
        perform(world, call),
      );
    }),
  },
  {
    name: "lists the jobs of every workspace",
    breaks: "KEY-WORKSPACE-LIST",
    around: adding("GET /api/jobs", (world) => Object.values(world.jobs).map(jobView)),
  },
  {
    name: "lists the observations of every workspace",
    breaks: "KEY-WORKSPACE-LIST",
    around: adding("GET /api/observations", everyObservation),
  },
  {
    name: "lists the repositories of every workspace",
    breaks: "KEY-WORKSPACE-LIST",
    around: adding("GET /api/repos", (world) => Object.values(world.repos).map(repoView)),
  },
  {
    name: "lists the repositories of every workspace by the tool",
    breaks: "KEY-WORKSPACE-LIST",
    aroundTool: addingByTool("list_repositories", (world) => Object.values(world.repos).map(repoView)),
  },
  {
    name: "lists the jobs of every workspace by the tool",
    breaks: "KEY-WORKSPACE-LIST",
    aroundTool: addingByTool("list_jobs", (world) => Object.values(world.jobs).map(jobView)),
  },
  {
    name: "lists the observations of every workspace by the tool",
    breaks: "KEY-WORKSPACE-LIST",
    aroundTool: addingByTool("list_observations", everyObservation),
  },
];

function sessionOf(world: World, call: IncomingCall, role: Session["role"]): Session | undefined {
  return Object.values(world.sessions).find((session) => session.token === call.cookie && session.role === role);
}

/** Takes a signed-in person of one role for a member. */
function demoting(route: string, role: Session["role"]): Around {
  return onRoute(route, (world, call, perform) =>
    pretending(sessionOf(world, call, role), { role: "member" }, () => perform(world, call)),
  );
}

/** Reads the body of a new key otherwise. */
function creating(read: (body: Shown, now: number) => Shown): Around {
  return onRoute(create, (world, call, perform) =>
    perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call), world.now) } }),
  );
}

/** Does not know one scope where it is named for a new key. */
function naming(scope: Scope): Around {
  return creating((body) => ((body.scopes as Scope[] | undefined)?.includes(scope) ? { ...body, scopes: ["unknown"] } : body));
}

function everyObservation({ observations, repos }: World): Shown[] {
  return Object.values(observations).map((row) => observationView(row, repos[row.repo]!, { locations: false }));
}

function addingByTool(purpose: ToolPurpose, more: (world: World) => Shown[]): AroundTool {
  return (world, call, performTool) => {
    const reply = performTool(world, call);
    return call.purpose === purpose ? withRows<Shown>(reply, (rows) => [...rows, ...more(world)]) : reply;
  };
}

/** Adds rows to a list. */
function adding(route: string, more: (world: World) => Shown[]): Around {
  return answering(route, (reply, world) => withRows<Shown>(reply, (rows) => [...rows, ...more(world)]));
}
