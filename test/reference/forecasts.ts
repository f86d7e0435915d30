import { type Call, repoOf } from "./call.js";
import { absent, done, invalid, isRefusal, type Reply } from "./reply.js";
import { priceOf } from "./spend.js";
import { slugOf } from "./state.js";

/** GET …/forecasts */
export function listForecasts(call: Call): Reply {
  const repo = repoOf(call);
  if (isRefusal(repo)) return repo;
  const { free, paid } = call.choices;
  const workflows = call.workspace.plan === "free" ? free : paid;
  return done(200, call.choices.listShape(workflows.map((workflow) => ({ workflow, ...forecast(call, workflow) }))));
}

/** GET /api/forecasts/lookup */
export function lookUpForecast(call: Call): Reply {
  const { workflow, repo_name } = call.query;
  if (!workflow) return invalid([{ field: "workflow", problem: "is missing" }]);
  const known = call.workspace.repos.some((repo) => !repo.deleted && slugOf(repo) === repo_name);
  if (repo_name !== undefined && !known) return absent("repository");
  return done(200, forecast(call, workflow));
}

function forecast({ choices, workspace }: Call, workflow: string): Record<string, unknown> {
  const price = priceOf(workflow);
  const dollars = (usd: number) => (choices.wholeDollars ? Math.ceil(usd) : usd);
  return {
    ...choices.adorn(0),
    ...{ cost_low: dollars(price / 2), cost_mid: dollars(price), cost_high: dollars(price * 2) },
    ...{ duration_low: choices.runSeconds / 2, duration_mid: choices.runSeconds, duration_high: choices.runSeconds * 3 },
    sample_size: workspace.jobs.filter((job) => job.workflow === workflow).length,
    confidence: choices.confidence,
  };
}
