import type { Key } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { afterPatch, changeKeyAfterPatch, changeKeyAgainstRules } from "./helpers/keys.js";
import { impersonate } from "./impersonation.js";
import { type Fault, getKey, type Mutant, withTemporaryFields } from "./mutant.js";
import type { AroundWire, RelayedRequest } from "./wire.js";

/** The forms of networks that contain this machine. */
const within: Record<string, RegExp> = {
  host: /^127\.0\.0\.1$/,
  "/32": /\/32$/,
  "/31": /\/31$/,
  "/24": /\/24$/,
  "/8": /\/8$/,
  "/0": /\/0$/,
};

const beside: Record<string, RegExp> = {
  "host before": /^127\.0\.0\.0$/,
  "host after": /^127\.0\.0\.2$/,
  "/32": /\..*\/32$/,
  "/31": /\/31$/,
  "/25": /\/25$/,
  "/24": /^127.*\/24$/,
  "/8": /\/8$/,
  "/1": /\/1$/,
  "IPv6 host": /^[^/]*:[^/]*$/,
  "IPv6 range": /:.*\//,
};

/** Mutants that break a clause of KEY-FENCE-*. */
export const keyFencesMutants: Mutant[] = [
  {
    name: "accepts a fenced key from any address instead of its networks alone",
    breaks: "KEY-FENCE-INSIDE",
    around: (world, call, perform) => perform(world, { ...call, ip: "198.51.100.1" }),
  },
  changeKeyAgainstRules("lets the owner remove a fence instead of refusing it", "KEY-FENCE-IMMUTABLE", (key, sentBody) => {
    if ("allowed_cidrs" in sentBody) key.allowed_cidrs = null;
    return "allowed_cidrs" in sentBody;
  }),
  {
    name: "compares only the first network of a fence instead of all",
    breaks: "KEY-FENCE-INSIDE",
    around(world, call, perform) {
      const key = getKey(world, call);
      const fence = key?.allowed_cidrs?.slice(0, 1) ?? null;
      return withTemporaryFields(key, { allowed_cidrs: fence }, () => perform(world, call));
    },
  },
  ...mutantPerValue("KEY-FENCE-CLOSED", "claimed address", "trusts the address in * instead of the connection", {
    rest: (header) => ({ aroundWire: trustHeader(header, "/api/") }),
    mcp: (header) => ({ aroundWire: trustHeader(header, "/mcp/") }),
  }),
  changeKeyAfterPatch(
    "adds a fence to a key by PATCH instead of refusing it",
    "KEY-FENCE-IMMUTABLE",
    (key, { sent: { allowed_cidrs } }) => {
      if (!key.allowed_cidrs && Array.isArray(allowed_cidrs)) key.allowed_cidrs = allowed_cidrs;
    },
  ),
  changeKeyAfterPatch("removes the fence of a key by PATCH instead of refusing it", "KEY-FENCE-IMMUTABLE", (key, { sent }) => {
    if ("allowed_cidrs" in sent && (sent.allowed_cidrs as string[] | null)?.length !== 2) key.allowed_cidrs = null;
  }),
  ...["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip", "forwarded"].flatMap((header) =>
    [/^\/api\//, /^\/mcp\//].map((place): Mutant => {
      const isClaimed = ({ headers, path }: RelayedRequest) =>
        place.test(path) && String(headers[header]).includes("203.0.113.9");
      return {
        name: `trusts ${header} at ${place.source} instead of the connection`,
        breaks: "KEY-FENCE-CLOSED",
        aroundWire: impersonate("fenced", isClaimed),
      };
    }),
  ),
  ...mutantPerValue(
    "KEY-FENCE-INSIDE",
    "network with caller",
    "refuses callers inside a network like * instead of accepting them",
    {
      rest: (form) => onRest(within[form], ["198.51.100.1"]),
      mcp: (form) => onTools(within[form], ["198.51.100.1"]),
    },
  ),
  ...mutantPerValue(
    "KEY-FENCE-OUTSIDE",
    "network beside caller",
    "accepts callers outside a network like * instead of refusing them",
    {
      rest: (form) => onRest(beside[form], null),
      mcp: (form) => onTools(beside[form], null),
    },
  ),
  {
    name: "widens the fence of a key by PATCH instead of refusing it",
    breaks: "KEY-FENCE-IMMUTABLE",
    around: afterPatch((key, { status, sent: { allowed_cidrs } }) => {
      if (status === 400 && allowed_cidrs) key.allowed_cidrs = allowed_cidrs as string[];
    }),
  },
];

function trustHeader(header: string, place: string): AroundWire {
  return async (relayedRequest, send) => {
    const response = await send(relayedRequest);
    const isMeant =
      response.status === 401 && relayedRequest.path.startsWith(place) && relayedRequest.headers[header] !== undefined;
    const authorization = String(relayedRequest.headers.authorization).replace(/fenced$/, "full");
    return isMeant ? send({ ...relayedRequest, headers: { ...relayedRequest.headers, authorization } }) : response;
  };
}

/** Replaces the fence of a key if the fence has this form. */
function onRest(form: RegExp | undefined, fence: string[] | null): Fault {
  return {
    around(world, call, perform) {
      const key = getKey(world, call);
      return withTemporaryFields(hasFence(key, form) ? key : undefined, { allowed_cidrs: fence }, () => perform(world, call));
    },
  };
}

function onTools(form: RegExp | undefined, fence: string[] | null): Fault {
  return {
    aroundEntry(world, authorization, enter) {
      const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
      if (!key || !hasFence(key, form)) return enter(authorization);
      const { allowed_cidrs } = key;
      key.allowed_cidrs = fence;
      const entered = enter(authorization);
      key.allowed_cidrs = allowed_cidrs;
      return entered;
    },
  };
}

function hasFence(key: Key | undefined, form: RegExp | undefined): boolean {
  const [only, ...others] = key?.allowed_cidrs ?? [];
  return only !== undefined && others.length === 0 && form?.test(only) === true;
}
