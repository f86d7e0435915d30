import { contract } from "../../contract/load.js";
import { type Call, type Outcome, ok } from "../call.js";
import { isSubmittable, refuseEntitlement, refuseWorkflow } from "../limits/admission.js";
import { findRepo, noSuchRepo, reposBySlug } from "../repositories/repos.js";
import { listShort } from "../world/listing.js";
import type { World } from "../world/world.js";
import { forecast } from "./forecasts.js";

/** Lists a forecast for every workflow that the workspace may submit. FORECAST-REPO-ROUTE; PAGE-LISTS-UNSHOWN. */
export function listForecasts(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  const { workspace } = call.caller;
  const workflows = Object.keys(contract.workflows)
    .filter(isSubmittable)
    .filter((workflow) => !refuseEntitlement(world, call.caller, workflow));
  return listShort(call, repo.id, workflows, (workflow) => ({ workflow, ...forecast(world, workspace.id, [repo], workflow) }));
}

/**
 * Estimates one workflow on the repositories of a slug, or over the workspace. FORECAST-LOOKUP-REPO, FORECAST-LOOKUP-WORKSPACE.
 * A workflow that cannot be submitted is 422, a slug that nobody registered 404 (our choice).
 */
export function lookupForecast(world: World, call: Call): Outcome {
  const { workflow, repo_name } = call.query as { workflow: string; repo_name?: string };
  const { id } = call.caller.workspace;
  if (!isSubmittable(workflow)) return refuseWorkflow(workflow);
  const repos = repo_name === undefined ? null : reposBySlug(world, id, repo_name);
  return repos?.length === 0 ? noSuchRepo : ok(200, forecast(world, id, repos, workflow));
}
