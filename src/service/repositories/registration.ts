import { contract } from "../../contract/load.js";
import { type Call, type Objection, type Outcome, ok, refuse } from "../call.js";
import { admitRun } from "../limits/admission.js";
import { schedule } from "../world/agenda.js";
import { repoByTriple } from "../world/lookups.js";
import type { CodeHost, Repo, Workspace, World } from "../world/world.js";
import { createRepo, liveRepos, repoView } from "./repos.js";

interface RegistrationBody {
  owner: string;
  repo: string;
  branch: string;
  access_mode: Repo["access_mode"];
}

const rowDelayMs = contract.limits.dispatch.discovery_row_seconds * 1000;

/**
 * Registers a repository and, where its cost is admitted, has a discovery run follow. REPO-REGISTER-ROUTE, REPO-FIELD-DISCOVER-NULL.
 * SPEND-REGISTER: the run's cost is drawn here, from the key that asked. REPO-REGISTER-NOCREDIT: only a used-up hour refuses the
 * registration itself; what else would refuse a manual `discover` leaves a 201 without a run.
 */
export function registerRepo(world: World, call: Call): Outcome {
  const body = { access_mode: "installed", ...(call.body as object) } as RegistrationBody; // REPO-FIELD-ACCESS-DEFAULT
  const { workspace } = call.caller;
  const refused =
    refuseUnverified(world) ??
    refuseTwice(world, workspace, body) ??
    refuseUnserved(world, body) ??
    refuseCap(world, workspace, body);
  if (refused) return refused;
  const unpaid = admitRun(world, call.caller, "discover");
  if (unpaid?.refusal.code === "rate_limit_budget") return unpaid;
  const { owner, repo, branch, access_mode } = body;
  const row = createRepo(world, { workspace: workspace.id, owner, repo, branch, access_mode });
  const delayMs = world.options.work === "time" ? rowDelayMs : 0;
  if (!unpaid) schedule(world, { at: world.now + delayMs, event: "enqueue-discovery", repo: row.id });
  return ok(201, { ...repoView(row), discover_job_id: null });
}

/** REPO-REGISTER-UNVERIFIED: without the code host nothing can be said about the repository. */
function refuseUnverified({ codeHost: { outage } }: World): Objection {
  if (!outage) return null;
  const message = "The repository could not be verified with the code host. Try again.";
  return refuse("service_unavailable", { message, ...(outage.retry_after !== null && { retryAfter: outage.retry_after }) });
}

/** REPO-REGISTER-TWICE, REPO-REGISTER-TWICE-ECHO. */
function refuseTwice(world: World, workspace: Workspace, { owner, repo, branch }: RegistrationBody): Objection {
  const existing = repoByTriple(world, workspace.id, owner, repo, branch);
  if (!existing) return null;
  const message = `${existing.slug} is already in the workspace.`;
  return refuse("repo_already_registered", { message, fields: { details: { repo_name: existing.slug } } });
}

/** REPO-REGISTER-NOTPUBLIC: private or gone. The installed app sees what is private, but not what is gone (assumed). */
function refuseUnserved({ codeHost }: World, body: RegistrationBody): Objection {
  const gone = lists(codeHost.gone, body);
  if (body.access_mode === "anonymous") return gone || lists(codeHost.private, body) ? refuse("repo_no_longer_public") : null;
  return gone ? refuse("bad_request", { message: "The code host does not have this repository and branch." }) : null;
}

/** One count limit, told in two codes. REPO-REGISTER-CAP, REPO-REGISTER-CAP-ANONYMOUS. */
function refuseCap(world: World, workspace: Workspace, { access_mode }: RegistrationBody): Objection {
  const cap = workspace.repo_cap ?? world.plans[workspace.plan].repo_cap;
  if (cap === null || liveRepos(world, workspace.id).length < cap) return null;
  return refuse(access_mode === "anonymous" ? "repo_cap_exceeded" : "plan_repo_cap_exceeded");
}

function lists(entries: CodeHost["private"], { owner, repo, branch }: RegistrationBody): boolean {
  return entries.includes(`${owner}/${repo}`) || entries.includes(`${owner}/${repo}/${branch}`);
}
