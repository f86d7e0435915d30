import { contract } from "../../contract/load.js";
import { succeed } from "../call.js";
import { orders } from "../observations/filters.js";
import { showObservation } from "../observations/observations.js";
import { noSuchRepo, showRepo } from "../repositories/repos.js";
import { formatTimestamp } from "../world/ids-and-timestamps.js";
import { countRows, readPage, updateViews, type View } from "../world/views.js";
import { type Observation, type Repo, recordChange, type World } from "../world/world.js";
import { findToolRepo } from "./lookups.js";
import { listRules, parseRule, ruleApplies } from "./rules.js";
import { showSettings } from "./settings.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

const defaultLimit = 20;
const maxDocReads = 1000;

/**
 * Shows a summary of a repository. MCP-TOOL-OVERVIEW: stack profile, domain summary, principles; the other fields are our choice.
 */
export function getOverview(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  return succeed(200, {
    ...showRepo(repo),
    stack_profile: repo.knowledge.profile,
    domain_summary: Object.fromEntries(
      contract.enums.Domain.map((domain) => [domain, { open: countRows(world, createDomainView(repo, domain)) }]),
    ),
    principles: repo.knowledge.principles,
    workspace: showSettings(call.caller.workspace),
  });
}

/** Shows the rules that apply to a file. MCP-TOOL-RULES. */
export function getRules(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  const file_path = call.given.file_path as string;
  return succeed(200, { file_path, rules: listRules(repo).filter((rule) => ruleApplies(rule, file_path)) });
}

/** Shows the conventions of a repository, or those that mention an area. MCP-TOOL-PATTERN. */
export function getPattern(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  const area = call.given.area as string | undefined;
  const namedConventions = repo.knowledge.conventions.filter((convention) =>
    convention.toLowerCase().includes((area ?? "").toLowerCase()),
  );
  return succeed(200, {
    area: area ?? null,
    patterns: namedConventions.map((convention) => parseRule(convention, "convention")),
  });
}

/** Shows the observations on a file, last updated first. MCP-TOOL-RECENT. */
export function getRecentIssues(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  const { file_path, limit = defaultLimit } = call.given as { file_path: string; limit?: number };
  const { rows, more } = readPage(world, createFileView(repo, file_path), null, limit);
  return succeed(200, { file_path, issues: rows.map((row) => showObservation(row, repo, { locations: true })), has_more: more });
}

/** Lists the pending migrations of a repository: its open directives. MCP-TOOL-MIGRATIONS. */
export function listMigrations(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  return succeed(200, { migrations: repo.knowledge.open_directives.map((title) => ({ title, status: "pending" })) });
}

/** Changes the given fields of a repository's metadata. MCP-TOOL-METADATA. */
export function updateMetadata(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  const { owner: _, repo: __, branch: ___, ...changes } = call.given;
  const before = { ...repo };
  repo.metadata = { ...repo.metadata, ...changes };
  repo.updated_at = world.now;
  recordChange(world, "repo", repo.id, "registered", "registered");
  updateViews(world, "repos", repo, before);
  return succeed(200, showRepo(repo));
}

/** Records that an agent read a discovery doc. Changes no API answer. MCP-TOOL-DOCREAD. */
export function recordDocRead(world: World, call: ToolCall): ToolOutcome {
  const repo = findToolRepo(world, call);
  if (!repo) return noSuchRepo;
  const path = call.given.doc_path as string;
  repo.doc_reads = [...(repo.doc_reads ?? []), { path, at: world.now }].slice(-maxDocReads);
  return succeed(200, { repo_name: repo.slug, doc_path: path, read_at: formatTimestamp(world.now) });
}

function createDomainView(repo: Repo, domain: Observation["domain"]): View<"observations"> {
  return {
    table: "observations",
    name: `open in ${domain} ${repo.id}`,
    order: orders.recency,
    includes: (row) => row.repo === repo.id && row.domain === domain && row.status === "new",
  };
}

function createFileView(repo: Repo, path: string): View<"observations"> {
  return {
    table: "observations",
    name: `on file ${repo.id} ${path}`,
    order: orders.recency,
    includes: ({ repo: id, locations }) => id === repo.id && locations.some(({ file_path }) => file_path === path),
  };
}
