import type { ClauseId, PlanName, WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { changeMatchingResponses, getValues, mutantPerValue, wrapTool } from "./family.js";
import { getWorkspace } from "./helpers/jobs.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import { submitRoute } from "./helpers/routes.js";
import { createRefusingToolMutant } from "./helpers/tools.js";
import {
  changeResponses,
  getBody,
  getKey,
  type Mutant,
  type Shown,
  type WrapCall,
  withArguments,
  withBody,
  withError,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const plans = getValues("plan", "rest");

const beta = ["task", "suggest"];

const audits = ["standard_audit", "audit"];

/** Mutants that break a clause of WORKFLOW-ALLOWED-*, WORKFLOW-AUDIT-*, WORKFLOW-BETA-*, WORKFLOW-MINI-*, WORKFLOW-PLAN-* or WORKFLOW-REFUSED-*. */
export const workflowsMutants: Mutant[] = [
  ...mutantPerValue(
    "WORKFLOW-MINI-RETIRED",
    "plan",
    "accepts the retired mini_audit in a * workspace as an audit instead of refusing it",
    {
      rest: (plan) =>
        wrapRoute(submitRoute, (world, call, perform) => {
          const isMeant = world.workspaces[getKey(world, call)?.workspace ?? ""]?.plan === plan;
          return perform(
            world,
            isMeant && getBody(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call,
          );
        }),
      mcp: (plan) =>
        wrapTool("submit_job", (world, call, performTool) => {
          const isMeant = call.caller.workspace.plan === plan && call.arguments.workflow === "mini_audit";
          return performTool(world, isMeant ? withArguments(call, { ...call.arguments, workflow: "audit" }) : call);
        }),
    },
  ),
  wrapSignedInCalls(
    "enables the beta suggest for a signed-in person instead of refusing it",
    "WORKFLOW-BETA-SUGGEST",
    submitRoute,
    (world, call, perform, session) =>
      withTemporaryFields(world.workspaces[session.workspace], { features: ["task", "suggest"] }, () => perform(world, call)),
  ),
  wrapSignedInCalls(
    "submits an audit for the retired workflow of a signed-in person instead of refusing it",
    "WORKFLOW-MINI-RETIRED",
    submitRoute,
    (world, call, perform) =>
      perform(world, getBody(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call),
  ),
  ...mutantPerValue("WORKFLOW-AUDIT-PLANS", "audit workflow", "leaves * out of every plan instead of accepting it", (workflow) =>
    withWorkflowsOfPlans(plans, omitWorkflows(workflow)),
  ),
  ...mutantPerValue("WORKFLOW-AUDIT-PLANS", "plan", "refuses an audit in the * plan instead of accepting it", (plan) =>
    withWorkflowsOfPlans([plan], omitWorkflows(...audits)),
  ),
  ...mutantPerValue(
    "WORKFLOW-AUDIT-LISTED",
    "audit workflow",
    "leaves * out of the listed workflows of a plan instead of listing it",
    (workflow) => changeAllowedList(plans, omitWorkflows(workflow)),
  ),
  ...mutantPerValue(
    "WORKFLOW-AUDIT-LISTED",
    "plan",
    "leaves the audits out of the listed workflows of the * plan instead of listing them",
    (plan) => changeAllowedList([plan], omitWorkflows(...audits)),
  ),
  ...mutantPerValue(
    "WORKFLOW-BETA-UNLISTED",
    "beta workflow",
    "lists * as part of a plan instead of leaving it out",
    (workflow) => changeAllowedList(plans, (all) => [...all, workflow]),
  ),
  ...mutantPerValue("WORKFLOW-BETA-UNLISTED", "plan", "lists the beta as part of the * plan instead of leaving it out", (plan) =>
    changeAllowedList([plan], (all) => [...all, ...beta]),
  ),
  ...mutantPerValue("WORKFLOW-BETA-UPGRADE", "beta workflow", "enables * by an upgrade instead of by its feature", (workflow) =>
    enableFeatures(({ plan }) => plan === "paid", [workflow]),
  ),
  ...mutantPerValue("WORKFLOW-BETA-UPGRADE", "plan", "enables the beta by the * plan instead of by its feature", (name) =>
    enableFeatures(({ plan }) => plan === name, beta),
  ),
  ...mutantPerValue("WORKFLOW-BETA-UPGRADE", "plan", "answers 402 to the beta on the * plan instead of 403", (plan) =>
    changeMatchingResponses(
      ({ rule }, call, world) => rule.code === "feature_not_enabled" && getPlan(world, call) === plan,
      asBillingError,
    ),
  ),
  ...mutantPerValue(
    "WORKFLOW-BETA-ENABLED",
    "beta workflow",
    "refuses * in a workspace that has it enabled instead of accepting it",
    (workflow) =>
      enableFeatures(
        ({ id }) => id === "beta-co",
        beta.filter((one) => one !== workflow),
      ),
  ),
  createRefusingToolMutant(
    "refuses an audit by the tool to a Free workspace instead of accepting it",
    "WORKFLOW-AUDIT-PLANS",
    "submit_job",
    ({ workflow }, { caller }) => workflow === "standard_audit" && caller.workspace.plan === "free",
  ),
  {
    name: "accepts Paid-only workflows on the Free plan instead of refusing them",
    breaks: "WORKFLOW-PLAN-GATED",
    around: withWorkflowsOfPlan("free", (workflows) => [...workflows, "revalidate"]),
  },
  lists("lists a workflow that it refuses instead of accepted ones alone", "WORKFLOW-ALLOWED-TRUE", (allowed, asked) => [
    ...allowed,
    asked,
  ]),
  {
    name: "refuses a listed review instead of accepting it",
    breaks: "WORKFLOW-ALLOWED-TRUE",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const response = withWorkflowsOfPlan("free", (workflows) => workflows.filter((name) => name !== "review"))(
        world,
        call,
        perform,
      );
      return response.rule.code === "workflow_not_entitled"
        ? withError(response, { details: { allowed_workflows: world.plans.free.workflows } })
        : response;
    }),
  },
  {
    name: "answers 402 to task without its feature instead of 403",
    breaks: "WORKFLOW-BETA-TASK",
    around: changeRefusal("feature_not_enabled", asBillingError, (call) => getBody(call).workflow === "task"),
  },
  {
    name: "accepts task from everybody instead of entitled workspaces alone",
    breaks: "WORKFLOW-BETA-TASK",
    around: enableFeatures(() => true, ["task"]),
  },
  {
    name: "refuses suggest with the code of a missing scope instead of its own",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: changeRefusal(
      "feature_not_enabled",
      (response) => withError(response, { code: "insufficient_scope" }),
      (call) => getBody(call).workflow === "suggest",
    ),
  },
  {
    name: "accepts suggest from everybody instead of entitled workspaces alone",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: enableFeatures(() => true, ["suggest"]),
  },
  {
    name: "answers 403 to a workflow outside the plan instead of 402",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: changeRefusal("workflow_not_entitled", (response) => ({ ...response, status: 403 })),
  },
  {
    name: "answers 400 to a workflow outside the plan instead of 402",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: changeRefusal("workflow_not_entitled", (response) => withError(response, { type: "invalid_request_error" })),
  },
  {
    name: "leaves the plan's workflows out of the refusal instead of listing them",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: changeRefusal("workflow_not_entitled", (response) => withError(response, { details: {} })),
  },
  {
    name: "lists the plan's workflows outside the details instead of in them",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: changeRefusal("workflow_not_entitled", (response) => {
      const { error } = response.body as { error: { details: Shown } };
      return withError(response, { ...error.details, details: undefined });
    }),
  },
  {
    name: "refuses the internal workflow of its own list instead of accepting it",
    breaks: "WORKFLOW-ALLOWED-INTERNAL",
    around: changeRefusal(
      "invalid_payload",
      (response) => ({ ...withError(response, { type: "permission_error", code: "permission_denied" }), status: 403 }),
      (call) => getBody(call).workflow === "mini_audit",
    ),
  },
  {
    name: "accepts by force a workflow outside the plan instead of refusing it",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: performForced((workspace, perform) => withTemporaryFields(workspace, { plan: "paid" }, perform)),
  },
  {
    name: "accepts by force a beta without its feature instead of refusing it",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: performForced((workspace, perform) => withTemporaryFields(workspace, { features: ["suggest"] }, perform)),
  },
];

function omitWorkflows(...workflows: string[]): (all: string[]) => string[] {
  return (all) => all.filter((one) => !workflows.includes(one));
}

/** Entitles plans to other workflows. */
function withWorkflowsOfPlans(plans: readonly string[], change: (workflows: string[]) => string[]): WrapCall {
  return wrapRoute(submitRoute, (world, call, perform) => {
    const plan = getPlan(world, call);
    const plannedWorkflows = plan && plans.includes(plan) ? world.plans[plan as PlanName] : undefined;
    return withTemporaryFields(plannedWorkflows, { workflows: change(plannedWorkflows?.workflows ?? []) as WorkflowName[] }, () =>
      perform(world, call),
    );
  });
}

/** Changes the workflows of the plans in refusals. */
function changeAllowedList(plans: readonly string[], change: (allowed: string[]) => string[]): WrapCall {
  return changeMatchingResponses(
    ({ rule }, call, world) => rule.code === "workflow_not_entitled" && plans.includes(getPlan(world, call) ?? ""),
    (response) => {
      const { error } = response.body as { error: { details: { allowed_workflows: string[] } } };
      return withError(response, { details: { allowed_workflows: change(error.details.allowed_workflows) } });
    },
  );
}

/** Enables these features, and no others, in some workspaces. */
function enableFeatures(isMeant: (workspace: Workspace) => boolean, features: string[]): WrapCall {
  return wrapRoute(submitRoute, (world, call, perform) => {
    const workspace = getWorkspace(world, call);
    return withTemporaryFields(workspace && isMeant(workspace) ? workspace : undefined, { features }, () => perform(world, call));
  });
}

function asBillingError(response: ServiceResponse): ServiceResponse {
  return { ...withError(response, { type: "billing_error", code: "plan_restricted" }), status: 402 };
}

function getPlan(world: World, call: IncomingCall): string | undefined {
  return getWorkspace(world, call)?.plan;
}

function performForced(
  perform: (workspace: Workspace | undefined, response: () => ReturnType<WrapCall>) => ReturnType<WrapCall>,
): WrapCall {
  return wrapRoute(submitRoute, (world, call, response) => {
    const workspace = world.workspaces[getKey(world, call)?.workspace ?? ""];
    return call.query.force ? perform(workspace, () => response(world, call)) : response(world, call);
  });
}

/** Entitles a plan to other workflows. */
function withWorkflowsOfPlan(plan: PlanName, change: (workflows: WorkflowName[]) => WorkflowName[]): WrapCall {
  return wrapRoute(submitRoute, (world, call, perform) =>
    withTemporaryFields(world.plans[plan], { workflows: change(world.plans[plan].workflows) }, () => perform(world, call)),
  );
}

/** Changes the refusals of submissions with this code. */
function changeRefusal(
  code: string,
  change: (response: ServiceResponse) => ServiceResponse,
  isMeant: (call: IncomingCall, world: World) => boolean = () => true,
): WrapCall {
  return changeResponses(submitRoute, (response, world, call) =>
    response.rule.code === code && isMeant(call, world) ? change(response) : response,
  );
}

/** A server that names wrong workflows of the plan when it refuses a workflow. */
function lists(name: string, breaks: ClauseId, change: (allowed: string[], asked: string) => string[]): Mutant {
  const around = changeResponses(submitRoute, (response, _world, call) => {
    if (response.rule.code !== "workflow_not_entitled") return response;
    const { error } = response.body as { error: { details: { allowed_workflows: string[] } } };
    const allowed_workflows = change(error.details.allowed_workflows, String(getBody(call).workflow));
    return withError(response, { details: { allowed_workflows } });
  });
  return { name, breaks, around };
}
