import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { Key, Workspace, World } from "../../src/service/world/world.js";
import { getBearer, mutantPerValue } from "./family.js";
import { observationsRoute } from "./helpers/routes.js";
import { impersonate } from "./impersonation.js";
import { type Fault, getKey, type Mutant, type WrapCall, type WrapEntry, withTemporaryFields, wrapRoute } from "./mutant.js";
import type { AroundWire, RelayedRequest } from "./wire.js";

const refusals: [clause: ClauseId, who: string, code: ErrorCode][] = [
  ["AUTH-MISSING", "anybody without a key", "missing_key"],
  ["KEY-EXPIRY-401", "an expired key", "expired_key"],
  ["KEY-STATE-REVOKED", "a revoked key", "revoked_key"],
  ["KEY-FENCE-OUTSIDE", "a key of another network", "network_not_allowed"],
  ["WORKSPACE-SUSPEND-401", "a key of a suspended workspace", "workspace_suspended"],
];

const malformed: Record<string, RegExp> = {
  "no token": /^bearer\s*$/i,
  "unknown token": /^bearer +\S+$/i,
  "token with spaces": /^bearer +\S+ +\S/i,
  "other scheme": /^(?!bearer )\S+ +\S+$/i,
  "no scheme": /^(?!bearer$)\S+$/i,
};

/** Mutants that break a clause of AUTH-BEARER-*, AUTH-MALFORMED-*, AUTH-MISSING-* or AUTH-ONE-*. */
export const authenticationMutants: Mutant[] = [
  {
    name: "refuses the key of the observations with the word Bearer instead of requiring that word",
    breaks: "AUTH-BEARER",
    around: wrapRoute(observationsRoute, (world, call, perform) => {
      const { authorization: sent } = call;
      return perform(world, { ...call, authorization: sent?.startsWith("Bearer ") ? sent.slice(7) : `Bearer ${sent}` });
    }),
  },
  {
    name: "accepts the scheme bearer only in small letters instead of in any letter case",
    breaks: "AUTH-BEARER",
    aroundEntry: (_world, authorization, enter) => enter(authorization?.replace(/^Bearer/, "Bear")),
  },
  {
    name: "refuses a key at the tools after its first use on REST instead of accepting it on both",
    breaks: "AUTH-ONE-KEY",
    aroundEntry: exclude(({ id }, _workspace, { rates }) => rates[id]?.plan !== undefined),
  },
  {
    name: "accepts a key with more characters after it instead of answering 401",
    breaks: "AUTH-MALFORMED",
    around(world, call, perform) {
      const key = Object.values(world.keys).find(({ token }) => call.authorization?.startsWith(`Bearer ${token}`));
      return perform(world, key ? { ...call, authorization: `Bearer ${key.token}` } : call);
    },
  },
  ...refusals.flatMap(([clause, who, code]) =>
    mutantPerValue(clause, "request", `accepts ${who} for * instead of answering 401`, {
      rest: (route) => wrapRoute(route, admitting(code)),
      mcp: (method) => admitFor(method, code),
    }),
  ),
  ...mutantPerValue("AUTH-MALFORMED", "malformed key", "accepts a malformed Authorization header (*) instead of answering 401", {
    rest: (form) => (world, call, perform) => {
      const response = perform(world, call);
      const isMeant = response.rule.gate === "authenticate" && isOfForm(form, call.authorization);
      return isMeant ? perform(world, { ...call, authorization: getBearer(world) }) : response;
    },
    mcp: (form) => ({
      aroundEntry(world, authorization, enter) {
        const entered = enter(authorization);
        return "refused" in entered && isOfForm(form, authorization) ? enter(getBearer(world)) : entered;
      },
    }),
  }),
  ...[
    { place: "the header X-API-Key", keyIn: ({ headers }: RelayedRequest) => headers["x-api-key"] },
    { place: "the query", keyIn: ({ path }: RelayedRequest) => /[?&]access_token=([^&]+)/.exec(path)?.[1] },
  ].map(
    ({ place, keyIn }): Mutant => ({
      name: `takes a key from ${place} too instead of only from the header Authorization`,
      breaks: "AUTH-MISSING",
      aroundWire: (relayedRequest, send) => {
        const key = relayedRequest.headers.authorization === undefined ? keyIn(relayedRequest) : undefined;
        return send(
          key === undefined
            ? relayedRequest
            : { ...relayedRequest, headers: { ...relayedRequest.headers, authorization: `Bearer ${key}` } },
        );
      },
    }),
  ),
  {
    name: "finds a key anywhere in an Authorization header instead of only after the scheme",
    breaks: "AUTH-MALFORMED",
    around(world, call, perform) {
      const found = /bearer +([^\s]+)/i.exec(call.authorization ?? "")?.[1];
      return perform(world, found ? { ...call, authorization: `Bearer ${found}` } : call);
    },
  },
  ...(
    [
      ["none", "AUTH-MISSING"],
      ["expired", "KEY-EXPIRY-401"],
      ["revoked", "KEY-STATE-REVOKED"],
      ["fenced", "KEY-FENCE-OUTSIDE"],
      ["suspended", "WORKSPACE-SUSPEND-401"],
      ["viewer", "SCOPE-SURFACES"],
    ] satisfies [string, ClauseId][]
  ).map(
    ([who, breaks]): Mutant => ({
      name: `confuses the key ${who} with another key at the tools of the app host instead of using the given one`,
      breaks,
      aroundWire: impersonate(who, ({ host, path }) => host === "app" && path === "/mcp/"),
    }),
  ),
];

/** Refuses some keys at the tool server. */
function exclude(isBarred: (key: Key, workspace: Workspace, world: World) => boolean): WrapEntry {
  return (world, authorization, enter) => {
    const caller = enter(authorization);
    if ("refused" in caller || !caller.key) return caller;
    return isBarred(caller.key, caller.workspace, world) ? enter(undefined) : caller;
  };
}

/** Serves a key that is refused for this reason. */
function admitting(code: ErrorCode): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    if (response.rule.code !== code) return response;
    const key = getKey(world, call);
    if (!key) return perform(world, { ...call, authorization: getBearer(world) });
    const liveFields: Partial<Key> = { expires_at: null, revoked_at: null, allowed_cidrs: null };
    return withTemporaryFields(world.workspaces[key.workspace], { state: "active" }, () =>
      withTemporaryFields(key, liveFields, () => perform(world, call)),
    );
  };
}

/** The tool server knows only the caller, not the requested tool. The wire knows the tool, and gets the reason of the refusal here. */
function admitFor(method: string, code: ErrorCode): Fault {
  const refused = new Map<string | undefined, { code: ErrorCode | null; bearer: string }>();
  const aroundEntry: WrapEntry = (world, authorization, enter) => {
    const entered = enter(authorization);
    if ("refused" in entered)
      refused.set(authorization, {
        code: getRefusalCode(world, authorization, entered.refused.rule.code),
        bearer: getBearer(world),
      });
    return entered;
  };
  const aroundWire: AroundWire = async (relayedRequest, send) => {
    const response = await send(relayedRequest);
    const why = refused.get(relayedRequest.headers.authorization as string | undefined);
    const isMeant = response.status === 401 && getMethod(relayedRequest) === method && why?.code === code;
    return isMeant ? send({ ...relayedRequest, headers: { ...relayedRequest.headers, authorization: why.bearer } }) : response;
  };
  return { aroundEntry, aroundWire };
}

/** The tool server does not say that a workspace is suspended. */
function getRefusalCode(world: World, authorization: string | undefined, refusalCode: ErrorCode | null): ErrorCode | null {
  const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
  const isSuspended = world.workspaces[key?.workspace ?? ""]?.state === "suspended";
  return refusalCode === "invalid_key" && isSuspended ? "workspace_suspended" : refusalCode;
}

function getMethod({ path, text }: RelayedRequest): string | undefined {
  if (path !== "/mcp/") return undefined;
  return /"method"\s*:\s*"([^"]+)"/.exec(text)?.[1];
}

function isOfForm(form: string, authorization: string | undefined): boolean {
  return authorization !== undefined && malformed[form]?.test(authorization) === true;
}
