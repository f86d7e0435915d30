import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Key, World } from "../../src/service/world/world.js";
import { type AroundTool, type Mutant, pretending, type Shown, withArguments, withScopes } from "./mutant.js";
import { instead, listing, saying } from "./tool-faults.js";

/** Faults in tools that show where a thing was there before, in some rows of a list, or beside what REST says of the same. */
export const toolAnswerMutants: Mutant[] = [
  {
    name: "starts no discovery of what the tool registers again",
    breaks: "MCP-TOOL-REGISTER",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const { owner, repo } = call.arguments;
      const wasThere = Object.values(world.repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at);
      if (call.purpose === "register_repository" && reply.status === 201 && wasThere)
        world.agenda = world.agenda.filter(({ event }) => event !== "enqueue-discovery");
      return reply;
    },
  },
  listing("lists by the tool what was deleted", "MCP-TOOL-REPOS", "list_repositories", (rows, _call, { repos }) => [
    ...rows,
    ...(Object.values(repos).filter(({ deleted_at }) => deleted_at !== null) as unknown as Shown[]),
  ]),
  listing("lists one branch of each repository by the tool", "MCP-TOOL-REPOS", "list_repositories", (rows) =>
    rows.filter((row, at) => rows.findIndex(({ owner, repo }) => owner === row.owner && repo === row.repo) === at),
  ),
  {
    name: "registers anonymously by the tool past the plan's number of repositories",
    breaks: "REPO-REGISTER-CAP-ANONYMOUS",
    aroundTool: (world, call, performTool) =>
      pretending(call.arguments.access_mode === "anonymous" ? call.caller.workspace : undefined, { repo_cap: 10_000 }, () =>
        performTool(world, call),
      ),
  },
  remembering("gives by the tool the list of repositories that it gave before", "MCP-TOOL-REPOS", "list_repositories"),
  remembering("explains an observation as it did before", "MCP-TOOL-EXPLAIN", "explain_observation"),
  remembering("gives the recent issues of a file as it did before", "MCP-TOOL-RECENT", "recent_issues"),
  instead("forecasts for a repository by the tool as for its workspace", "MCP-TOOL-FORECAST", "forecast", (_, call) =>
    withArguments(call, { workflow: call.arguments.workflow }),
  ),
  saying("counts the runs of other workspaces in the tool's forecast", "KEY-WORKSPACE", "forecast", (body, _, world, call) => {
    const own = call.caller.workspace.id;
    const runs = Object.values(world.jobs).filter((job) => job.workspace !== own && job.status === "completed");
    return { ...body, sample_size: Number(body.sample_size) + runs.length };
  }),
  instead(
    "lists by the tool the fix PRs of whichever branch is the younger",
    "MCP-TOOL-FIXPRS",
    "list_fix_prs",
    (world, call) => {
      const { owner, repo } = call.arguments;
      const youngest = Object.values(world.repos).findLast((row) => row.owner === owner && row.repo === repo);
      return youngest ? withArguments(call, { ...call.arguments, branch: youngest.branch }) : call;
    },
  ),
  saying("swaps the costs of the tool's forecast", "MCP-TOOL-FORECAST", "forecast", (body) => ({
    ...body,
    cost_low: body.cost_high,
    cost_high: body.cost_low,
  })),
  unasked("asks for no scope to list jobs of one status", "list_jobs", "view_jobs", ({ status }) => status !== undefined),
  unasked("asks for no scope to give the pattern of an area", "canonical_pattern", "view_repositories", ({ area }) =>
    Boolean(area),
  ),
  unasked("asks for no scope to tell a retry in flight", "retry_job", "submit_audit_jobs", ({ job_id }, { jobs }) =>
    Boolean(jobs[String(job_id)]?.retried_by),
  ),
  unasked("asks for no scope to tell a fix in flight", "submit_fix", "submit_fix_jobs", ({ ref }, { observations }) =>
    Boolean(observations[String(ref)]?.attempt),
  ),
  listing("lists no fixes by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "fix"),
  ),
  listing("lists no discoveries by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "discover"),
  ),
  listing("lists no retries by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows, _call, { jobs }) =>
    rows.filter(({ id }) => !jobs[String(id)]?.retry_of),
  ),
  searching("finds by a search findings alone", (rows) => rows.filter(({ kind }) => kind === "finding")),
  searching("finds one observation by a search", (rows) => rows.slice(0, 1)),
  searching("finds nothing by a search with a bracket", (rows, { search }) => (String(search).includes("(") ? [] : rows)),
  { name: "holds a key by the tools to the dollars it had when it first called", breaks: "MCP-RATE-SPEND", aroundTool: stale() },
];

type Given = IncomingToolCall["arguments"];

function searching(name: string, change: (rows: Shown[], given: Given) => Shown[]): Mutant {
  return listing(name, "MCP-TOOL-OBS-SEARCH", "list_observations", (rows, given) =>
    given.search === undefined ? rows : change(rows, given),
  );
}

/** A tool that answers a call as it answered the same call of the same key before. */
function remembering(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  const answers = new WeakMap<Key, Map<string, Shown>>();
  return saying(name, breaks, purpose, (body, given, _, { caller }) => {
    const mine = answers.get(caller.key) ?? new Map<string, Shown>();
    answers.set(caller.key, mine);
    const asked = JSON.stringify(given);
    const before = mine.get(asked);
    if (!before) mine.set(asked, structuredClone(body));
    return before ?? body;
  });
}

/** A tool that asks for no scope in some cases. */
function unasked(name: string, purpose: ToolPurpose, scope: Scope, isMeant: (given: Given, world: World) => boolean): Mutant {
  return {
    name,
    breaks: "MCP-SCOPE-REFUSED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === purpose && isMeant(call.arguments, world) ? withScopes(call, [scope]) : call),
  };
}

function stale(): AroundTool {
  const first = new WeakMap<Key, number | null>();
  return (world, call, performTool) => {
    const { key } = call.caller;
    const dollars_per_hour = first.get(key) ?? (first.has(key) ? null : key.dollars_per_hour);
    first.set(key, dollars_per_hour);
    return pretending(key, { dollars_per_hour }, () => performTool(world, call));
  };
}
