import type { ClauseId } from "../../src/contract/types.js";
import type { Session } from "../../src/service/world/world.js";
import { type Around, bodyOf, type Mutant, onRoute, pretending, sessionOf, withBody, withQuery } from "./mutant.js";
import { taking } from "./posing.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const dismiss = "POST /api/observations/{ref}/dismiss";

/** Faults that show where somebody comes in by another door: at the app host, or signed in. */
export const otherDoorMutants: Mutant[] = [
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
      name: `takes the key ${who} for another at the tools of the app host`,
      breaks,
      aroundWire: taking(who, ({ host, path }) => host === "app" && path === "/mcp/"),
    }),
  ),
  ...(
    [
      ["expired", "KEY-EXPIRY-401"],
      ["revoked", "KEY-STATE-REVOKED"],
      ["fenced", "KEY-FENCE-OUTSIDE"],
      ["suspended", "WORKSPACE-SUSPEND-401"],
      ["viewer", "SCOPE-VIEW-TRIAGE"],
    ] satisfies [string, ClauseId][]
  ).map(
    ([who, breaks]): Mutant => ({
      name: `takes the key ${who} for another on REST of the app host`,
      breaks,
      aroundWire: taking(who, ({ host, path }) => host === "app" && path.startsWith("/api/")),
    }),
  ),
  signedIn("enables the beta suggest for who is signed in", "WORKFLOW-BETA-SUGGEST", submit, (world, call, perform, session) =>
    pretending(world.workspaces[session.workspace], { features: ["task", "suggest"] }, () => perform(world, call)),
  ),
  signedIn("submits an audit for the retired one of who is signed in", "WORKFLOW-MINI-RETIRED", submit, (world, call, perform) =>
    perform(world, bodyOf(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call),
  ),
  signedIn("gives credit to who is signed in", "JOB-SUBMIT-CREDIT", submit, (world, call, perform, session) =>
    pretending(world.workspaces[session.workspace], { credit_usd: 1000 }, () => perform(world, call)),
  ),
  signedIn("says to who is signed in that a job is new which is in flight", "DEDUPE-INFLIGHT", submit, (world, call, perform) => {
    const reply = perform(world, call);
    return reply.status === 200 ? { ...reply, status: 201 } : reply;
  }),
  signedIn("cuts a limit down for who is signed in", "PAGE-LIMIT-OVER", "GET /api/observations", (world, call, perform) =>
    perform(world, Number(call.query.limit?.at(-1)) > 200 ? withQuery(call, { limit: "200" }) : call),
  ),
  signedIn("takes a note of any length of who is signed in", "OBS-DISMISS-NOTE-SHORT", dismiss, (world, call, perform) =>
    perform(world, withBody(call, { dismissal_note: String(bodyOf(call).dismissal_note).padEnd(10, ".") })),
  ),
  signedIn("takes any category of who is signed in", "OBS-DISMISS-CATEGORY-OTHER", dismiss, (world, call, perform) =>
    perform(world, withBody(call, { dismissal_category: "other" })),
  ),
  signedIn("discovers nothing for who is signed in", "REPO-REGISTER-DISCOVERS", "POST /api/repos", (world, call, perform) => {
    const before = new Set(world.agenda);
    const reply = perform(world, call);
    world.agenda = world.agenda.filter((entry) => before.has(entry) || entry.event !== "enqueue-discovery");
    return reply;
  }),
];

type SignedIn = (...around: [...Parameters<Around>, session: Session]) => ReturnType<Around>;

/** A fault of one route for who is signed in. */
function signedIn(name: string, breaks: ClauseId, route: string, around: SignedIn): Mutant {
  return {
    name,
    breaks,
    around: onRoute(route, (world, call, perform) => {
      const session = call.authorization === undefined ? sessionOf(world, call) : undefined;
      return session ? around(world, call, perform, session) : perform(world, call);
    }),
  };
}
