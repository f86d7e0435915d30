import { PAGE_LIMIT } from "../../statements/lists.js";
import type { Operation } from "../../statements/operations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import type { Command } from "../command.js";
import { send } from "../model-run.js";
import { chooseCaller, chooseSurface, listRegisteredRepos } from "./choices.js";

const SPARE_NAMES = ["spare1", "spare2", "spare3", "spare4"];

const register: Command = {
  arguments: ["repo", "mode", "as", "surface"],
  weight: 3,
  async run(modelRun, choose) {
    const { repos } = modelRun.states;
    const unused = SPARE_NAMES.filter((name) => !(name in repos));
    const known = Object.keys(repos).filter((name) => repos[name]?.of === DEFAULT_ROLE);
    const repo = choose("repo", [unused[0] ?? "spare1", "private", "gone", ...known]) ?? "repo";
    const mode = choose("mode", { anonymous: "anonymous", installed: "installed", none: undefined, borrowed: "borrowed" });
    const as = chooseCaller(modelRun, choose, ["viewer", "none"]);
    const request = chooseSurface(modelRun, choose, {
      what: "POST /api/repos",
      as,
      repo,
      ...(modelRun.states.unverified && { retry: false }),
      with:
        repo === "private" || repo === "gone" ? { access_mode: "anonymous" } : mode === undefined ? {} : { access_mode: mode },
      ...(mode === "borrowed" && repo !== "private" && repo !== "gone" && { flaw: "REPO-REGISTER-ACCESSMODE-INVALID" }),
    });
    return (await send(modelRun, request)).failure;
  },
};

/** REPO-REGISTER-CAP: registers repositories in a Free workspace until it is full, and once more. */
const registerFree: Command = {
  arguments: ["repo", "mode"],
  weight: 1,
  async run(modelRun, choose) {
    if (!modelRun.sut.offers("key.free")) return undefined;
    const { repos } = modelRun.states;
    const repo =
      choose(
        "repo",
        ["spare5", "spare6", "spare7", "spare8", "spare9"].filter((name) => !(name in repos)),
      ) ?? "spare5";
    const body = { access_mode: choose("mode", ["anonymous", "installed"]) };
    return (await send(modelRun, { what: "POST /api/repos", by: "rest", as: "free", repo, with: body })).failure;
  },
};

/** WORKFLOW-REFUSED-*: submits a workflow that the Free plan excludes. */
const submitFree: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    const [repo] = listRegisteredRepos(modelRun.states, "free");
    if (repo === undefined || !modelRun.sut.offers("binding.workflows.not_on_free")) return undefined;
    const body = { workflow: "{binding.workflows.not_on_free}", params: "{binding.workflows.params}" };
    const what = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
    return (await send(modelRun, { what, by: "rest", as: "free", repo, with: body })).failure;
  },
};

const remove: Command = {
  arguments: ["repo", "as"],
  weight: 1,
  async run(modelRun, choose) {
    const spares = listRegisteredRepos(modelRun.states).filter((name) => name.startsWith("spare"));
    const as = chooseCaller(modelRun, choose, ["no_delete", "viewer"]);
    const repo = choose("repo", [...spares, ...(as === DEFAULT_ROLE ? ["nowhere"] : [])]);
    if (repo === undefined) return undefined;
    return (await send(modelRun, { what: "DELETE /api/repos/{owner}/{repo}/{branch}", by: "rest", as, repo })).failure;
  },
};

const reset: Command = {
  arguments: ["repo", "flag", "as"],
  weight: 1,
  async run(modelRun, choose) {
    const spares = listRegisteredRepos(modelRun.states).filter((name) => name.startsWith("spare"));
    const as = chooseCaller(modelRun, choose, ["viewer"]);
    const repo = choose("repo", [...spares, ...(as === DEFAULT_ROLE ? ["nowhere"] : [])]);
    const flag = choose("flag", ["findings", "history", "suggestions", "wipe"]) ?? "findings";
    if (repo === undefined) return undefined;
    modelRun.usedBuckets.add("too many resets");
    const what = "POST /api/repos/{owner}/{repo}/{branch}/reset";
    return (await send(modelRun, { what, by: "rest", as, repo, with: { [flag]: true } })).failure;
  },
};

/** The reads of a repository. */
export const READS: readonly Operation[] = [
  "GET /api/repos/{owner}/{repo}/{branch}",
  "GET /api/repos/{owner}/{repo}/{branch}/discovery",
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts",
];

const viewRepository: Command = {
  arguments: ["repo", "read", "surface"],
  weight: 3,
  async run(modelRun, choose) {
    const { repos } = modelRun.states;
    const known = Object.keys(repos).filter((name) => repos[name]?.of === DEFAULT_ROLE && !repos[name]?.deleted);
    const repo = choose("repo", [...known, "nowhere"]) ?? "repo";
    const request = chooseSurface(modelRun, choose, {
      what: choose("read", READS) ?? "GET /api/repos/{owner}/{repo}/{branch}",
      as: DEFAULT_ROLE,
      repo,
    });
    return (await send(modelRun, request)).failure;
  },
};

const listRepositories: Command = {
  arguments: ["repo", "surface"],
  weight: 2,
  async run(modelRun, choose) {
    const { repos } = modelRun.states;
    const repo = choose(
      "repo",
      Object.keys(repos).filter((name) => name.startsWith("spare") && repos[name]?.of === DEFAULT_ROLE),
    );
    const request = chooseSurface(modelRun, choose, { what: "GET /api/repos", as: DEFAULT_ROLE });
    const paged = { query: { limit: PAGE_LIMIT }, walk: true, ...(repo !== undefined && { repo }) };
    return (await send(modelRun, request.by === "rest" ? { ...request, ...paged } : request)).failure;
  },
};

/** Commands on repositories. */
export const repositoryCommands = { register, registerFree, submitFree, remove, reset, viewRepository, listRepositories };
