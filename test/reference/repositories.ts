import { type Call, changeResult, findRepo, findRepoInPath, getFields } from "./call.js";
import type { Choices } from "./choices.js";
import { isInLane } from "./lifecycle.js";
import { type Fault, invalid, isRefusal, notFoundRefusal, type OperationResult, refuse, success } from "./operation-result.js";
import { listUnshown, page } from "./pages.js";
import { needs } from "./scopes.js";
import { drawSpend, getPrice, isOverCeiling, refuseSpend } from "./spend.js";
import { createId, getSlug, type Job, type Repo } from "./state.js";
import { isInFlight } from "./time.js";
import { isTime } from "./timestamps.js";

const MODES = ["installed", "anonymous"];
/** Repositories that are private, gone, or have another name now. */
const NOT_PUBLIC = ["hidden", "vanished", "formerly"];
const FLAGS = ["findings", "history", "suggestions", "wipe"];

/** Returns the representation of a repository. */
export function showRepo({ choices, nowMs }: Call, repo: Repo): Record<string, unknown> {
  return { ...choices.adorn((nowMs - repo.registeredMs) / 1000), ...choices.repoShape(repo), access_mode: repo.accessMode };
}

/** GET /api/repos */
export function listRepos(call: Call): OperationResult {
  const repos = call.workspace.repos.filter(({ deleted }) => !deleted);
  return page(call, inOrder(call, repos), (repo) => showRepo(call, repo));
}

function inOrder({ choices }: Call, repos: Repo[]): Repo[] {
  switch (choices.repoOrder) {
    case "as registered":
      return repos;
    case "newest first":
      return repos.toSorted((a, b) => b.registeredMs - a.registeredMs);
    case "by name":
      return repos.toSorted((a, b) => `${a.owner}/${getSlug(a)}`.localeCompare(`${b.owner}/${getSlug(b)}`));
    default:
      return choices.repoOrder satisfies never;
  }
}

/** GET /api/repos/{owner}/{repo}/{branch} */
export function getRepo(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  return isRefusal(repo) ? repo : success(200, { ...showRepo(call, repo), head: String(repo.commit) });
}

/** POST /api/repos */
export function registerRepo(call: Call): OperationResult {
  const { choices, workspace, world, nowMs } = call;
  const given = getFields(call);
  const [owner, name, branch] = placeIn(choices, given);
  const { access_mode = "installed" } = given;
  const faults = faultsOfRegistration(call);
  if (faults.length > 0) return invalid(faults);
  const knownRepo = findRepo(workspace, owner as string, name as string, branch as string);
  if (knownRepo) return refuseTaken(call, knownRepo);
  if (!workspace.verifies) return refuseUnverified(choices, workspace.retryAfter);
  const isOpen = access_mode === "anonymous";
  if (isOpen && NOT_PUBLIC.includes(String(name)))
    return refuse(400, "invalid_request_error", "repo_no_longer_public", "The repository is not public");
  if (workspace.repos.filter(({ deleted }) => !deleted).length >= workspace.repoCap)
    return isOpen
      ? refuse(400, "invalid_request_error", "repo_cap_exceeded", "The plan allows no more repositories")
      : refuse(403, "permission_error", "plan_repo_cap_exceeded", "The plan allows no more repositories");
  if (!isOpen && name === "vanished" && choices.goneHttp !== 201) return goneResult(choices);
  const admitted = admitDiscovery(call);
  if (admitted.refused) return admitted.refused;
  const former = workspace.repos.find((one) => one.owner === owner && one.name === name && one.branch === branch);
  const repo: Repo = {
    ...{ id: createId(world, "key"), owner: String(owner), name: String(name), branch: String(branch), commit: 1 },
    ...{ accessMode: String(access_mode), tracker: false, deleted: false, registeredMs: nowMs },
  };
  const kept = former && choices.restores ? Object.assign(former, { deleted: false, registeredMs: nowMs }) : undefined;
  if (!kept) workspace.repos.push(repo);
  if (admitted.discovers) workspace.discoveries.push({ repo: kept ?? repo, atMs: nowMs + choices.discoveryMs, by: call.key });
  return success(201, { ...showRepo(call, repo), discover_job_id: null });
}

/** Which repository a body names: by three fields, or whole. */
function placeIn({ register, registerWhole }: Choices, given: Record<string, unknown>): unknown[] {
  if (!registerWhole) return [register.owner, register.repo, register.branch].map((field) => given[field]);
  const [owner = "", name = "", ...branch] = String(given[registerWhole.field]).slice(registerWhole.prefix.length).split("/");
  return [owner, name, branch.join("/")];
}

/** Beyond a ceiling nothing is registered. Without credit the repository is registered, but no discovery follows. */
function admitDiscovery(call: Call): { refused?: OperationResult; discovers?: boolean } {
  const price = getPrice("discover");
  const { key, workspace, choices, nowMs } = call;
  const over = key && isOverCeiling(choices, key, choices.ceiling === "would pass" ? price : 0, nowMs);
  const broke = workspace.credit < price || workspace.spendPaused;
  if (broke && !over && choices.brokeRegisters) return { discovers: false };
  const refusal = choices.drawAt === "registration" ? drawSpend(call, price) : refuseSpend(call, price);
  return refusal ? { refused: refusal } : { discovers: true };
}

function goneResult({ goneHttp }: Choices): OperationResult {
  return goneHttp === 404
    ? notFoundRefusal("repository")
    : refuse(400, "invalid_request_error", "bad_request", "The code host has no such repository");
}

/** Returns the mistakes in the body of a registration. */
export function faultsOfRegistration(call: Call): Fault[] {
  const given = getFields(call);
  const { access_mode: mode = "installed" } = given;
  const { register, registerWhole } = call.choices;
  const faults = (registerWhole ? [registerWhole.field] : Object.values(register))
    .filter((field: string) => typeof given[field] !== "string" || given[field] === "")
    .map((field: string) => ({ field, problem: "must be a text" }));
  return MODES.includes(mode as string)
    ? faults
    : [...faults, { field: "access_mode", problem: `must be one of ${MODES.join(", ")}` }];
}

function refuseTaken({ choices }: Call, repo: Repo): OperationResult {
  const name = getSlug(repo);
  const named = { body: { beside: { existing: name } }, error: { extra: { repo_name: name } }, message: {} }[choices.echo];
  return refuse(409, "conflict", "repo_already_registered", `${name} is registered already`, named);
}

function refuseUnverified({ unverifiedCode }: Choices, retryAfter: number | undefined): OperationResult {
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return refuse(503, "server_error", unverifiedCode, "The code host does not answer", { headers });
}

/** DELETE /api/repos/{owner}/{repo}/{branch} */
export function deleteRepo(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const isAllowed = call.key ? call.key.deletes : call.session !== "member";
  if (!isAllowed) return refuse(403, "permission_error", call.choices.code("no delete permission"), "This takes delete_repo");
  const scopeless = call.choices.deleteNeedsScope ? needs(call, ["manage_repos"]) : undefined;
  if (scopeless) return scopeless;
  repo.deleted = true;
  return success(204);
}

/** POST /api/repos/{owner}/{repo}/{branch}/reset */
export function resetRepo(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const given = getFields(call);
  const faults = faultsOfReset(call);
  if (faults.length > 0) return invalid(faults);
  const { workspace, choices } = call;
  const isGone = (kind: string) => Boolean(given.wipe ?? given[`${kind}s`]);
  if (choices.reset === "cancels" && given.wipe)
    for (const job of workspace.jobs) if (job.repo === repo && isInFlight(job)) stop(job, call.nowMs);
  workspace.observations = workspace.observations.filter((observation) => observation.repo !== repo || !isGone(observation.kind));
  if (given.wipe || given.history)
    workspace.jobs = workspace.jobs.filter((job) => job.repo !== repo || job.endedMs === undefined);
  return changeResult(call, call.choices.done.reset, { reset: FLAGS.filter((flag) => Boolean(given[flag])) });
}

function stop(job: Job, atMs: number): void {
  job.status = "cancelled";
  job.endedMs = atMs;
}

/** Returns the mistakes in the body of a reset. */
export function faultsOfReset(call: Call): Fault[] {
  const given = getFields(call);
  const how = call.choices.reset;
  if (how === "wants a flag" && FLAGS.every((flag) => given[flag] === undefined))
    return [{ field: FLAGS.join(), problem: "must be told" }];
  const fits = (value: unknown) =>
    how === "timestamps" ? typeof value === "string" && isTime(value, true) : typeof value === "boolean";
  return FLAGS.filter((flag) => given[flag] !== undefined && !fits(given[flag])).map((field) => ({
    field,
    problem: how === "timestamps" ? "must be a time" : "must be true or false",
  }));
}

/** GET …/discovery */
export function getDiscovery(call: Call): OperationResult {
  const shape = call.choices.discoveryShape ?? call.choices.listShape;
  return onRepo(call, shape, () => [{ path: "discovery/overview.md", text: "What this is." }]);
}

/** GET …/knowledge */
export function getKnowledge(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const { knowledgeShape } = call.choices;
  const profile = { stack: ["typescript"] };
  return success(200, knowledgeShape({ profile, principles: ["Say what first."], conventions: [], open_directives: [] }));
}

/** GET …/fix-prs */
export function getFixPrs(call: Call): OperationResult {
  const { workspace } = call;
  const lane = (repo: Repo) =>
    workspace.observations.filter(
      (observation) =>
        observation.repo === repo && observation.pull && (isInLane(observation) || observation.pull.status === "merged"),
    );
  const { laneNames: names, fixPrsShape, listShape } = call.choices;
  return onRepo(call, fixPrsShape ?? listShape, (repo) =>
    lane(repo).map(({ ref, title, pull }) => ({
      ...{ ref, [names.title]: title, [names.state]: pull?.status },
      [names.link]: `https://code.example/${repo.owner}/${repo.name}/pull/${pull?.number}`,
    })),
  );
}

function onRepo(call: Call, shape: Choices["listShape"], rows: (repo: Repo) => unknown[]): OperationResult {
  const repo = findRepoInPath(call);
  return isRefusal(repo) ? repo : listUnshown(call, shape, rows(repo));
}
