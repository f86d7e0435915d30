import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import { hasScope, refuseScope } from "../access/access.js";
import { type Caller, type Refusal, type RefusalOrNull, refuse } from "../call.js";
import type { World } from "../world/world.js";
import { drawSpend, refuseSpend } from "./spend.js";

/** Returns whether clients may submit this workflow: known, not retired and not an internal verb. WORKFLOW-MINI-RETIRED. */
export function isSubmittable(workflow: string): workflow is WorkflowName {
  return Object.hasOwn(contract.workflows, workflow) && contract.workflows[workflow as WorkflowName].submittable;
}

/** Refuses a workflow that no client may submit. */
export function refuseWorkflow(workflow: string): { refusal: Refusal } {
  return refuse("invalid_payload", { message: `'${workflow}' is not a workflow that can be submitted.` });
}

/** Refuses a key without the workflow's extra scope: `fix` and `task` need a second one. */
export function refuseWorkflowScope(caller: Caller, workflow: WorkflowName): RefusalOrNull {
  const missing = contract.workflows[workflow].needs_scope.find((scope) => !hasScope(caller, scope));
  return missing ? refuseScope(missing) : null;
}

/**
 * Refuses a workflow that neither the plan nor a private beta includes. The beta check comes first, because no upgrade grants a
 * beta. WORKFLOW-BETA-TASK, WORKFLOW-REFUSED-STATUS.
 */
export function refuseEntitlement(world: World, caller: Caller, workflow: WorkflowName): RefusalOrNull {
  const { workspace } = caller;
  if (contract.workflows[workflow].beta) return workspace.features.includes(workflow) ? null : refuse("feature_not_enabled");
  const allowedWorkflowNames = world.plans[workspace.plan].workflows;
  return allowedWorkflowNames.includes(workflow)
    ? null
    : refuse("workflow_not_entitled", { fields: { details: { allowed_workflows: allowedWorkflowNames } } });
}

/** Admits one run of a workflow and draws its cost. A refused run draws nothing. */
export function admitRun(world: World, caller: Caller, workflow: WorkflowName): RefusalOrNull {
  const costUsd = world.runs[workflow].cost_usd;
  const refused = refuseEntitlement(world, caller, workflow) ?? refuseSpend(world, caller, costUsd);
  if (refused) return refused;
  drawSpend(world, caller, costUsd);
  return null;
}
