import { type Mutant, withArguments } from "./mutant.js";
import { filling, instead, listing, refusing, saying } from "./tool-faults.js";

/** Faults in what the read tools answer, tool by tool. */
export const toolReadMutants: Mutant[] = [
  refusing("gives no overview of a repository", "MCP-TOOL-OVERVIEW", "repository_overview"),
  saying("has nothing in its overviews", "MCP-TOOL-OVERVIEW", "repository_overview", () => ({})),
  refusing("gives no knowledge bundle by the tool", "MCP-TOOL-KNOWLEDGE", "knowledge"),
  saying("has nothing in its knowledge bundles", "MCP-TOOL-KNOWLEDGE", "knowledge", () => ({})),
  refusing("gives no rules for a file", "MCP-TOOL-RULES", "rules_for_file"),
  refusing("asks for the area of every canonical pattern", "MCP-TOOL-PATTERN", "canonical_pattern", ({ area }) => !area),
  refusing("has no canonical pattern for an area", "MCP-TOOL-PATTERN", "canonical_pattern", ({ area }) => Boolean(area)),
  refusing("gives no recent issues of a file", "MCP-TOOL-RECENT", "recent_issues"),
  saying("has no recent issues for any file", "MCP-TOOL-RECENT", "recent_issues", () => ({ issues: [] })),
  instead("gives the issues of all files for the recent ones of one", "MCP-TOOL-RECENT", "recent_issues", (_, call) => {
    const { repo, branch } = call.arguments;
    return { ...withArguments(call, { repo: `${repo}@${branch}` }), purpose: "list_observations" };
  }),
  saying("gives no issue of a file that is in another file too", "MCP-TOOL-RECENT", "recent_issues", (body) => ({
    ...body,
    issues: (body as { issues: { locations: unknown[] }[] }).issues.filter(({ locations }) => locations.length === 1),
  })),
  refusing("explains no observation", "MCP-TOOL-EXPLAIN", "explain_observation"),
  instead("explains another observation than it was asked about", "MCP-TOOL-EXPLAIN", "explain_observation", (world, call) => {
    const asked = world.observations[String(call.arguments.ref)];
    const other = Object.values(world.observations).find(({ repo, ref }) => repo === asked?.repo && ref !== asked.ref);
    return other ? withArguments(call, { ref: other.ref }) : call;
  }),
  filling("explains the first observation where none is named", "MCP-TOOL-EXPLAIN", "explain_observation", (world) => ({
    ref: Object.keys(world.observations)[0],
  })),
  refusing("gives no pending migrations", "MCP-TOOL-MIGRATIONS", "pending_migrations"),
  saying("lists no how-to guide", "MCP-TOOL-GUIDES", "list_guides", () => ({ guides: [] })),
  refusing("reads no how-to guide out", "MCP-TOOL-GUIDES", "read_guide"),
  instead("lists the guides again where one is to be read", "MCP-TOOL-GUIDES", "read_guide", (_, call) => ({
    ...withArguments(call, {}),
    purpose: "list_guides",
  })),
  filling("reads the first guide out where none is named", "MCP-TOOL-GUIDES", "read_guide", () => ({ guide: "first-audit" })),
  saying("says pending of every job", "MCP-TOOL-STATUS", "job_status", (job) => ({ ...job, status: "pending" })),
  refusing("lists no jobs by the tool", "MCP-TOOL-JOBS", "list_jobs"),
  listing("leaves the newest job out of the tool's list", "MCP-TOOL-JOBS", "list_jobs", ([_, ...older]) => older),
  filling("lists only pending jobs by the tool unless asked for others", "MCP-TOOL-JOBS-FILTER", "list_jobs", () => ({
    status: "pending",
  })),
  refusing("wants a status to list jobs by", "MCP-TOOL-JOBS-FILTER", "list_jobs", ({ status }) => status === undefined),
  refusing("lists no fix pull requests by the tool", "MCP-TOOL-FIXPRS", "list_fix_prs"),
  listing("leaves every fix pull request out of the tool's list", "MCP-TOOL-FIXPRS", "list_fix_prs", () => []),
  listing("lists no observation whose status it was not asked for", "MCP-TOOL-OBS-LIST", "list_observations", (rows, given) =>
    given.status ? rows : [],
  ),
  listing("lists no closed observation by the tool", "MCP-TOOL-OBS-LIST", "list_observations", (rows) =>
    rows.filter(({ status }) => status === "new"),
  ),
  listing("searches for whole titles", "MCP-TOOL-OBS-SEARCH", "list_observations", (rows, { search }) =>
    search === undefined ? rows : rows.filter(({ title }) => title === search),
  ),
  instead("searches in every kind whatever the filter", "MCP-TOOL-OBS-SEARCH", "list_observations", (_, call) => {
    const { kind: _kind, ...rest } = call.arguments;
    return rest.search === undefined ? call : withArguments(call, rest);
  }),
];
