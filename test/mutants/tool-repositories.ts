import { wrapTool } from "./family.js";
import { forgetDiscoveries } from "./helpers/jobs.js";
import {
  addForbiddenTool,
  aroundTools,
  changeToolResponse,
  createRefusingToolMutant,
  listOtherRows,
  performOtherCall,
  refusalMessage,
  repeatEarlierResult,
  reportOtherResult,
} from "./helpers/tools.js";
import { type Mutant, withArguments } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-METADATA-*, MCP-TOOL-NODELETE-*, MCP-TOOL-OVERVIEW-*, MCP-TOOL-REGISTER-* or MCP-TOOL-REPOS-*. */
export const toolRepositoriesMutants: Mutant[] = [
  {
    name: "lists repositories by no tool instead of one",
    breaks: "MCP-TOOL-REPOS",
    aroundWire: changeToolResponse("tools/call", (response, { name }) =>
      name === "list_repositories" ? refusalMessage(response) : response,
    ),
  },
  {
    name: "starts no discovery of a repository that the tool registers again instead of one",
    breaks: "MCP-TOOL-REGISTER",
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const { owner, repo } = call.arguments;
      const wasThere = Object.values(world.repos).some((row) => row.owner === owner && row.repo === repo && row.deleted_at);
      if (call.purpose === "register_repository" && response.status === 201 && wasThere)
        world.schedule = world.schedule.filter(({ event }) => event !== "enqueue-discovery");
      return response;
    },
  },
  listOtherRows("lists one branch of each repository by the tool instead of all", "MCP-TOOL-REPOS", "list_repositories", (rows) =>
    rows.filter((row, at) => rows.findIndex(({ owner, repo }) => owner === row.owner && repo === row.repo) === at),
  ),
  repeatEarlierResult(
    "repeats the tool's first list of repositories instead of the current one",
    "REPO-DELETE-GONE",
    "list_repositories",
  ),
  createRefusingToolMutant("answers no overview of a repository instead of one", "MCP-TOOL-OVERVIEW", "repository_overview"),
  reportOtherResult("answers empty overviews instead of their content", "MCP-TOOL-OVERVIEW", "repository_overview", () => ({})),
  addForbiddenTool("delete_repository", "MCP-TOOL-NODELETE"),
  addForbiddenTool("reset_repository", "MCP-TOOL-NODELETE"),
  ...(
    [
      ["MCP-TOOL-OVERVIEW", "repository_overview"],
      ["MCP-TOOL-FIXPRS", "list_fix_prs"],
      ["MCP-TOOL-SUBMIT", "submit_job"],
      ["MCP-TOOL-RECENT", "recent_issues"],
    ] as const
  ).map(([breaks, purpose]) =>
    aroundTools(
      `cuts a branch at its first slash by ${purpose} instead of using the whole name`,
      breaks,
      [purpose],
      (world, call, performTool) => {
        const [branch] = String(call.arguments.branch).split("/");
        return performTool(world, withArguments(call, { ...call.arguments, branch }));
      },
    ),
  ),
  createRefusingToolMutant("registers no repository by the tool instead of one", "MCP-TOOL-REGISTER", "register_repository"),
  performOtherCall(
    "answers a registration with the other repositories instead of the new one",
    "MCP-TOOL-REGISTER",
    "register_repository",
    (_, call) => ({
      ...withArguments(call, {}),
      purpose: "list_repositories",
    }),
  ),
  createRefusingToolMutant(
    "updates no repository metadata instead of the named repository's",
    "MCP-TOOL-METADATA",
    "update_repository_metadata",
  ),
  {
    name: "starts no discovery of a repository that the tool registers instead of one",
    breaks: "MCP-TOOL-REGISTER",
    ...wrapTool("register_repository", (world, call, performTool) => {
      const response = performTool(world, call);
      forgetDiscoveries(world);
      return response;
    }),
  },
];
