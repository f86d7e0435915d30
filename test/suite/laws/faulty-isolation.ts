import type { ToolPurpose } from "../../../src/contract/tool-types.js";
import type { ClauseId } from "../../../src/contract/types.js";
import type { Key, World } from "../../../src/service/world/world.js";
import { findOperationStatement, isRoute, type Operation, operations } from "../../../src/suite/statements/operations.js";
import { findToolStatement, toolPurposes } from "../../../src/suite/statements/tools.js";
import { type AroundTool, getKey, param, type WrapCall, withRows, withTemporaryFields, wrapRoute } from "../../mutants/mutant.js";
import type { FaultyServer } from "./faulty-servers.js";

const LAW = "workspace-isolation";

/** Returns the workspace of the resource that a path names. The caller does not count. */
function getHolder(world: World, call: Parameters<WrapCall>[1]): string | undefined {
  const [owner, repo, branch] = ["owner", "repo", "branch"].map((name) => param(call, name));
  const namedRepo = Object.values(world.repos).find((one) => one.owner === owner && one.repo === repo && one.branch === branch);
  return (world.jobs[param(call, "job_id")] ?? world.observations[param(call, "ref")] ?? namedRepo)?.workspace;
}

/** Makes a route act in the workspace of the requested resource. */
function actInOtherWorkspace(route: string): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const workspace = getHolder(world, call);
    return withTemporaryFields(workspace === undefined ? undefined : getKey(world, call), { workspace: workspace ?? "" }, () =>
      perform(world, call),
    );
  });
}

/** The same by a tool. */
function actInOtherWorkspaceByTool(purpose: ToolPurpose): AroundTool {
  return (world, call, performTool) => {
    const { job_id, ref, owner, repo, branch } = call.arguments as Record<string, string>;
    const namedRepo = Object.values(world.repos).find((one) => one.owner === owner && one.repo === repo && one.branch === branch);
    const workspace = (world.jobs[job_id ?? ""] ?? world.observations[ref ?? ""] ?? namedRepo)?.workspace;
    const { key } = call.caller;
    if (call.purpose !== purpose || workspace === undefined || !key) return performTool(world, call);
    const there = { ...call, caller: { ...call.caller, workspace: world.workspaces[workspace] as never } };
    return withTemporaryFields(key as Key, { workspace }, () => performTool(world, there) as never) as never;
  };
}

const isAboutSomething = (operation: Operation) =>
  findOperationStatement(operation).subject.some((subject) => subject !== "key") && operation !== "POST /api/repos";

/** Servers whose operations reach into another workspace, one operation each. Others show stored rows of it, or sign in a member of it. */
export const faultyIsolation: readonly FaultyServer[] = [
  ...(Object.keys(operations) as Operation[])
    .filter((operation) => isRoute(operation) && isAboutSomething(operation))
    .map((route): FaultyServer => {
      const blames: ClauseId = findOperationStatement(route).effect === "read" ? "KEY-WORKSPACE-GET" : "KEY-WORKSPACE";
      return {
        name: `reaches into another workspace by ${route}`,
        law: LAW,
        blames,
        shows: [],
        around: actInOtherWorkspace(route),
      };
    }),
  ...toolPurposes
    .filter((purpose) => {
      const text = findToolStatement(purpose);
      const { subject } = "route" in text ? findOperationStatement(text.route) : text;
      return subject.length > 0 && purpose !== "register_repository";
    })
    .map(
      (purpose): FaultyServer => ({
        ...{ name: `reaches into another workspace by the tool ${purpose}`, law: LAW, blames: "KEY-WORKSPACE", shows: [] },
        aroundTool: actInOtherWorkspaceByTool(purpose),
      }),
    ),
  {
    ...{
      name: "treats an Idempotency-Key of another workspace as its own",
      law: LAW,
      blames: "KEY-WORKSPACE",
      shows: [/Idempotency-Key/],
    },
    around(world, call, perform) {
      const key = call.idempotencyKey;
      const workspace = getKey(world, call)?.workspace;
      const elsewhere = Object.entries(world.submissions).find(([seen]) => key !== undefined && seen.endsWith(` ${key}`));
      const own = `${workspace} ${key}`;
      if (elsewhere && !(own in world.submissions)) world.submissions[own] = elsewhere[1];
      return perform(world, call);
    },
  },
  {
    ...{ name: "answers a submission by a job in flight of another workspace", law: LAW, blames: "KEY-WORKSPACE", shows: [] },
    around: wrapRoute("POST /api/repos/{owner}/{repo}/{branch}/jobs", (world, call, perform) => {
      const response = perform(world, call);
      const body = response.body as { id?: string; workflow?: string; repo_name?: string };
      const twin = Object.values(world.jobs).find(
        (job) =>
          job.id !== body.id &&
          job.status === "pending" &&
          job.workflow === body.workflow &&
          job.workspace !== getKey(world, call)?.workspace,
      );
      return response.status === 201 && twin ? { ...response, status: 200, body: { ...body, id: twin.id } } : response;
    }),
  },
  {
    ...{ name: "treats a triple of another workspace as registered", law: LAW, blames: "KEY-WORKSPACE", shows: [] },
    around: wrapRoute("POST /api/repos", (world, call, perform) => {
      const key = getKey(world, call);
      const { owner, repo, branch } = (call.body.kind === "json" ? call.body.value : {}) as Record<string, string>;
      const there = Object.values(world.repos).find((one) => one.owner === owner && one.repo === repo && one.branch === branch);
      return withTemporaryFields(there ? key : undefined, { workspace: there?.workspace ?? "" }, () => perform(world, call));
    }),
  },
  {
    ...{
      name: "lets an administrator patch a key of another workspace",
      law: LAW,
      blames: "KEY-PATCH-UNKNOWN",
      shows: [/beta_admin/],
    },
    around: wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
      const workspaces = Object.values(world.sessions).map(({ workspace }) => workspace);
      const key = world.keys[param(call, "key_id")];
      const home = key?.workspace;
      const responses = [home, ...workspaces].map((workspace) =>
        withTemporaryFields(key, { workspace: workspace ?? "" }, () => perform(world, call)),
      );
      return responses.find(({ status }) => status < 300) ?? (responses[0] as never);
    }),
  },
  {
    ...{ name: "lists one job of another workspace", law: LAW, blames: "KEY-WORKSPACE-LIST", shows: [] },
    around: wrapRoute("GET /api/jobs", (world, call, perform) => {
      const response = perform(world, call);
      const workspace = getKey(world, call)?.workspace;
      const foreignJob = Object.values(world.jobs).findLast((job) => job.workspace !== workspace);
      const { id, workflow, status } = foreignJob ?? {};
      return call.query.cursor
        ? response
        : withRows(response, (rows) => [...rows, { id, workflow, status, repo_name: "stray@main" }]);
    }),
  },
];
