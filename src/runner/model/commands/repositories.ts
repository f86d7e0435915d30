import type { Command } from "../command.js";
import { request } from "../journey.js";
import type { Operation } from "../operations.js";
import { byCaller, bySurface, registered } from "./choices.js";

const SPARES = ["spare1", "spare2", "spare3", "spare4"];

const register: Command = {
  picks: ["repo", "mode", "as", "surface"],
  weight: 3,
  async play(journey, pick) {
    const { repos } = journey.states;
    const unused = SPARES.filter((name) => !(name in repos));
    const known = Object.keys(repos).filter((name) => repos[name]?.of === "full");
    const repo = pick("repo", [unused[0] ?? "spare1", "private", "gone", ...known]) ?? "repo";
    const mode = pick("mode", ["anonymous", "installed", undefined, "borrowed"]);
    const as = byCaller(journey, pick, ["viewer", "none"]);
    const ask = bySurface(journey, pick, {
      what: "POST /api/repos",
      as,
      repo,
      ...(journey.states.unverified && { asIs: true }),
      with:
        repo === "private" || repo === "gone" ? { access_mode: "anonymous" } : mode === undefined ? {} : { access_mode: mode },
      ...(mode === "borrowed" && repo !== "private" && repo !== "gone" && { flaw: "REPO-REGISTER-ACCESSMODE-INVALID" }),
    });
    return (await request(journey, ask)).failure;
  },
};

/** REPO-REGISTER-CAP: a Free workspace until it is full, and beyond. */
const registerFree: Command = {
  picks: ["repo", "mode"],
  weight: 1,
  async play(journey, pick) {
    if (!journey.scene.offers("key.free")) return undefined;
    const { repos } = journey.states;
    const repo =
      pick(
        "repo",
        ["spare5", "spare6", "spare7", "spare8", "spare9"].filter((name) => !(name in repos)),
      ) ?? "spare5";
    const with_ = { access_mode: pick("mode", ["anonymous", "installed"]) };
    return (await request(journey, { what: "POST /api/repos", by: "rest", as: "free", repo, with: with_ })).failure;
  },
};

/** WORKFLOW-REFUSED-*: a workflow that Free leaves out. */
const submitFree: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    const [repo] = registered(journey.states, "free");
    if (repo === undefined || !journey.scene.offers("binding.workflows.not_on_free")) return undefined;
    const body = { workflow: "{binding.workflows.not_on_free}", params: {} };
    const what = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
    return (await request(journey, { what, by: "rest", as: "free", repo, with: body })).failure;
  },
};

const remove: Command = {
  picks: ["repo", "as"],
  weight: 1,
  async play(journey, pick) {
    const spares = registered(journey.states).filter((name) => name.startsWith("spare"));
    const as = byCaller(journey, pick, ["no_delete", "viewer"]);
    const repo = pick("repo", [...spares, ...(as === "full" ? ["nowhere"] : [])]);
    if (repo === undefined) return undefined;
    return (await request(journey, { what: "DELETE /api/repos/{owner}/{repo}/{branch}", by: "rest", as, repo })).failure;
  },
};

const reset: Command = {
  picks: ["repo", "flag", "as"],
  weight: 1,
  async play(journey, pick) {
    const spares = registered(journey.states).filter((name) => name.startsWith("spare"));
    const as = byCaller(journey, pick, ["viewer"]);
    const repo = pick("repo", [...spares, ...(as === "full" ? ["nowhere"] : [])]);
    const flag = pick("flag", ["findings", "history", "suggestions", "wipe"]) ?? "findings";
    if (repo === undefined) return undefined;
    journey.drawn.add("too many resets");
    const what = "POST /api/repos/{owner}/{repo}/{branch}/reset";
    return (await request(journey, { what, by: "rest", as, repo, with: { [flag]: true } })).failure;
  },
};

const READS: readonly Operation[] = [
  "GET /api/repos/{owner}/{repo}/{branch}",
  "GET /api/repos/{owner}/{repo}/{branch}/discovery",
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts",
];

const lookAtRepository: Command = {
  picks: ["repo", "read", "surface"],
  weight: 3,
  async play(journey, pick) {
    const { repos } = journey.states;
    const known = Object.keys(repos).filter((name) => repos[name]?.of === "full" && !repos[name]?.deleted);
    const repo = pick("repo", [...known, "nowhere"]) ?? "repo";
    const ask = bySurface(journey, pick, {
      what: pick("read", READS) ?? "GET /api/repos/{owner}/{repo}/{branch}",
      as: "full",
      repo,
    });
    return (await request(journey, ask)).failure;
  },
};

const listRepositories: Command = {
  picks: ["repo", "surface"],
  weight: 2,
  async play(journey, pick) {
    const { repos } = journey.states;
    const repo = pick(
      "repo",
      Object.keys(repos).filter((name) => name.startsWith("spare") && repos[name]?.of === "full"),
    );
    const ask = bySurface(journey, pick, { what: "GET /api/repos", as: "full" });
    const paged = { query: { limit: 200 }, walk: true, ...(repo !== undefined && { repo }) };
    return (await request(journey, ask.by === "rest" ? { ...ask, ...paged } : ask)).failure;
  },
};

/** What a case can do with repositories. */
export const repositoryCommands = { register, registerFree, submitFree, remove, reset, lookAtRepository, listRepositories };
