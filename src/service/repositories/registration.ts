import { contract } from "../../contract/load.js";
import { type Call, type Outcome, type RefusalOrNull, refuse, succeed } from "../call.js";
import { admitRun } from "../limits/admission.js";
import { findRepoByTriple } from "../world/lookups.js";
import { scheduleEvent } from "../world/schedule.js";
import type { CodeHost, Repo, Workspace, World } from "../world/world.js";
import { createRepo, listLiveRepos, showRepo } from "./repos.js";

interface RegistrationBody {
  owner: string;
  repo: string;
  branch: string;
  access_mode: Repo["access_mode"];
}

const rowDelayMs = contract.limits.dispatch.discovery_row_seconds * 1000;

/**
 * Registers a repository and schedules its discovery run, if the cost is admitted. REPO-REGISTER-ROUTE, REPO-FIELD-DISCOVER-NULL.
 * SPEND-REGISTER: the caller's key pays the run here. REPO-REGISTER-NOCREDIT: only a used-up hour refuses the registration; any
 * other refusal of the run gives 201 without a run.
 */
export function registerRepo(world: World, call: Call): Outcome {
  const body = { access_mode: "installed", ...(call.body as object) } as RegistrationBody; // REPO-FIELD-ACCESS-DEFAULT
  const { workspace } = call.caller;
  const refused =
    refuseControlCharacters(body) ??
    refuseUnverified(world) ??
    refuseRegistered(world, workspace, body) ??
    refuseUnserved(world, body) ??
    refuseCap(world, workspace, body);
  if (refused) return refused;
  const refusedRun = admitRun(world, call.caller, "discover");
  if (refusedRun?.refusal.code === "rate_limit_budget") return refusedRun;
  const { owner, repo, branch, access_mode } = body;
  const row = createRepo(world, { workspace: workspace.id, owner, repo, branch, access_mode });
  const delayMs = world.options.work === "time" ? rowDelayMs : 0;
  if (!refusedRun) scheduleEvent(world, { at: world.now + delayMs, event: "enqueue-discovery", repo: row.id });
  return succeed(201, { ...showRepo(row), discover_job_id: null });
}

/** Refuses control characters in a name: Git allows none in a branch, and no code host in an owner or a repository (assumed). */
function refuseControlCharacters(body: RegistrationBody): RefusalOrNull {
  const name = (["owner", "repo", "branch"] as const).find((one) => /\p{Cc}/u.test(body[one]));
  return name ? refuse("invalid_payload", { message: `${name} must not contain control characters.` }) : null;
}

/** Refuses while the code host is unreachable. REPO-REGISTER-UNVERIFIED. */
function refuseUnverified({ codeHost: { outage } }: World): RefusalOrNull {
  if (!outage) return null;
  const message = "The repository could not be verified with the code host. Try again.";
  return refuse("service_unavailable", { message, ...(outage.retry_after !== null && { retryAfter: outage.retry_after }) });
}

/** Refuses a triple that is already registered. REPO-REGISTER-TWICE, REPO-REGISTER-TWICE-ECHO. */
function refuseRegistered(world: World, workspace: Workspace, { owner, repo, branch }: RegistrationBody): RefusalOrNull {
  const existing = findRepoByTriple(world, workspace.id, owner, repo, branch);
  if (!existing) return null;
  const message = `${existing.slug} is already in the workspace.`;
  return refuse("repo_already_registered", { message, fields: { details: { repo_name: existing.slug } } });
}

/**
 * Refuses a repository that the code host does not serve: private or gone. REPO-REGISTER-NOTPUBLIC. With the installed app
 * private repositories are served (assumed).
 */
function refuseUnserved({ codeHost }: World, body: RegistrationBody): RefusalOrNull {
  const isGone = lists(codeHost.gone, body);
  if (body.access_mode === "anonymous") return isGone || lists(codeHost.private, body) ? refuse("repo_no_longer_public") : null;
  return isGone ? refuse("bad_request", { message: "The code host does not have this repository and branch." }) : null;
}

/**
 * Refuses past the repository count of the plan, with a code for each access mode. REPO-REGISTER-CAP,
 * REPO-REGISTER-CAP-ANONYMOUS.
 */
function refuseCap(world: World, workspace: Workspace, { access_mode }: RegistrationBody): RefusalOrNull {
  const cap = workspace.repo_cap ?? world.plans[workspace.plan].repo_cap;
  if (cap === null || listLiveRepos(world, workspace.id).length < cap) return null;
  return refuse(access_mode === "anonymous" ? "repo_cap_exceeded" : "plan_repo_cap_exceeded");
}

function lists(entries: CodeHost["private"], { owner, repo, branch }: RegistrationBody): boolean {
  return entries.includes(`${owner}/${repo}`) || entries.includes(`${owner}/${repo}/${branch}`);
}
