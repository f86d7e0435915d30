import type { Ask } from "../ask.js";
import { stopped, TRESPASSERS } from "../callers.js";
import type { Command } from "../command.js";
import { hasTool, type Journey, request } from "../journey.js";
import type { Operation } from "../operations.js";
import { newestFirst, registered } from "./choices.js";

/** What they ask for, in the order of its picks. */
export const FORBIDDEN: readonly Operation[] = [
  "POST /api/repos/{owner}/{repo}/{branch}/jobs",
  "POST /api/jobs/{job_id}/retry",
  "POST /api/jobs/{job_id}/cancel",
  "GET /api/jobs/{job_id}",
  "GET /api/jobs",
  "POST /api/observations/{ref}/fix",
  "POST /api/observations/{ref}/dismiss",
  "POST /api/observations/{ref}/acknowledge",
  "POST /api/observations/{ref}/complete",
  "POST /api/observations/{ref}/reopen",
  "POST /api/observations/{ref}/publish-ticket",
  "GET /api/observations/{ref}",
  "POST /api/repos",
  "POST /api/repos/{owner}/{repo}/{branch}/reset",
  "DELETE /api/repos/{owner}/{repo}/{branch}",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "request_fix",
  "canonical_pattern",
  "update_repository_metadata",
  "set_guidance",
  "set_workspace_context",
  "set_setting",
  "set_learn_mode",
];

const BODIES: Readonly<Partial<Record<Operation, Record<string, unknown>>>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": { workflow: "standard_audit", params: {} },
  "POST /api/observations/{ref}/dismiss": { dismissal_category: "other", dismissal_note: "{text:20}" },
  "POST /api/observations/{ref}/reopen": { reopen_reason: "{text:20}" },
  "POST /api/repos": { access_mode: "anonymous" },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": { findings: true },
  update_repository_metadata: { pr_review_enabled: true },
  set_guidance: { guidance: "Keep changes small." },
  set_workspace_context: { context: "A shop and its back office." },
  set_setting: { setting: "audit_timeout_s", value: 1800 },
  set_learn_mode: { learn_mode: true },
};

/** A request of a caller who must be refused it. What is not said to be refused is not sent. */
const trespass: Command = {
  picks: ["what", "as", "surface"],
  weight: 8,
  async play(journey, pick) {
    const what = pick("what", FORBIDDEN) ?? "GET /api/jobs";
    const as = pick("as", TRESPASSERS) ?? "viewer";
    const by = pick("surface", ["rest", "tool"] as const) ?? "rest";
    const ask = askFor(journey, { what, as, by });
    if (!ask || !journey.scene.offers(`key.${as}`)) return undefined;
    const withoutPermission = as === "no_delete" && what.startsWith("DELETE ");
    if (!withoutPermission && !stopped(journey.states, ask)) return undefined;
    if (by === "tool" ? !hasTool(journey, ask) : !/^[A-Z]+ \//.test(what)) return undefined;
    return (await request(journey, ask)).failure;
  },
};

/** The request for the newest thing that it can be about, if there is one. */
function askFor({ states }: Journey, { what, as, by }: Pick<Ask, "what" | "as" | "by">): Ask | undefined {
  const job = newestFirst(states.jobs)[0];
  const ref = newestFirst(states.observations)[0];
  const spare = registered(states).find((name) => name.startsWith("spare"));
  const body = BODIES[what];
  const ask: Ask = { what, as, by, ...(body && { with: body }) };
  if (what === "request_fix") return job !== undefined && ref !== undefined ? { ...ask, job, ref } : undefined;
  if (what.includes("{job_id}")) return job === undefined ? undefined : { ...ask, job };
  if (what.includes("{ref}")) return ref === undefined ? undefined : { ...ask, ref };
  if (what.startsWith("DELETE ") || what.endsWith("/reset")) return spare === undefined ? undefined : { ...ask, repo: spare };
  if (what === "POST /api/repos") return { ...ask, repo: "spare4" };
  return what.includes("{repo}") || what === "canonical_pattern" || what === "update_repository_metadata"
    ? { ...ask, repo: "repo" }
    : ask;
}

/** What a case can ask for in vain. */
export const trespassCommands = { trespass };
