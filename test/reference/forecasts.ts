import { type Call, findRepoInPath } from "./call.js";
import { invalid, isRefusal, notFoundRefusal, type OperationResult, refuse, success } from "./operation-result.js";
import { listUnshown } from "./pages.js";
import { getPrice } from "./spend.js";
import { getSlug } from "./state.js";
import { getWorkflows } from "./submit.js";

/** GET …/forecasts */
export function listForecasts(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const { listShape, forecastsShape } = call.choices;
  const rows = getRows(call).map((workflow) => ({ workflow, ...forecast(call, workflow) }));
  return listUnshown(call, forecastsShape ?? listShape, rows);
}

function getRows({ choices, workspace }: Call): string[] {
  const entitled = getWorkflows(choices, workspace.plan).filter((workflow) => workflow !== "mini_audit");
  switch (choices.forecastRows) {
    case "entitled":
      return entitled;
    case "all":
      return getWorkflows({ ...choices, planGates: false }, workspace.plan);
    case "past":
      return entitled.filter((workflow) => workspace.jobs.some((job) => job.workflow === workflow));
    default:
      return choices.forecastRows satisfies never;
  }
}

/** GET /api/forecasts/lookup */
export function lookUpForecast(call: Call): OperationResult {
  const { workflow, repo_name } = call.query;
  if (!workflow) return invalid([{ field: "workflow", problem: "is missing" }]);
  const { unknownSlug, forecastLookup, code } = call.choices;
  const isKnown = call.workspace.repos.some((repo) => !repo.deleted && getSlug(repo) === repo_name);
  if (repo_name !== undefined && !isKnown && unknownSlug !== "estimate") return notFoundRefusal("repository");
  if (forecastLookup === "retired is unknown" && workflow === "mini_audit") return notFoundRefusal("workflow");
  const allowed = getWorkflows(call.choices, call.workspace.plan);
  if (forecastLookup === "entitled" && !allowed.includes(workflow) && workflow !== "mini_audit")
    return refuse(402, "billing_error", code("workflow not in plan"), "The plan has no such workflow", {
      extra: { details: { allowed_workflows: allowed } },
    });
  return success(200, forecast(call, workflow));
}

function forecast({ choices, workspace, world }: Call, workflow: string): Record<string, unknown> {
  const jobs = choices.forecasts === "of everybody" ? world.workspaces.flatMap((one) => one.jobs) : workspace.jobs;
  const runs = jobs.filter((job) => job.workflow === workflow && job.status === "completed").length;
  const spread = { fixed: 2, past: 1 + 1 / (1 + runs), percentiles: 1, "of everybody": 1.5 }[choices.forecasts];
  const price = getPrice(workflow) * choices.forecastFactor;
  const seconds = choices.runSeconds * choices.forecastFactor;
  const dollars = (usd: number) => (choices.wholeDollars ? Math.ceil(usd) : usd);
  return {
    ...choices.adorn(0),
    ...{ cost_low: dollars(price / spread), cost_mid: dollars(price), cost_high: dollars(price * spread) },
    ...{ duration_low: seconds / spread, duration_mid: seconds, duration_high: seconds * spread },
    sample_size: runs + choices.forecastSamples,
    confidence: choices.confidence(runs),
  };
}
