import { onTool } from "./family.js";
import { forgetDiscoveries } from "./helpers/jobs.js";
import {
  aroundTools,
  changingAnswer,
  filling,
  having,
  instead,
  listing,
  refusal,
  refusingCalls,
  remembering,
  saying,
} from "./helpers/tools.js";
import { type Mutant, type Shown, withArguments } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-METADATA-*, MCP-TOOL-NODELETE-*, MCP-TOOL-OVERVIEW-*, MCP-TOOL-REGISTER-* or MCP-TOOL-REPOS-*. */
export const toolRepositoriesMutants: Mutant[] = [
  {
    name: "lists repositories in no tool that can be called",
    breaks: "MCP-TOOL-REPOS",
    aroundWire: changingAnswer("tools/call", (answer, { name }) => (name === "list_repositories" ? refusal(answer) : answer)),
  },
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
  remembering("gives by the tool the list of repositories that it gave before", "MCP-TOOL-REPOS", "list_repositories"),
  refusingCalls("gives no overview of a repository", "MCP-TOOL-OVERVIEW", "repository_overview"),
  saying("has nothing in its overviews", "MCP-TOOL-OVERVIEW", "repository_overview", () => ({})),
  having("delete_repository", "MCP-TOOL-NODELETE"),
  having("reset_repository", "MCP-TOOL-NODELETE"),
  ...(
    [
      ["MCP-TOOL-OVERVIEW", "repository_overview"],
      ["MCP-TOOL-FIXPRS", "list_fix_prs"],
      ["MCP-TOOL-SUBMIT", "submit_job"],
      ["MCP-TOOL-RECENT", "recent_issues"],
    ] as const
  ).map(([breaks, purpose]) =>
    aroundTools(`ends a branch at its first slash by ${purpose}`, breaks, [purpose], (world, call, performTool) => {
      const [branch] = String(call.arguments.branch).split("/");
      return performTool(world, withArguments(call, { ...call.arguments, branch }));
    }),
  ),
  refusingCalls("registers no repository by the tool", "MCP-TOOL-REGISTER", "register_repository"),
  instead("says that a repository is registered and lists the others", "MCP-TOOL-REGISTER", "register_repository", (_, call) => ({
    ...withArguments(call, {}),
    purpose: "list_repositories",
  })),
  refusingCalls("updates no repository metadata", "MCP-TOOL-METADATA", "update_repository_metadata"),
  filling(
    "updates the metadata of some repository where none is named",
    "MCP-TOOL-METADATA",
    "update_repository_metadata",
    (world) => {
      const { owner, repo, branch } = Object.values(world.repos)[0]!;
      return { owner, repo, branch };
    },
  ),
  {
    name: "starts no discovery of what the tool registers",
    breaks: "MCP-TOOL-REGISTER",
    ...onTool("register_repository", (world, call, performTool) => {
      const reply = performTool(world, call);
      forgetDiscoveries(world);
      return reply;
    }),
  },
];
