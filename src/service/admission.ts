import { contract } from "../contract/load.js";
import type { WorkflowName } from "../contract/types.js";
import { hasScope, refuseScope } from "./access.js";
import { type Caller, type Refusal, refuse } from "./call.js";
import { drawSpend, refuseSpend } from "./spend.js";
import type { World } from "./world.js";

type Refused = { refusal: Refusal } | null;

/** Refuses a workflow that nobody may submit: unknown, retired, or an internal verb. WORKFLOW-MINI-RETIRED. */
export function refuseWorkflow(workflow: string): Refused {
  const row = contract.workflows[workflow as WorkflowName];
  if (row?.submittable && Object.hasOwn(contract.workflows, workflow)) return null;
  return refuse("invalid_payload", { message: `'${workflow}' is not a workflow that can be submitted.` });
}

/** Refuses a key without the workflow's own scope: fix and task need a second one. */
export function refuseWorkflowScope(caller: Caller, workflow: WorkflowName): Refused {
  const missing = contract.workflows[workflow].needs_scope.find((scope) => !hasScope(caller, scope));
  return missing ? refuseScope(missing) : null;
}

/** Refuses what neither the plan nor a private beta grants. WORKFLOW-BETA-TASK before WORKFLOW-REFUSED-STATUS: upgrading does not grant a beta. */
export function refuseEntitlement(world: World, caller: Caller, workflow: WorkflowName): Refused {
  const { workspace } = caller;
  if (contract.workflows[workflow].beta) return workspace.features.includes(workflow) ? null : refuse("feature_not_enabled");
  const allowed = world.plans[workspace.plan].workflows;
  return allowed.includes(workflow)
    ? null
    : refuse("workflow_not_entitled", { fields: { details: { allowed_workflows: allowed } } });
}

/** Admits one run of a workflow and draws its cost, or refuses and draws nothing. */
export function admitRun(world: World, caller: Caller, workflow: WorkflowName): Refused {
  const costUsd = world.runs[workflow].cost_usd;
  const refused = refuseEntitlement(world, caller, workflow) ?? refuseSpend(world, caller, costUsd);
  if (!refused) drawSpend(world, caller, costUsd);
  return refused;
}
