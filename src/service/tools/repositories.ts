import { contract } from "../../contract/load.js";
import { ok } from "../call.js";
import { orders } from "../observations/filters.js";
import { observationView } from "../observations/observations.js";
import { noSuchRepo, repoView } from "../repositories/repos.js";
import { timestamp } from "../world/stamps.js";
import { change, count, page, type View } from "../world/views.js";
import { note, type Observation, type Repo, type World } from "../world/world.js";
import { ruleApplies, rulesOf, scopedRule } from "./rules.js";
import { settingsView } from "./settings.js";
import { repoOf } from "./subjects.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

const defaultIssues = 20;
const mostDocReads = 1000;

/** Sums a repository up. MCP-TOOL-OVERVIEW: stack profile, domain summary, principles; the rest is ours. */
export function getOverview(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  return ok(200, {
    ...repoView(repo),
    stack_profile: repo.knowledge.profile,
    domain_summary: Object.fromEntries(
      contract.enums.Domain.map((domain) => [domain, { open: count(world, openInDomain(repo, domain)) }]),
    ),
    principles: repo.knowledge.principles,
    workspace: settingsView(call.caller.workspace),
  });
}

/** The rules for one file. MCP-TOOL-RULES. */
export function getRules(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  const file_path = call.given.file_path as string;
  return ok(200, { file_path, rules: rulesOf(repo).filter((rule) => ruleApplies(rule, file_path)) });
}

/** How things are done: the conventions, or those that name an area. MCP-TOOL-PATTERN. */
export function getPattern(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  const area = call.given.area as string | undefined;
  const named = repo.knowledge.conventions.filter((convention) => convention.toLowerCase().includes((area ?? "").toLowerCase()));
  return ok(200, { area: area ?? null, patterns: named.map((convention) => scopedRule(convention, "convention")) });
}

/** The observations on one file, last updated first. MCP-TOOL-RECENT. */
export function getRecentIssues(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  const { file_path, limit = defaultIssues } = call.given as { file_path: string; limit?: number };
  const { rows, more } = page(world, onFile(repo, file_path), null, limit);
  return ok(200, { file_path, issues: rows.map((row) => observationView(row, repo, { locations: true })), has_more: more });
}

/** What the repository has decided on and not finished: its open directives. MCP-TOOL-MIGRATIONS. */
export function listMigrations(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  return ok(200, { migrations: repo.knowledge.open_directives.map((title) => ({ title, status: "pending" })) });
}

/** Changes the named parts of a repository's metadata. MCP-TOOL-METADATA. */
export function updateMetadata(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  const { owner: _, repo: __, branch: ___, ...changes } = call.given;
  const before = { ...repo };
  repo.metadata = { ...repo.metadata, ...changes };
  repo.updated_at = world.now;
  note(world, "repo", repo.id, "registered", "registered");
  change(world, "repos", repo, before);
  return ok(200, repoView(repo));
}

/** Notes that a discovery doc was read; what the API shows stays as it is. MCP-TOOL-DOCREAD. */
export function recordDocRead(world: World, call: ToolCall): ToolOutcome {
  const repo = repoOf(world, call);
  if (!repo) return noSuchRepo;
  const path = call.given.doc_path as string;
  repo.doc_reads = [...(repo.doc_reads ?? []), { path, at: world.now }].slice(-mostDocReads);
  return ok(200, { repo_name: repo.slug, doc_path: path, read_at: timestamp(world.now) });
}

function openInDomain(repo: Repo, domain: Observation["domain"]): View<"observations"> {
  return {
    table: "observations",
    name: `open in ${domain} ${repo.id}`,
    order: orders.recency,
    holds: (row) => row.repo === repo.id && row.domain === domain && row.status === "new",
  };
}

function onFile(repo: Repo, path: string): View<"observations"> {
  return {
    table: "observations",
    name: `on file ${repo.id} ${path}`,
    order: orders.recency,
    holds: ({ repo: id, locations }) => id === repo.id && locations.some(({ file_path }) => file_path === path),
  };
}
