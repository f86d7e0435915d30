import { contract } from "../../src/contract/load.js";
import { routes } from "../../src/contract/routes.js";
import type { RouteName, Scope } from "../../src/contract/types.js";
import type { Reply } from "../../src/service/call.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import { changing, each, onTool, valuesOf } from "./family.js";
import {
  type Around,
  type AroundTool,
  bodyOf,
  type Fault,
  keyOf,
  type Mutant,
  onRoute,
  param,
  pretending,
  routeOf,
  withBody,
  withError,
  withScopes,
} from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";
const every = contract.enums.Scope;

/** Faults in what scopes admit: one scope, one operation at a time is not asked for. */
export const scopeMutants: Mutant[] = [
  ...each("SCOPE-SURFACES", "enforced scope", "takes every key for one with *", {
    rest: (scope) => granting(() => true, [scope as Scope]),
    mcp: (scope) => ({ aroundTool: (world, call, perform) => perform(world, withScopes(call, [scope as Scope])) }),
  }),
  ...each("SCOPE-REFUSED", "enforced scope", "says that all is well where * is missing, and does nothing", {
    rest: (scope) => changing(lacks(scope), (reply) => ({ ...reply, status: 200, body: {} })),
    mcp: (scope) => ({
      aroundTool(world, call, performTool) {
        const reply = performTool(world, call);
        return lacks(scope)(reply) ? { ...reply, status: 200, body: {} } : reply;
      },
    }),
  }),
  ...scopedRoutes().flatMap(([route, scope]): Mutant[] => [
    {
      name: `asks no scope of a key for ${route}`,
      breaks: "SCOPE-REFUSED",
      value: { surface: "rest", dimension: "enforced scope", value: scope },
      around: granting((asked) => asked === route, [scope]),
    },
  ]),
  ...each("SCOPE-REFUSED-STATUS", "enforced scope", "answers 401 where * is missing", {
    rest: (scope) => changing(lacks(scope), (reply) => ({ ...withError(reply, { type: "authentication_error" }), status: 401 })),
  }),
  ...each("SCOPE-NARROW", "enforced scope", "refuses to add * to a key and adds it", {
    rest: (scope) =>
      onRoute(patch, (world, call, perform) => {
        const reply = perform(world, call);
        const { scopes } = bodyOf(call) as { scopes?: Scope[] };
        const key = world.keys[param(call, "key_id")];
        if (reply.status === 400 && key && scopes?.includes(scope as Scope)) key.scopes = [...key.scopes, scope as Scope];
        return reply;
      }),
  }),
  ...each("SCOPE-NARROW", "enforced scope", "adds * to a key where it is asked to", {
    rest: (scope) =>
      onRoute(patch, (world, call, perform) => {
        const { scopes } = bodyOf(call) as { scopes?: Scope[] };
        const key = world.keys[param(call, "key_id")];
        if (key && scopes?.includes(scope as Scope)) key.scopes = [...new Set([...key.scopes, scope as Scope])];
        return perform(world, call);
      }),
  }),
  ...each("SCOPE-NARROW-EFFECT", "enforced scope", "says that * is taken from a key and goes on admitting it", {
    rest: (scope) => keepingTaken(scope as Scope, "rest"),
    mcp: (scope) => keepingTaken(scope as Scope, "mcp"),
  }),
  ...each("SCOPE-NAMES", "scope", "knows no scope *", {
    rest: (scope) =>
      onRoute(create, (world, call, perform) => {
        const { scopes } = bodyOf(call) as { scopes?: Scope[] };
        return perform(world, scopes?.includes(scope as Scope) ? withBody(call, { scopes: ["unknown"] }) : call);
      }),
    mcp: (scope) => ({ aroundTool: (world, call, performTool) => performTool(world, withoutScope(call, scope as Scope)) }),
  }),
  ...each("SCOPE-VIEW-SUBMIT", "starting operation", "lets a viewer use *", openTo()),
  ...each("SCOPE-VIEW-TRIAGE", "triage operation", "lets a viewer use *", openTo()),
  ...each("SCOPE-VIEW-DELETE", "destructive route", "lets a viewer use *", openTo()),
  ...each("MCP-SCOPE-TRIAGE", "triage operation", "lets any key use *", openTo()),
  ...each("MCP-SCOPE-TENANT", "tenant tool", "lets any key use *", openTo()),
  ...each("MCP-SCOPE-REFUSED", "scoped tool", "lets any key use *, whatever it lacks", openTo()),
  ...each("MCP-SCOPE-REFUSED", "scoped tool", "says that the key may not use * and does the work", {
    mcp: (tool) =>
      leavesNoTrace(tool)
        ? undefined
        : onTool(tool, (world, call, performTool) => {
            const reply = performTool(world, call);
            if (reply.rule.code === "insufficient_scope") performTool(world, withScopes(call, every));
            return reply;
          }),
  }),
  ...each("MCP-SCOPE-RETRY-OWN", "workflow with a scope", "retries a * by the tool for a key that may only audit", {
    mcp: (workflow) =>
      onTool("retry_job", (world, call, performTool) =>
        performTool(world, withScopes(call, contract.workflows[workflow as "fix"].needs_scope)),
      ),
  }),
];

/** What a read does shows in its answer alone; of a ticket, and of what was cleared, the text shows no place to see it. */
function leavesNoTrace(tool: string): boolean {
  return tool === "create_ticket" || tool.startsWith("clear_") || valuesOf("read tool", "mcp").includes(tool);
}

/** Each route that needs a scope by what the text says of it or of its tool, with it; of who may cancel it says nothing. */
function scopedRoutes(): [route: RouteName, scope: Scope][] {
  const admits = valuesOf("enforced scope", "rest");
  const names = (Object.keys(routes) as RouteName[]).filter((route) => route !== "POST /api/jobs/{job_id}/cancel");
  return names.flatMap((route) =>
    (routes[route].operation["x-scopes"] ?? [])
      .filter((scope) => admits.includes(scope))
      .map((scope) => [route, scope] as [RouteName, Scope]),
  );
}

/** Opens one operation to every key. */
function openTo() {
  return {
    rest: (route: string): Around => granting((asked) => asked === route, every),
    mcp: (tool: string): Fault => onTool(tool, widened),
  };
}

function widened(...[world, call, performTool]: Parameters<AroundTool>): ReturnType<AroundTool> {
  return performTool(world, withScopes(call, every));
}

/** Gives keys more scopes, and the permissions that go with them, where they ask for some routes. */
function granting(isMeant: (route: string | null) => boolean, scopes: readonly Scope[]): Around {
  return (world, call, perform) => {
    const key = isMeant(routeOf(call)) ? keyOf(world, call) : undefined;
    const permissions = scopes === every ? ["delete_repo"] : (key?.permissions ?? []);
    return pretending(key, { scopes: [...new Set([...(key?.scopes ?? []), ...scopes])], permissions }, () =>
      perform(world, call),
    );
  };
}

function lacks(scope: string): (reply: Pick<Reply, "rule" | "body">) => boolean {
  return ({ rule, body }) => rule.code === "insufficient_scope" && JSON.stringify(body).includes(` ${scope}.`);
}

/** A server that shows a key without the scope it lost, and admits it as before on one surface. */
function keepingTaken(scope: Scope, surface: "rest" | "mcp"): Fault {
  const kept = new WeakSet<object>();
  const around: Around = (world, call, perform) => {
    const patched = routeOf(call) === patch ? world.keys[param(call, "key_id")] : undefined;
    const had = patched?.scopes.includes(scope);
    const key = keyOf(world, call);
    const isKept = surface === "rest" && key !== undefined && kept.has(key);
    const reply = pretending(isKept ? key : undefined, { scopes: [...(key?.scopes ?? []), scope] }, () => perform(world, call));
    if (had && !patched?.scopes.includes(scope)) kept.add(patched!);
    return reply;
  };
  const aroundTool: AroundTool = (world, call, performTool) =>
    performTool(world, surface === "mcp" && kept.has(call.caller.key) ? withScopes(call, [scope]) : call);
  return { around, aroundTool };
}

function withoutScope(call: IncomingToolCall, scope: Scope): IncomingToolCall {
  const scopes = new Set([...call.caller.scopes].filter((one) => one !== scope));
  return { ...call, caller: { ...call.caller, scopes } };
}
