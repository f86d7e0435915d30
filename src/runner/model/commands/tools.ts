import type { Ask } from "../ask.js";
import type { Command } from "../command.js";
import { hasTool, request } from "../journey.js";
import type { Operation } from "../operations.js";
import { byCaller, newestFirst } from "./choices.js";

/** Tools that write and have no route, and what they are called with. */
const WRITING: readonly Omit<Ask, "by" | "as">[] = [
  { what: "set_guidance", with: { guidance: "Keep changes small." } },
  { what: "clear_guidance", with: {} },
  { what: "set_workspace_context", with: { context: "A shop and its back office." } },
  { what: "clear_workspace_context", with: {} },
  { what: "set_setting", with: { setting: "audit_timeout_s", value: 1800 } },
  { what: "clear_setting", with: { setting: "audit_timeout_s" } },
  { what: "set_learn_mode", with: { learn_mode: true } },
  { what: "update_repository_metadata", repo: "repo", with: { pr_review_enabled: true } },
  { what: "record_doc_read", repo: "repo", with: { doc_path: "{binding.doc_path}" } },
];

/** Tools that only read and have no route; then those whose routes other commands ask for. */
const READING: readonly Omit<Ask, "by" | "as">[] = [
  { what: "repository_overview", repo: "repo" },
  { what: "rules_for_file", repo: "repo", with: { file_path: "src/explored.ts" } },
  { what: "canonical_pattern", repo: "repo" },
  { what: "recent_issues", repo: "repo", with: { file_path: "src/explored.ts" } },
  { what: "pending_migrations", repo: "repo" },
  { what: "list_guides" },
  { what: "read_guide", with: { guide: "{binding.guide}" } },
  { what: "GET /api/forecasts/lookup", with: { workflow: "audit" } },
  { what: "GET /api/repos/{owner}/{repo}/{branch}/knowledge", repo: "repo" },
  { what: "GET /api/repos/{owner}/{repo}/{branch}/fix-prs", repo: "repo" },
  { what: "GET /api/repos" },
  { what: "GET /api/observations" },
];

/** How many tools of each sort there are. */
export const TOOLS = { writing: WRITING.length, reading: READING.length };

const TENANT = [
  "set_guidance",
  "clear_guidance",
  "set_workspace_context",
  "clear_workspace_context",
  "set_setting",
  "clear_setting",
  "set_learn_mode",
];

const writeByTool: Command = {
  picks: ["tool", "as"],
  weight: 3,
  async play(journey, pick) {
    const text = pick("tool", WRITING) ?? { what: "set_learn_mode" };
    // What is set holds for the whole workspace, so only a world of our own is touched.
    if (TENANT.includes(text.what) && !journey.scene.fresh) return undefined;
    const ask: Ask = { ...text, by: "tool", as: byCaller(journey, pick, ["viewer", "no_fix", "none", "expired"]) };
    if (!hasTool(journey, ask) || !bound(journey.scene.offers, text)) return undefined;
    return (await request(journey, ask)).failure;
  },
};

const readByTool: Command = {
  picks: ["tool", "as"],
  weight: 3,
  async play(journey, pick) {
    const text = pick("tool", READING) ?? { what: "list_guides" };
    const ask: Ask = { ...text, by: "tool", as: byCaller(journey, pick, ["none", "expired", "revoked"]) };
    if (!hasTool(journey, ask) || !bound(journey.scene.offers, text)) return undefined;
    return (await request(journey, ask)).failure;
  },
};

const forecast: Command = {
  picks: ["workflow"],
  weight: 1,
  async play(journey, pick) {
    const workflow = pick("workflow", ["audit", "standard_audit", "review", undefined]);
    const query = { repo_name: "{slug}", ...(workflow !== undefined && { workflow }) };
    const flaw = workflow === undefined ? { flaw: "FORECAST-LOOKUP-WORKFLOW" } : {};
    return (await request(journey, { what: "GET /api/forecasts/lookup", by: "rest", as: "full", query, ...flaw })).failure;
  },
};

/** Any request at all with credentials that must not be let in, over either surface. */
const intrude: Command = {
  picks: ["as", "what", "surface"],
  weight: 2,
  async play(journey, pick) {
    const offered = INTRUDERS.filter(
      (role) => ["none", "malformed", "unknown"].includes(role) || journey.scene.offers(`key.${role}`),
    );
    const as = pick("as", offered) ?? "none";
    const ref = newestFirst(journey.states.observations)[0];
    const job = newestFirst(journey.states.jobs)[0];
    const whats: Omit<Ask, "by" | "as">[] = [
      { what: "GET /api/repos" },
      { what: "GET /api/jobs" },
      ...(job === undefined ? [] : [{ what: "POST /api/jobs/{job_id}/retry" as Operation, job }]),
      ...(ref === undefined ? [] : [{ what: "POST /api/observations/{ref}/acknowledge" as Operation, ref }]),
    ];
    const text = pick("what", whats) ?? { what: "GET /api/repos" };
    const tool: Ask = { ...text, by: "tool", as };
    const ask: Ask = pick("surface", [false, true]) && hasTool(journey, tool) ? tool : { ...text, by: "rest", as };
    return (await request(journey, ask)).failure;
  },
};

/** Credentials that are never let in, in the order of their picks. */
export const INTRUDERS = ["none", "malformed", "unknown", "expired", "revoked", "fenced", "suspended"];

const readGated: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    return (await request(journey, { what: "GET /api/openapi.json", by: "rest", as: "full" })).failure;
  },
};

function bound(offers: (need: string) => boolean, { with: body }: Pick<Ask, "with">): boolean {
  const needs = [...JSON.stringify(body ?? {}).matchAll(/\{(binding\.[a-z_.]+)\}/g)].map(([, need]) => need ?? "");
  return needs.every(offers);
}

/** What a case can do with tools that have no route, with forecasts, and with credentials that are no good. */
export const toolCommands = { writeByTool, readByTool, forecast, intrude, readGated };
