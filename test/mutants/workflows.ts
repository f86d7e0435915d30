import type { ClauseId, PlanName, WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { changing, each, valuesOf } from "./family.js";
import { workspaceOf } from "./helpers/jobs.js";
import { signedIn } from "./helpers/keys.js";
import { submitRoute } from "./helpers/routes.js";
import { refusingCalls } from "./helpers/tools.js";
import {
  type Around,
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  pretending,
  type Shown,
  withBody,
  withError,
} from "./mutant.js";

const plans = valuesOf("plan", "rest");

const beta = ["task", "suggest"];

const audits = ["standard_audit", "audit"];

/** Mutants that break a clause of WORKFLOW-ALLOWED-*, WORKFLOW-AUDIT-*, WORKFLOW-BETA-*, WORKFLOW-MINI-*, WORKFLOW-PLAN-* or WORKFLOW-REFUSED-*. */
export const workflowsMutants: Mutant[] = [
  ...each("WORKFLOW-MINI-RETIRED", "plan", "takes the retired mini_audit for an audit in a * workspace", {
    rest: (plan) =>
      onRoute(submitRoute, (world, call, perform) => {
        const isMeant = world.workspaces[keyOf(world, call)?.workspace ?? ""]?.plan === plan;
        return perform(world, isMeant && bodyOf(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call);
      }),
  }),
  signedIn(
    "enables the beta suggest for who is signed in",
    "WORKFLOW-BETA-SUGGEST",
    submitRoute,
    (world, call, perform, session) =>
      pretending(world.workspaces[session.workspace], { features: ["task", "suggest"] }, () => perform(world, call)),
  ),
  signedIn(
    "submits an audit for the retired one of who is signed in",
    "WORKFLOW-MINI-RETIRED",
    submitRoute,
    (world, call, perform) =>
      perform(world, bodyOf(call).workflow === "mini_audit" ? withBody(call, { workflow: "audit" }) : call),
  ),
  ...each("WORKFLOW-AUDIT-PLANS", "audit workflow", "has no plan with *", (workflow) =>
    withWorkflowsOfPlans(plans, without(workflow)),
  ),
  ...each("WORKFLOW-AUDIT-PLANS", "plan", "has no audit in the * plan", (plan) =>
    withWorkflowsOfPlans([plan], without(...audits)),
  ),
  ...each("WORKFLOW-AUDIT-LISTED", "audit workflow", "leaves * off the list of what a plan has", (workflow) =>
    listing(plans, without(workflow)),
  ),
  ...each("WORKFLOW-AUDIT-LISTED", "plan", "leaves the audits off the list of the * plan", (plan) =>
    listing([plan], without(...audits)),
  ),
  ...each("WORKFLOW-BETA-UNLISTED", "beta workflow", "lists * as part of a plan", (workflow) =>
    listing(plans, (all) => [...all, workflow]),
  ),
  ...each("WORKFLOW-BETA-UNLISTED", "plan", "lists the beta as part of the * plan", (plan) =>
    listing([plan], (all) => [...all, ...beta]),
  ),
  ...each("WORKFLOW-BETA-UPGRADE", "beta workflow", "grants * by an upgrade", (workflow) =>
    featuring(({ plan }) => plan === "paid", [workflow]),
  ),
  ...each("WORKFLOW-BETA-UPGRADE", "plan", "grants the beta by the * plan", (name) =>
    featuring(({ plan }) => plan === name, beta),
  ),
  ...each("WORKFLOW-BETA-UPGRADE", "plan", "refuses the beta as a matter of billing on the * plan", (plan) =>
    changing(({ rule }, call, world) => rule.code === "feature_not_enabled" && planOf(world, call) === plan, billed),
  ),
  ...each("WORKFLOW-BETA-ENABLED", "beta workflow", "refuses * where it is enabled", (workflow) =>
    featuring(
      ({ id }) => id === "beta-co",
      beta.filter((one) => one !== workflow),
    ),
  ),
  refusingCalls(
    "refuses by the tool an audit to a Free workspace",
    "WORKFLOW-AUDIT-PLANS",
    "submit_job",
    ({ workflow }, { caller }) => workflow === "standard_audit" && caller.workspace.plan === "free",
  ),
  {
    name: "takes on Free what only Paid has",
    breaks: "WORKFLOW-PLAN-GATED",
    around: withWorkflowsOfPlan("free", (workflows) => [...workflows, "revalidate"]),
  },
  {
    name: "leaves out of Paid what Free leaves out",
    breaks: "WORKFLOW-PLAN-GATED",
    around: withWorkflowsOfPlan("paid", (workflows) => workflows.filter((name) => name !== "revalidate")),
  },
  lists("lists a workflow that it refuses", "WORKFLOW-ALLOWED-TRUE", (allowed, asked) => [...allowed, asked]),
  {
    name: "refuses a review that is on the list",
    breaks: "WORKFLOW-ALLOWED-TRUE",
    around: onRoute(submitRoute, (world, call, perform) => {
      const reply = withWorkflowsOfPlan("free", (workflows) => workflows.filter((name) => name !== "review"))(
        world,
        call,
        perform,
      );
      return reply.rule.code === "workflow_not_entitled"
        ? withError(reply, { details: { allowed_workflows: world.plans.free.workflows } })
        : reply;
    }),
  },
  {
    name: "refuses task as a matter of billing",
    breaks: "WORKFLOW-BETA-TASK",
    around: changingRefusal("feature_not_enabled", billed, (call) => bodyOf(call).workflow === "task"),
  },
  { name: "takes task from everybody", breaks: "WORKFLOW-BETA-TASK", around: featuring(() => true, ["task"]) },
  {
    name: "refuses suggest under the code of a missing scope",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: changingRefusal(
      "feature_not_enabled",
      (reply) => withError(reply, { code: "insufficient_scope" }),
      (call) => bodyOf(call).workflow === "suggest",
    ),
  },
  { name: "takes suggest from everybody", breaks: "WORKFLOW-BETA-SUGGEST", around: featuring(() => true, ["suggest"]) },
  {
    name: "forbids a workflow that the plan leaves out",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: changingRefusal("workflow_not_entitled", (reply) => ({ ...reply, status: 403 })),
  },
  {
    name: "calls a workflow that the plan leaves out a bad request",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: changingRefusal("workflow_not_entitled", (reply) => withError(reply, { type: "invalid_request_error" })),
  },
  {
    name: "does not say which workflows the plan has",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: changingRefusal("workflow_not_entitled", (reply) => withError(reply, { details: {} })),
  },
  {
    name: "says beside the details which workflows the plan has",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: changingRefusal("workflow_not_entitled", (reply) => {
      const { error } = reply.body as { error: { details: Shown } };
      return withError(reply, { ...error.details, details: undefined });
    }),
  },
  {
    name: "forbids the internal verb on its own list",
    breaks: "WORKFLOW-ALLOWED-INTERNAL",
    around: changingRefusal(
      "invalid_payload",
      (reply) => ({ ...withError(reply, { type: "permission_error", code: "permission_denied" }), status: 403 }),
      (call) => bodyOf(call).workflow === "mini_audit",
    ),
  },
  {
    name: "takes by force what the plan leaves out",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: forced((workspace, perform) => pretending(workspace, { plan: "paid" }, perform)),
  },
  {
    name: "takes by force a beta that is not enabled",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: forced((workspace, perform) => pretending(workspace, { features: ["suggest"] }, perform)),
  },
];

function without(...workflows: string[]): (all: string[]) => string[] {
  return (all) => all.filter((one) => !workflows.includes(one));
}

/** Entitles plans to other workflows. */
function withWorkflowsOfPlans(plans: readonly string[], change: (workflows: string[]) => string[]): Around {
  return onRoute(submitRoute, (world, call, perform) => {
    const plan = planOf(world, call);
    const meant = plan && plans.includes(plan) ? world.plans[plan as PlanName] : undefined;
    return pretending(meant, { workflows: change(meant?.workflows ?? []) as WorkflowName[] }, () => perform(world, call));
  });
}

/** Says otherwise what plans have where a workflow is refused. */
function listing(plans: readonly string[], change: (allowed: string[]) => string[]): Around {
  return changing(
    ({ rule }, call, world) => rule.code === "workflow_not_entitled" && plans.includes(planOf(world, call) ?? ""),
    (reply) => {
      const { error } = reply.body as { error: { details: { allowed_workflows: string[] } } };
      return withError(reply, { details: { allowed_workflows: change(error.details.allowed_workflows) } });
    },
  );
}

/** Enables these features, and no others, in some workspaces. */
function featuring(isMeant: (workspace: Workspace) => boolean, features: string[]): Around {
  return onRoute(submitRoute, (world, call, perform) => {
    const workspace = workspaceOf(world, call);
    return pretending(workspace && isMeant(workspace) ? workspace : undefined, { features }, () => perform(world, call));
  });
}

function billed(reply: Reply): Reply {
  return { ...withError(reply, { type: "billing_error", code: "plan_restricted" }), status: 402 };
}

function planOf(world: World, call: IncomingCall): string | undefined {
  return workspaceOf(world, call)?.plan;
}

function forced(perform: (workspace: Workspace | undefined, answer: () => ReturnType<Around>) => ReturnType<Around>): Around {
  return onRoute(submitRoute, (world, call, answer) => {
    const workspace = world.workspaces[keyOf(world, call)?.workspace ?? ""];
    return call.query.force ? perform(workspace, () => answer(world, call)) : answer(world, call);
  });
}

/** Entitles a plan to other workflows. */
function withWorkflowsOfPlan(plan: PlanName, change: (workflows: WorkflowName[]) => WorkflowName[]): Around {
  return onRoute(submitRoute, (world, call, perform) =>
    pretending(world.plans[plan], { workflows: change(world.plans[plan].workflows) }, () => perform(world, call)),
  );
}

/** Refuses submissions otherwise than by this code. */
function changingRefusal(
  code: string,
  change: (reply: Reply) => Reply,
  isMeant: (call: IncomingCall, world: World) => boolean = () => true,
): Around {
  return answering(submitRoute, (reply, world, call) =>
    reply.rule.code === code && isMeant(call, world) ? change(reply) : reply,
  );
}

/** A server that says otherwise what the plan has when it refuses a workflow. */
function lists(name: string, breaks: ClauseId, change: (allowed: string[], asked: string) => string[]): Mutant {
  const around = answering(submitRoute, (reply, _world, call) => {
    if (reply.rule.code !== "workflow_not_entitled") return reply;
    const { error } = reply.body as { error: { details: { allowed_workflows: string[] } } };
    const allowed_workflows = change(error.details.allowed_workflows, String(bodyOf(call).workflow));
    return withError(reply, { details: { allowed_workflows } });
  });
  return { name, breaks, around };
}
