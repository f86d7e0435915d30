import type { Key } from "../../src/service/world.js";
import { type Around, keyOf, type Mutant, param, pretending, routeOf, withError } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const day = 86_400_000;

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
    name: "lets a revoked key in",
    breaks: "KEY-STATE-REVOKED",
    around: (world, call, perform) => pretending(keyOf(world, call), { revoked_at: null }, () => perform(world, call)),
  },
  {
    name: "has no fence around its keys",
    breaks: "KEY-FENCE-OUTSIDE",
    around: (world, call, perform) => pretending(keyOf(world, call), { allowed_cidrs: null }, () => perform(world, call)),
  },
  {
    name: "lets a fenced key in from nowhere",
    breaks: "KEY-FENCE-INSIDE",
    around: (world, call, perform) => perform(world, { ...call, ip: "198.51.100.1" }),
  },
  {
    name: "believes the address that a client claims",
    breaks: "KEY-FENCE-CLOSED",
    aroundWire: (asked, send) => {
      const isClaimed = asked.headers["x-forwarded-for"] === "203.0.113.9";
      const authorization = String(asked.headers.authorization).replace(/fenced$/, "full");
      return send(isClaimed ? { ...asked, headers: { ...asked.headers, authorization } } : asked);
    },
  },
  {
    name: "says that another workspace's job is forbidden",
    breaks: "KEY-WORKSPACE-GET",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.status === 404 && world.jobs[param(call, "job_id")] ? { ...reply, status: 403 } : reply;
    },
  },
  {
    name: "cancels another workspace's job",
    breaks: "KEY-WORKSPACE",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) !== "POST /api/jobs/{job_id}/cancel" || !job) return perform(world, call);
      return pretending(keyOf(world, call), { workspace: job.workspace }, () => perform(world, call));
    },
  },
  {
    name: "answers a missing scope with 401",
    breaks: "SCOPE-REFUSED-STATUS",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (reply.rule.code !== "insufficient_scope") return reply;
      return { ...withError(reply, { type: "authentication_error" }), status: 401 };
    },
  },
  {
    name: "lets a viewer retry jobs",
    breaks: "SCOPE-VIEW-SUBMIT",
    around: allowing("POST /api/jobs/{job_id}/retry", "submit_audit_jobs"),
  },
  {
    name: "lets a viewer acknowledge observations",
    breaks: "SCOPE-VIEW-TRIAGE",
    around: allowing("POST /api/observations/{ref}/acknowledge", "triage_observations"),
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
  { name: "lets a triage key submit audits", breaks: "SCOPE-REFUSED", around: allowing(submit, "submit_audit_jobs") },
  {
    name: "lets a high ceiling of a key stand above the buckets",
    breaks: "KEY-CEILING-TIGHTEN",
    around(world, call, perform) {
      const key = keyOf(world, call);
      if (key?.requests_per_minute && key.requests_per_minute > 3000) delete world.rates[key.id];
      return perform(world, call);
    },
  },
  {
    name: "holds a key without a ceiling to a hundred requests",
    breaks: "KEY-CEILING-OMITTED",
    around(world, call, perform) {
      const key = keyOf(world, call);
      return pretending(key, { requests_per_minute: key?.requests_per_minute ?? 100 }, () => perform(world, call));
    },
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
