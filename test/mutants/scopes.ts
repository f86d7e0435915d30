import { contract } from "../../src/contract/load.js";
import { routes } from "../../src/contract/routes.js";
import type { RouteName, Scope } from "../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Key, World } from "../../src/service/world/world.js";
import { changeMatchingResponses, getValues, mutantPerValue } from "./family.js";
import {
  addScopes,
  ceilingNames,
  changeKeyAfterSuccessfulPatch,
  changeKeyAgainstRules,
  changePatchBody,
  getFirstScopes,
  openToEveryKey,
  sessionWithRole,
  withPatchBody,
} from "./helpers/keys.js";
import { changeKeyRoute, createKeyRoute, retryRoute, submitRoute } from "./helpers/routes.js";
import {
  type AroundTool,
  type Fault,
  getBody,
  getKey,
  getRoute,
  type Mutant,
  param,
  type WrapCall,
  withBody,
  withError,
  withScopes,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const everyScope = contract.enums.Scope;

/** Mutants that break a clause of SCOPE-NAMES-*, SCOPE-NARROW-*, SCOPE-OWNER-*, SCOPE-REFUSED-*, SCOPE-SURFACES-*, SCOPE-VIEW-* or SCOPE-WORKFLOW-*. */
export const scopesMutants: Mutant[] = [
  {
    name: "lets a viewer register repositories instead of answering 403",
    breaks: "SCOPE-VIEW-REGISTER",
    around: allowScope("POST /api/repos", "register_repo"),
  },
  {
    name: "lets a viewer start fixes instead of answering 403",
    breaks: "SCOPE-VIEW-FIX",
    around: allowScope("POST /api/observations/{ref}/fix", "submit_fix_jobs"),
  },
  {
    name: "lets a viewer retry fixes instead of answering 403",
    breaks: "SCOPE-VIEW-SUBMIT",
    around: allowFix("POST /api/jobs/{job_id}/retry", ({ jobs }, call) => jobs[param(call, "job_id")]?.workflow),
  },
  {
    name: "lets a viewer submit fixes as jobs instead of answering 403",
    breaks: "SCOPE-VIEW-FIX",
    around: allowFix("POST /api/repos/{owner}/{repo}/{branch}/jobs", (_world, call) => getBody(call).workflow),
  },
  changeKeyAfterSuccessfulPatch(
    "restores the first scopes of a key whose ceilings change instead of keeping them narrowed",
    "SCOPE-NARROW",
    (key, { sent, first }) => {
      if (!("scopes" in sent)) key.scopes = first;
    },
  ),
  {
    name: "lets a PATCH restore the first scopes of a key instead of refusing it",
    breaks: "SCOPE-NARROW",
    around: wrapRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      return key
        ? withTemporaryFields(key, { scopes: getFirstScopes(world, key) }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  changeKeyAgainstRules("lets the owner widen a key instead of refusing it", "SCOPE-NARROW", (key, { scopes }) => {
    if (Array.isArray(scopes)) key.scopes = scopes;
    return Array.isArray(scopes);
  }),
  changePatchBody(
    "accepts other scopes of the same number instead of refusing them",
    "SCOPE-NARROW",
    (key, { scopes, ...rest }) => {
      if (!Array.isArray(scopes) || scopes.length > key.scopes.length) return { scopes, ...rest };
      key.scopes = scopes;
      return { scopes, ...rest };
    },
  ),
  changePatchBody("treats an empty list of scopes as no change instead of removing all", "SCOPE-REFUSED", (key, sentBody) =>
    Array.isArray(sentBody.scopes) && sentBody.scopes.length === 0 ? { ...sentBody, scopes: key.scopes } : sentBody,
  ),
  {
    name: "lets a key without scopes do everything instead of nothing",
    breaks: "SCOPE-REFUSED",
    around(world, call, perform) {
      const key = getKey(world, call);
      const fullScopes = Object.values(world.keys)[0]?.scopes ?? [];
      return withTemporaryFields(key?.scopes.length === 0 ? key : undefined, { scopes: fullScopes }, () => perform(world, call));
    },
  },
  {
    name: "gives a key of the owner every scope instead of its own",
    breaks: "SCOPE-OWNER",
    around: wrapRoute(createKeyRoute, (world, call, perform) =>
      perform(world, sessionWithRole(world, call, "owner") ? withBody(call, { scopes: everyScope }) : call),
    ),
  },
  ...mutantPerValue("SCOPE-SURFACES", "enforced scope", "treats every key as having * instead of its own scopes", {
    rest: (scope) => addScopes(() => true, [scope as Scope]),
    mcp: (scope) => ({ aroundTool: (world, call, perform) => perform(world, withScopes(call, [scope as Scope])) }),
  }),
  ...mutantPerValue(
    "SCOPE-REFUSED",
    "enforced scope",
    "answers success where * is missing and does nothing instead of answering 403",
    {
      rest: (scope) => changeMatchingResponses(lacks(scope), (response) => ({ ...response, status: 200, body: {} })),
      mcp: (scope) => ({
        aroundTool(world, call, performTool) {
          const response = performTool(world, call);
          return lacks(scope)(response) ? { ...response, status: 200, body: {} } : response;
        },
      }),
    },
  ),
  ...scopedRoutes().flatMap(([route, scope]): Mutant[] => [
    {
      name: `requires no scope for ${route} instead of the stated one`,
      breaks: "SCOPE-REFUSED",
      value: { surface: "rest", dimension: "enforced scope", value: scope },
      around: addScopes((asked) => asked === route, [scope]),
    },
  ]),
  ...mutantPerValue("SCOPE-REFUSED-STATUS", "enforced scope", "answers 401 where * is missing instead of 403", {
    rest: (scope) =>
      changeMatchingResponses(lacks(scope), (response) => ({
        ...withError(response, { type: "authentication_error" }),
        status: 401,
      })),
  }),
  {
    name: "answers 422 where triage_observations is missing instead of 403",
    breaks: "SCOPE-REFUSED-STATUS",
    around: changeMatchingResponses(lacks("triage_observations"), (response) => ({
      ...withError(response, { type: "invalid_request_error", code: "bad_request" }),
      status: 422,
    })),
  },
  ...mutantPerValue(
    "SCOPE-NARROW",
    "enforced scope",
    "answers that it refuses to add * to a key and adds it instead of keeping the scopes",
    {
      rest: (scope) =>
        wrapRoute(changeKeyRoute, (world, call, perform) => {
          const response = perform(world, call);
          const { scopes } = getBody(call) as { scopes?: Scope[] };
          const key = world.keys[param(call, "key_id")];
          if (response.status === 400 && key && scopes?.includes(scope as Scope)) key.scopes = [...key.scopes, scope as Scope];
          return response;
        }),
    },
  ),
  ...mutantPerValue(
    "SCOPE-WORKFLOW",
    "workflow with a scope",
    "starts a * over REST without its scope instead of refusing it",
    (workflow) => withoutOwnScope((_route, started) => started === workflow),
  ),
  ...mutantPerValue(
    "SCOPE-WORKFLOW",
    "starting operation",
    "requires submit_audit_jobs alone for every workflow on * instead of the scope of the workflow too",
    (route) => withoutOwnScope((asked) => asked === route),
  ),
  ...mutantPerValue("SCOPE-NARROW", "enforced scope", "adds * to a key by PATCH instead of refusing it", {
    rest: (scope) =>
      wrapRoute(changeKeyRoute, (world, call, perform) => {
        const { scopes } = getBody(call) as { scopes?: Scope[] };
        const key = world.keys[param(call, "key_id")];
        if (key && scopes?.includes(scope as Scope)) key.scopes = [...new Set([...key.scopes, scope as Scope])];
        return perform(world, call);
      }),
  }),
  ...mutantPerValue(
    "SCOPE-NARROW-EFFECT",
    "enforced scope",
    "answers that * is removed from a key and still accepts it instead of refusing it",
    {
      rest: (scope) => keepRemovedScope(scope as Scope, "rest"),
      mcp: (scope) => keepRemovedScope(scope as Scope, "mcp"),
    },
  ),
  ...mutantPerValue("SCOPE-NAMES", "scope", "refuses the scope * as unknown instead of accepting it", {
    rest: (scope) =>
      wrapRoute(createKeyRoute, (world, call, perform) => {
        const { scopes } = getBody(call) as { scopes?: Scope[] };
        return perform(world, scopes?.includes(scope as Scope) ? withBody(call, { scopes: ["unknown"] }) : call);
      }),
    mcp: (scope) => ({ aroundTool: (world, call, performTool) => performTool(world, withoutScope(call, scope as Scope)) }),
  }),
  ...mutantPerValue("SCOPE-VIEW-SUBMIT", "starting operation", "lets a viewer use * instead of answering 403", openToEveryKey()),
  ...mutantPerValue("SCOPE-VIEW-TRIAGE", "triage operation", "lets a viewer use * instead of answering 403", openToEveryKey()),
  ...mutantPerValue("SCOPE-VIEW-DELETE", "destructive route", "lets a viewer use * instead of answering 403", openToEveryKey()),
  {
    name: "ignores narrower scopes in a change that also sets a ceiling instead of narrowing them",
    breaks: "SCOPE-NARROW-EFFECT",
    around: withPatchBody(({ scopes, ...body }) =>
      ceilingNames.some((field) => field in body) ? body : { ...body, ...(scopes !== undefined && { scopes }) },
    ),
  },
  {
    name: "answers a known Idempotency-Key to a key without the scope instead of 403",
    breaks: "SCOPE-VIEW-SUBMIT",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const key = getKey(world, call);
      const isKnown = Object.keys(world.submissions).includes(`${key?.workspace} ${call.idempotencyKey}`);
      return key && isKnown
        ? withTemporaryFields(key, { scopes: [...key.scopes, "submit_audit_jobs"] }, () => perform(world, call))
        : perform(world, call);
    }),
  },
];

/** Gives every key a scope on one route. */
function allowScope(route: string, scope: Key["scopes"][number]): WrapCall {
  return (world, call, perform) => {
    const key = getRoute(call) === route ? getKey(world, call) : undefined;
    return withTemporaryFields(key, { scopes: [...(key?.scopes ?? []), scope] }, () => perform(world, call));
  };
}

/** Starts jobs of some workflows on some routes without the scope of the workflow. */
function withoutOwnScope(isMeant: (route: string, workflow: string) => boolean): WrapCall {
  const own: Readonly<Record<string, Scope>> = { fix: "submit_fix_jobs", task: "submit_task_jobs" };
  return (world, call, perform) => {
    const route = getRoute(call) ?? "";
    const retriedWorkflowName = route === retryRoute ? world.jobs[param(call, "job_id")]?.workflow : undefined;
    const workflow = String(route === submitRoute ? getBody(call).workflow : retriedWorkflowName);
    const scope = isMeant(route, workflow) ? own[workflow] : undefined;
    const key = scope && getKey(world, call);
    return key ? withTemporaryFields(key, { scopes: [...key.scopes, scope] }, () => perform(world, call)) : perform(world, call);
  };
}

/** Gives every key the scopes for a fix on one route, if the submission is a fix. */
function allowFix(route: string, workflowOf: (world: World, call: IncomingCall) => unknown): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const key = workflowOf(world, call) === "fix" ? getKey(world, call) : undefined;
    const scopes: Key["scopes"] = [...(key?.scopes ?? []), "submit_audit_jobs", "submit_fix_jobs"];
    return withTemporaryFields(key, { scopes }, () => perform(world, call));
  });
}

/** Returns each route with the scope that the contract names for it or for its tool. It names none for cancelling. */
function scopedRoutes(): [route: RouteName, scope: Scope][] {
  const admittedScopes = getValues("enforced scope", "rest");
  const names = (Object.keys(routes) as RouteName[]).filter((route) => route !== "POST /api/jobs/{job_id}/cancel");
  return names.flatMap((route) =>
    (routes[route].operation["x-scopes"] ?? [])
      .filter((scope) => admittedScopes.includes(scope))
      .map((scope) => [route, scope] as [RouteName, Scope]),
  );
}

function lacks(scope: string): (response: Pick<ServiceResponse, "rule" | "body">) => boolean {
  return ({ rule, body }) => rule.code === "insufficient_scope" && JSON.stringify(body).includes(` ${scope}.`);
}

/** A server that shows a key without the scope it lost, and admits it as before on one surface. */
function keepRemovedScope(scope: Scope, surface: "rest" | "mcp"): Fault {
  const kept = new WeakSet<object>();
  const around: WrapCall = (world, call, perform) => {
    const patchedKey = getRoute(call) === changeKeyRoute ? world.keys[param(call, "key_id")] : undefined;
    const had = patchedKey?.scopes.includes(scope);
    const key = getKey(world, call);
    const isKept = surface === "rest" && key !== undefined && kept.has(key);
    const response = withTemporaryFields(isKept ? key : undefined, { scopes: [...(key?.scopes ?? []), scope] }, () =>
      perform(world, call),
    );
    if (had && !patchedKey?.scopes.includes(scope)) kept.add(patchedKey!);
    return response;
  };
  const aroundTool: AroundTool = (world, call, performTool) =>
    performTool(world, surface === "mcp" && kept.has(call.caller.key) ? withScopes(call, [scope]) : call);
  return { around, aroundTool };
}

function withoutScope(call: IncomingToolCall, scope: Scope): IncomingToolCall {
  const scopes = new Set([...call.caller.scopes].filter((one) => one !== scope));
  return { ...call, caller: { ...call.caller, scopes } };
}
