import { type Call, changed, fieldsOf, findRepo, repoOf } from "./call.js";
import { isInLane } from "./lifecycle.js";
import { page } from "./pages.js";
import { done, type Fault, invalid, isRefusal, type Reply, refuse } from "./reply.js";
import { drawSpend, isOverCeiling, priceOf } from "./spend.js";
import { mint, type Repo, slugOf } from "./state.js";

const MODES = ["installed", "anonymous"];
const FLAGS = ["findings", "history", "suggestions", "wipe"];

/** A repository as it is shown. */
export function showRepo({ choices, nowMs }: Call, repo: Repo): Record<string, unknown> {
  return { ...choices.adorn((nowMs - repo.registeredMs) / 1000), ...choices.repoShape(repo), access_mode: repo.accessMode };
}

/** GET /api/repos */
export function listRepos(call: Call): Reply {
  const repos = call.workspace.repos.filter(({ deleted }) => !deleted);
  return page(call, repos, (repo) => showRepo(call, repo));
}

/** GET /api/repos/{owner}/{repo}/{branch} */
export function getRepo(call: Call): Reply {
  const repo = repoOf(call);
  return isRefusal(repo) ? repo : done(200, { ...showRepo(call, repo), head: String(repo.commit) });
}

/** POST /api/repos */
export function registerRepo(call: Call): Reply {
  const { choices, workspace, world, nowMs } = call;
  const given = fieldsOf(call);
  const [owner, name, branch] = [choices.register.owner, choices.register.repo, choices.register.branch].map(
    (field) => given[field],
  );
  const { access_mode = "installed" } = given;
  const faults = faultsIn(choices.register, given, access_mode);
  if (faults.length > 0) return invalid(faults);
  const known = findRepo(workspace, owner as string, name as string, branch as string);
  if (known) return taken(call, known);
  if (!workspace.verifies) return unverified(workspace.retryAfter);
  const open = access_mode === "anonymous";
  if (open && (name === "hidden" || name === "vanished"))
    return refuse(400, "invalid_request_error", "repo_no_longer_public", "The repository is not public");
  if (workspace.repos.filter(({ deleted }) => !deleted).length >= workspace.repoCap)
    return open
      ? refuse(400, "invalid_request_error", "repo_cap_exceeded", "The plan takes no more repositories")
      : refuse(403, "permission_error", "plan_repo_cap_exceeded", "The plan takes no more repositories");
  const admitted = admitDiscovery(call);
  if (admitted.refused) return admitted.refused;
  const repo: Repo = {
    ...{ id: mint(world, "key"), owner: String(owner), name: String(name), branch: String(branch), commit: 1 },
    ...{ accessMode: String(access_mode), tracker: false, deleted: false, registeredMs: nowMs },
  };
  workspace.repos.push(repo);
  if (admitted.discovers) workspace.discoveries.push({ repo, atMs: nowMs + choices.discoveryMs });
  return done(201, { ...showRepo(call, repo), discover_job_id: null });
}

/** Past a ceiling nothing is registered; without credit the repository is, but no discovery follows. */
function admitDiscovery(call: Call): { refused?: Reply; discovers?: boolean } {
  const price = priceOf("discover");
  const { key, workspace, choices, nowMs } = call;
  const over = key && isOverCeiling(key, choices.ceiling === "would pass" ? price : 0, nowMs);
  const broke = workspace.credit < price || workspace.spendPaused;
  if (broke && !over && choices.brokeRegisters) return { discovers: false };
  const refused = drawSpend(call, price);
  return refused ? { refused } : { discovers: true };
}

function faultsIn(names: object, given: Record<string, unknown>, mode: unknown): Fault[] {
  const faults = Object.values(names)
    .filter((field: string) => typeof given[field] !== "string" || given[field] === "")
    .map((field: string) => ({ field, problem: "must be a text" }));
  return MODES.includes(mode as string)
    ? faults
    : [...faults, { field: "access_mode", problem: `must be one of ${MODES.join(", ")}` }];
}

function taken({ choices }: Call, repo: Repo): Reply {
  const named = choices.faultsIn === "body" ? { beside: { existing: slugOf(repo) } } : { extra: { repo_name: slugOf(repo) } };
  return refuse(409, "conflict", "repo_already_registered", "It is registered already", named);
}

function unverified(retryAfter: number | undefined): Reply {
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return refuse(503, "server_error", "upstream_unavailable", "The code host does not answer", { headers });
}

/** DELETE /api/repos/{owner}/{repo}/{branch} */
export function deleteRepo(call: Call): Reply {
  const repo = repoOf(call);
  if (isRefusal(repo)) return repo;
  const allowed = call.key ? call.key.deletes : call.session !== "member";
  if (!allowed) return refuse(403, "permission_error", call.choices.code("no delete permission"), "This takes delete_repo");
  repo.deleted = true;
  return done(204);
}

/** POST /api/repos/{owner}/{repo}/{branch}/reset */
export function resetRepo(call: Call): Reply {
  const repo = repoOf(call);
  if (isRefusal(repo)) return repo;
  const given = fieldsOf(call);
  const faults = FLAGS.filter((flag) => given[flag] !== undefined && typeof given[flag] !== "boolean");
  if (faults.length > 0) return invalid(faults.map((field) => ({ field, problem: "must be true or false" })));
  const { workspace } = call;
  const gone = (kind: string) => given.wipe === true || given[`${kind}s`] === true;
  workspace.observations = workspace.observations.filter((one) => one.repo !== repo || !gone(one.kind));
  if (given.wipe || given.history)
    workspace.jobs = workspace.jobs.filter((job) => job.repo !== repo || job.endedMs === undefined);
  return changed(call, call.choices.done.reset, { reset: FLAGS.filter((flag) => given[flag] === true) });
}

/** GET …/discovery */
export function getDiscovery(call: Call): Reply {
  return onRepo(call, () => [{ path: "discovery/overview.md", text: "What this is." }]);
}

/** GET …/knowledge */
export function getKnowledge(call: Call): Reply {
  const repo = repoOf(call);
  if (isRefusal(repo)) return repo;
  return done(200, { profile: { stack: ["typescript"] }, principles: ["Say what first."], conventions: [], open_directives: [] });
}

/** GET …/fix-prs */
export function getFixPrs(call: Call): Reply {
  const { workspace } = call;
  const lane = (repo: Repo) =>
    workspace.observations.filter((one) => one.repo === repo && one.pull && (isInLane(one) || one.pull.status === "merged"));
  return onRepo(call, (repo) =>
    lane(repo).map(({ ref, title, pull }) => ({
      ...{ ref, title, state: pull?.status },
      link: `https://code.example/${repo.owner}/${repo.name}/pull/${pull?.number}`,
    })),
  );
}

function onRepo(call: Call, rows: (repo: Repo) => unknown[]): Reply {
  const repo = repoOf(call);
  return isRefusal(repo) ? repo : done(200, call.choices.listShape(rows(repo)));
}
