import type { IncomingCall } from "../../src/service/call.js";
import type { Key, World } from "../../src/service/world/world.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param, pretending, routeOf, withError } from "./mutant.js";

const day = 86_400_000;
const minute = 60_000;

/** Faults in whom a key lets in, and to what. */
export const accessMutants: Mutant[] = [
  {
    name: "lets a key work a day longer",
    breaks: "KEY-EXPIRY-401",
    around(world, call, perform) {
      const key = keyOf(world, call);
      return pretending(key, { expires_at: key?.expires_at ? key.expires_at + day : null }, () => perform(world, call));
    },
  },
  {
    name: "lets a key work until the minute of its end is over",
    breaks: "KEY-EXPIRY-401",
    around(world, call, perform) {
      const key = keyOf(world, call);
      const end = key?.expires_at ? Math.ceil(key.expires_at / minute) * minute : null;
      return pretending(key, { expires_at: end }, () => perform(world, call));
    },
  },
  {
    name: "lets a fenced key in from nowhere",
    breaks: "KEY-FENCE-INSIDE",
    around: (world, call, perform) => perform(world, { ...call, ip: "198.51.100.1" }),
  },
  {
    name: "lets a viewer register repositories",
    breaks: "SCOPE-VIEW-REGISTER",
    around: allowing("POST /api/repos", "register_repo"),
  },
  {
    name: "lets a viewer spawn fixes",
    breaks: "SCOPE-VIEW-FIX",
    around: allowing("POST /api/observations/{ref}/fix", "submit_fix_jobs"),
  },
  {
    name: "lets a viewer retry fixes",
    breaks: "SCOPE-VIEW-SUBMIT",
    around: allowingFix("POST /api/jobs/{job_id}/retry", ({ jobs }, call) => jobs[param(call, "job_id")]?.workflow),
  },
  {
    name: "lets a viewer submit fixes as jobs",
    breaks: "SCOPE-VIEW-FIX",
    around: allowingFix("POST /api/repos/{owner}/{repo}/{branch}/jobs", (_world, call) => bodyOf(call).workflow),
  },
  {
    name: "does not say that a workspace is suspended",
    breaks: "WORKSPACE-SUSPEND-MESSAGE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "workspace_suspended"
        ? withError(reply, { code: "invalid_key", message: "This key is not valid." })
        : reply;
    },
  },
];

/** Gives every key a scope on one route. */
function allowing(route: string, scope: Key["scopes"][number]): Around {
  return (world, call, perform) => {
    const key = routeOf(call) === route ? keyOf(world, call) : undefined;
    return pretending(key, { scopes: [...(key?.scopes ?? []), scope] }, () => perform(world, call));
  };
}

/** Gives every key the scopes for a fix on one route, where it is one. */
function allowingFix(route: string, workflowOf: (world: World, call: IncomingCall) => unknown): Around {
  return onRoute(route, (world, call, perform) => {
    const key = workflowOf(world, call) === "fix" ? keyOf(world, call) : undefined;
    const scopes: Key["scopes"] = [...(key?.scopes ?? []), "submit_audit_jobs", "submit_fix_jobs"];
    return pretending(key, { scopes }, () => perform(world, call));
  });
}
