import { changing, each, onTool } from "./family.js";
import { type Mutant, onRoute, type Shown, withArguments, withQuery } from "./mutant.js";

/** By the ways to name a branch: what the branches of one have in common. */
const forms: Record<string, RegExp> = {
  "one slash": /^[^/]+\/[^/]+$/,
  "several slashes": /\/.*\//,
  "at sign": /@/,
  "dots and capitals": /[A-Z].*\./,
  "plus and percent": /\+.*%/,
};

const nowhere = "no@where";

/** Faults in branches that are named in one way, as they are shown and as they are asked for. */
export const branchMutants: Mutant[] = [
  ...each("JOB-FIELD-REPO-NAME", "branch form", "cuts the name of a branch with *", (form) =>
    changing(
      ({ status }) => status < 300,
      (reply) => ({ ...reply, body: cut(reply.body as Shown, form) }),
    ),
  ),
  ...each("OBS-FILTER-REPO", "branch form", "finds no observations by a slug with *", (form) =>
    onRoute("GET /api/observations", (world, call, perform) =>
      perform(world, isOf(form, call.query.repo?.[0]) ? withQuery(call, { repo: nowhere }) : call),
    ),
  ),
  ...each("FORECAST-LOOKUP-REPO", "branch form", "has no forecast for a slug with *", (form) =>
    onRoute("GET /api/forecasts/lookup", (world, call, perform) =>
      perform(world, isOf(form, call.query.repo_name?.[0]) ? withQuery(call, { repo_name: nowhere }) : call),
    ),
  ),
  ...each("MCP-TOOL-OBS-FILTERS", "branch form", "lists no observations by a slug with *", {
    mcp: (form) =>
      onTool("list_observations", (world, call, performTool) => {
        const { repo } = call.arguments;
        return performTool(world, isOf(form, repo) ? withArguments(call, { ...call.arguments, repo: nowhere }) : call);
      }),
  }),
];

function isOf(form: string, slug: unknown): boolean {
  return typeof slug === "string" && forms[form]!.test(slug.slice(slug.indexOf("@") + 1));
}

/** A job, or a page of them, with the last letter of such a branch missing. */
function cut(shown: Shown, form: string): Shown {
  if (Array.isArray(shown?.data)) return { ...shown, data: shown.data.map((row: Shown) => cut(row, form)) };
  return isOf(form, shown?.repo_name) ? { ...shown, repo_name: String(shown.repo_name).slice(0, -1) } : shown;
}
