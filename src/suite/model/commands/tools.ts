import { triageActions } from "../../statements/observations.js";
import { isRoute, type Operation, operationOfTool, operationStatement } from "../../statements/operations.js";
import { DEFAULT_ROLE, invalidCredentials, refusedCredentials } from "../../statements/roles.js";
import { toolPurposes } from "../../statements/tools.js";
import type { Command } from "../command.js";
import { hasTool, send } from "../model-run.js";
import { type ModelRequest, toolOf } from "../request.js";
import { byCaller, newestFirst } from "./choices.js";

/** A request apart from who sends it, and how. */
type Question = Omit<ModelRequest, "by" | "as">;

/** Tools without a route, and of these the ones that are for the whole workspace, and for a repository. */
const alone: readonly Operation[] = toolPurposes.map(operationOfTool).filter((what) => !isRoute(what));
const ofWorkspace = alone.filter((what) => operationStatement(what).subject.length === 0);
const ofRepository = alone.filter((what) => operationStatement(what).subject.join() === "repo");

/** Those that write. */
const writing = questions([...ofWorkspace, ...ofRepository].filter((what) => operationStatement(what).effect !== "read"));

/** Those that only read; then the tools of routes that other commands ask for. */
const reading = questions([
  ...alone.filter((what) => operationStatement(what).effect === "read"),
  "GET /api/forecasts/lookup",
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "GET /api/repos",
  "GET /api/observations",
]);

/** The purposes of the tools of each sort. */
export const TOOLS = { writing: Object.keys(writing), reading: Object.keys(reading) };

/** What each tool is called with, by its purpose. */
function questions(operations: readonly Operation[]): Record<string, Question> {
  const question = (what: Operation): Question => {
    const { subject, sample } = operationStatement(what);
    return { what, ...(subject.includes("repo") && { repo: "repo" }), ...(sample && { with: sample }) };
  };
  return Object.fromEntries(operations.map((what) => [toolOf(what), question(what)]));
}

const writeByTool: Command = {
  arguments: ["tool", "as"],
  weight: 3,
  async run(modelRun, choose) {
    const question = choose("tool", writing) ?? { what: "set_learn_mode" };
    // What is set holds for the whole workspace, so only a world of our own is touched.
    if (ofWorkspace.includes(question.what) && !modelRun.sut.fresh) return undefined;
    const request: ModelRequest = {
      ...question,
      by: "tool",
      as: byCaller(modelRun, choose, ["viewer", "no_fix", "none", "expired"]),
    };
    if (!hasTool(modelRun, request) || !bound(modelRun.sut.offers, question)) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

const readByTool: Command = {
  arguments: ["tool", "as"],
  weight: 3,
  async run(modelRun, choose) {
    const question = choose("tool", reading) ?? { what: "list_guides" };
    const request: ModelRequest = { ...question, by: "tool", as: byCaller(modelRun, choose, ["none", "expired", "revoked"]) };
    if (!hasTool(modelRun, request) || !bound(modelRun.sut.offers, question)) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

const forecast: Command = {
  arguments: ["workflow"],
  weight: 1,
  async run(modelRun, choose) {
    const workflow = choose("workflow", { audit: "audit", standard_audit: "standard_audit", review: "review", none: undefined });
    const query = { repo_name: "{slug}", ...(workflow !== undefined && { workflow }) };
    const flaw = workflow === undefined ? { flaw: "FORECAST-LOOKUP-WORKFLOW" } : {};
    return (await send(modelRun, { what: "GET /api/forecasts/lookup", by: "rest", as: DEFAULT_ROLE, query, ...flaw })).failure;
  },
};

/** Any request at all with credentials that must not be let in, over either surface. */
const intrude: Command = {
  arguments: ["as", "what", "surface"],
  weight: 2,
  async run(modelRun, choose) {
    const offered = INTRUDERS.filter((role) => role in invalidCredentials || modelRun.sut.offers(`key.${role}`));
    const as = choose("as", offered) ?? "none";
    const ref = newestFirst(modelRun.states.observations)[0];
    const job = newestFirst(modelRun.states.jobs)[0];
    const whats: Question[] = [
      { what: "GET /api/repos" },
      { what: "GET /api/jobs" },
      ...(job === undefined ? [] : [{ what: "POST /api/jobs/{job_id}/retry" as const, job }]),
      ...(ref === undefined ? [] : [{ what: triageActions.acknowledge.route, ref }]),
    ];
    const question = choose("what", whats) ?? { what: "GET /api/repos" };
    const tool: ModelRequest = { ...question, by: "tool", as };
    const request: ModelRequest =
      choose("surface", ["rest", "tool"]) === "tool" && hasTool(modelRun, tool) ? tool : { ...question, by: "rest", as };
    return (await send(modelRun, request)).failure;
  },
};

/** Credentials that are never let in. */
export const INTRUDERS = Object.keys(refusedCredentials);

const readGated: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    return (await send(modelRun, { what: "GET /api/openapi.json", by: "rest", as: DEFAULT_ROLE })).failure;
  },
};

function bound(offers: (need: string) => boolean, { with: body }: Pick<ModelRequest, "with">): boolean {
  const needs = [...JSON.stringify(body ?? {}).matchAll(/\{(binding\.[a-z_.]+)\}/g)].map(([, need]) => need ?? "");
  return needs.every(offers);
}

/** What a case can do with tools that have no route, with forecasts, and with credentials that are no good. */
export const toolCommands = { writeByTool, readByTool, forecast, intrude, readGated };
