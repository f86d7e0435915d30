import type { ClauseId, PlanName, WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { type Around, answering, bodyOf, keyOf, type Mutant, onRoute, pretending, type Shown, withError } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** Faults in which workflows a workspace may submit, and in what is said to those it may not. */
export const workflowMutants: Mutant[] = [
  {
    name: "takes on Free what only Paid has",
    breaks: "WORKFLOW-PLAN-GATED",
    around: entitled("free", (workflows) => [...workflows, "revalidate"]),
  },
  {
    name: "leaves out of Paid what Free leaves out",
    breaks: "WORKFLOW-PLAN-GATED",
    around: entitled("paid", (workflows) => workflows.filter((name) => name !== "revalidate")),
  },
  lists("lists a workflow that it refuses", "WORKFLOW-ALLOWED-TRUE", (allowed, asked) => [...allowed, asked]),
  {
    name: "refuses a review that is on the list",
    breaks: "WORKFLOW-ALLOWED-TRUE",
    around: onRoute(submit, (world, call, perform) => {
      const reply = entitled("free", (workflows) => workflows.filter((name) => name !== "review"))(world, call, perform);
      return reply.rule.code === "workflow_not_entitled"
        ? withError(reply, { details: { allowed_workflows: world.plans.free.workflows } })
        : reply;
    }),
  },
  {
    name: "refuses task as a matter of billing",
    breaks: "WORKFLOW-BETA-TASK",
    around: refusing("feature_not_enabled", billed, (call) => bodyOf(call).workflow === "task"),
  },
  { name: "takes task from everybody", breaks: "WORKFLOW-BETA-TASK", around: featuring(() => true, ["task"]) },
  {
    name: "refuses suggest under the code of a missing scope",
    breaks: "WORKFLOW-BETA-SUGGEST",
    around: refusing(
      "feature_not_enabled",
      (reply) => withError(reply, { code: "insufficient_scope" }),
      (call) => bodyOf(call).workflow === "suggest",
    ),
  },
  { name: "takes suggest from everybody", breaks: "WORKFLOW-BETA-SUGGEST", around: featuring(() => true, ["suggest"]) },
  {
    name: "forbids a workflow that the plan leaves out",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: refusing("workflow_not_entitled", (reply) => ({ ...reply, status: 403 })),
  },
  {
    name: "calls a workflow that the plan leaves out a bad request",
    breaks: "WORKFLOW-REFUSED-STATUS",
    around: refusing("workflow_not_entitled", (reply) => withError(reply, { type: "invalid_request_error" })),
  },
  {
    name: "does not say which workflows the plan has",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: refusing("workflow_not_entitled", (reply) => withError(reply, { details: {} })),
  },
  {
    name: "says beside the details which workflows the plan has",
    breaks: "WORKFLOW-REFUSED-ALLOWED",
    around: refusing("workflow_not_entitled", (reply) => {
      const { error } = reply.body as { error: { details: Shown } };
      return withError(reply, { ...error.details, details: undefined });
    }),
  },
  {
    name: "forbids the internal verb on its own list",
    breaks: "WORKFLOW-ALLOWED-INTERNAL",
    around: refusing(
      "invalid_payload",
      (reply) => ({ ...withError(reply, { type: "permission_error", code: "permission_denied" }), status: 403 }),
      (call) => bodyOf(call).workflow === "mini_audit",
    ),
  },
];

/** Entitles a plan to other workflows. */
function entitled(plan: PlanName, change: (workflows: WorkflowName[]) => WorkflowName[]): Around {
  return onRoute(submit, (world, call, perform) =>
    pretending(world.plans[plan], { workflows: change(world.plans[plan].workflows) }, () => perform(world, call)),
  );
}

/** Enables these features, and no others, in some workspaces. */
function featuring(isMeant: (workspace: Workspace) => boolean, features: string[]): Around {
  return onRoute(submit, (world, call, perform) => {
    const workspace = workspaceOf(world, call);
    return pretending(workspace && isMeant(workspace) ? workspace : undefined, { features }, () => perform(world, call));
  });
}

/** Refuses submissions otherwise than by this code. */
function refusing(
  code: string,
  change: (reply: Reply) => Reply,
  isMeant: (call: IncomingCall, world: World) => boolean = () => true,
): Around {
  return answering(submit, (reply, world, call) => (reply.rule.code === code && isMeant(call, world) ? change(reply) : reply));
}

/** A server that says otherwise what the plan has when it refuses a workflow. */
function lists(name: string, breaks: ClauseId, change: (allowed: string[], asked: string) => string[]): Mutant {
  const around = answering(submit, (reply, _world, call) => {
    if (reply.rule.code !== "workflow_not_entitled") return reply;
    const { error } = reply.body as { error: { details: { allowed_workflows: string[] } } };
    const allowed_workflows = change(error.details.allowed_workflows, String(bodyOf(call).workflow));
    return withError(reply, { details: { allowed_workflows } });
  });
  return { name, breaks, around };
}

function billed(reply: Reply): Reply {
  return { ...withError(reply, { type: "billing_error", code: "plan_restricted" }), status: 402 };
}

function workspaceOf(world: World, call: IncomingCall): Workspace | undefined {
  return world.workspaces[keyOf(world, call)?.workspace ?? ""];
}
