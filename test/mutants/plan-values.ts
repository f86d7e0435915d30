import type { PlanName, WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { changing, each, onTool, valuesOf } from "./family.js";
import {
  type Around,
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  pretending,
  repoOf,
  routeOf,
  type Shown,
  showing,
  telling,
  withBody,
  withError,
  withQuery,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const lookup = "GET /api/forecasts/lookup";
const plans = valuesOf("plan", "rest");
const beta = ["task", "suggest"];
const audits = ["standard_audit", "audit"];

/** Faults in what one plan has, in one workflow of it, in one way to pay, and in the forecast of one workflow. */
export const planValueMutants: Mutant[] = [
  ...each("WORKFLOW-AUDIT-PLANS", "audit workflow", "has no plan with *", (workflow) => entitled(plans, without(workflow))),
  ...each("WORKFLOW-AUDIT-PLANS", "plan", "has no audit in the * plan", (plan) => entitled([plan], without(...audits))),
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
  ...each("JOB-SUBMIT-CREDIT", "paid operation", "starts on credit that is used up: *", {
    rest: (route) =>
      onRoute(route, (world, call, perform) =>
        pretending(workspaceOf(world, call), { credit_usd: 1000 }, () => perform(world, call)),
      ),
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) =>
        pretending(call.caller.workspace, { credit_usd: 1000 }, () => performTool(world, call)),
      ),
  }),
  ...each("JOB-SUBMIT-BUDGET", "paid operation", "forbids what is past the dollars of a key: *", (route) =>
    answering(route, (reply) =>
      reply.rule.code === "rate_limit_budget" ? { ...withError(reply, { type: "permission_error" }), status: 403 } : reply,
    ),
  ),
  ...each("SPEND-CODE", "paid operation", "calls a used-up hour too many requests on *", (route) =>
    answering(route, (reply) => (reply.rule.code === "rate_limit_budget" ? withError(reply, { code: "rate_limit_qps" }) : reply)),
  ),
  ...each("SPEND-CODE-ONLY", "unpaid operation", "refuses * when the hour's dollars are spent", (route) => onRoute(route, gated)),
  ...each("SPEND-READS", "read route", "serves no * when the hour's dollars are spent", (route) => onRoute(route, gated)),
  ...each("SPEND-READS", "read route", "draws the price of a run for *", (route) =>
    onRoute(route, (world, call, perform) => {
      const key = keyOf(world, call);
      const { since, spent_usd } = world.spend[key?.id ?? ""] ?? { since: world.now, spent_usd: 0 };
      if (key) world.spend[key.id] = { since, spent_usd: spent_usd + 10 };
      return perform(world, call);
    }),
  ),
  ...each("JOB-SUBMIT-BODY-INVALID", "submission fault", "takes a submission with *", (fault) =>
    onRoute(submit, (world, call, perform) => perform(world, withBody(call, mended(fault, bodyOf(call))))),
  ),
  ...each("JOB-SUBMIT-BODY-INVALID", "submission fault", "answers 400 to a submission with *", (fault) =>
    answering(submit, (reply, _world, call) =>
      reply.status === 422 && Object.keys(mended(fault, bodyOf(call))).length > 0 ? { ...reply, status: 400 } : reply,
    ),
  ),
  ...each("JOB-SUBMIT-ONLY-201", "start status", "leaves a job behind where none is started: *", (why) =>
    leaving((reply, call) => outcomeOf(reply, call) === why),
  ),
  ...each("DEDUPE-NOTHING-ENQUEUED", "answer for an existing job", "enqueues a job beside the one it answers with: *", (why) =>
    leaving((reply, call) => reply.status === 200 && existingOf(reply, call) === why),
  ),
  ...forecasting("FORECAST-COST", "tells costs as text", ({ cost_low, cost_mid, cost_high }) => ({
    cost_low: String(cost_low),
    cost_mid: String(cost_mid),
    cost_high: String(cost_high),
  })),
  ...forecasting("FORECAST-DURATION", "tells no longest duration", () => ({ duration_high: null })),
  ...forecasting("FORECAST-SAMPLE-SIZE", "tells half a run as sample size", ({ sample_size }) => ({
    sample_size: Number(sample_size) + 0.5,
  })),
  ...forecasting("FORECAST-CONFIDENCE", "is not confident at all", () => ({ confidence: undefined })),
  ...forecasting("FORECAST-ORDERED", "swaps the lowest and the highest cost", ({ cost_low, cost_high }) => ({
    cost_low: cost_high,
    cost_high: cost_low,
  })),
  ...forecasting("FORECAST-ORDERED", "swaps the shortest and the longest duration", ({ duration_low, duration_high }) => ({
    duration_low: duration_high,
    duration_high: duration_low,
  })),
  ...forecasting("FORECAST-ORDERED", "swaps the costs where nothing has run yet", ({ sample_size, cost_low, cost_high }) =>
    sample_size === 0 ? { cost_low: cost_high, cost_high: cost_low } : {},
  ),
  ...forecasting("FORECAST-ORDERED", "puts durations in the order of words", ({ duration_low, duration_mid, duration_high }) => {
    const [low, mid, high] = [duration_low, duration_mid, duration_high].sort();
    return { duration_low: low, duration_mid: mid, duration_high: high };
  }),
  ...each("FORECAST-LOOKUP-ROUTE", "audit workflow", "answers a looked-up forecast of * in a list", (workflow) =>
    changing(
      ({ status }, call) => status === 200 && isLookup(call, workflow),
      (reply) => ({ ...reply, body: { data: [reply.body] } }),
    ),
  ),
  ...each("FORECAST-LOOKUP-REPO", "audit workflow", "finds no forecast of * by a slug", (workflow) =>
    onRoute(lookup, (world, call, perform) =>
      perform(world, isLookup(call, workflow) && call.query.repo_name ? withQuery(call, { repo_name: "no@where" }) : call),
    ),
  ),
  ...each("FORECAST-LOOKUP-WORKSPACE", "audit workflow", "wants a repository to forecast for *", (workflow) =>
    onRoute(lookup, (world, call, perform) =>
      perform(world, isLookup(call, workflow) && !call.query.repo_name ? withQuery(call, { workflow: undefined }) : call),
    ),
  ),
  {
    name: "forecasts an audit where no workflow is named",
    breaks: "FORECAST-LOOKUP-WORKFLOW",
    around: onRoute(lookup, (world, call, perform) =>
      perform(world, call.query.workflow ? call : withQuery(call, { workflow: "audit" })),
    ),
  },
  ...["low", "mid", "high", "sample_size", "confidence"].map(
    (field): Mutant => ({
      name: `forecasts by the tool without ${field}`,
      breaks: "MCP-TOOL-FORECAST",
      aroundTool: telling("forecast", (forecast) =>
        Object.fromEntries(Object.entries(forecast).filter(([name]) => !name.endsWith(field))),
      ),
    }),
  ),
];

function without(...workflows: string[]): (all: string[]) => string[] {
  return (all) => all.filter((one) => !workflows.includes(one));
}

/** Entitles plans to other workflows. */
function entitled(plans: readonly string[], change: (workflows: string[]) => string[]): Around {
  return onRoute(submit, (world, call, perform) => {
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
  return onRoute(submit, (world, call, perform) => {
    const workspace = workspaceOf(world, call);
    return pretending(workspace && isMeant(workspace) ? workspace : undefined, { features }, () => perform(world, call));
  });
}

function billed(reply: Reply): Reply {
  return { ...withError(reply, { type: "billing_error", code: "plan_restricted" }), status: 402 };
}

/** Refuses for the hour's dollars what costs nothing, as the tool server may: it is asked for a list. */
function gated(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  const listing = { ...call, surface: "mcp", target: { route: "GET /api/jobs", params: {} }, query: {} } as const;
  const refused = perform(world, listing);
  return refused.rule.code === "rate_limit_budget" ? refused : perform(world, call);
}

/** What a faulty submission has to have to be none; nothing where it has not this fault. */
function mended(fault: string, body: Shown): Shown {
  if (fault === "no workflow") return body.workflow === undefined ? { workflow: "standard_audit" } : {};
  if (fault === "workflow no string")
    return body.workflow !== undefined && typeof body.workflow !== "string" ? { workflow: "standard_audit" } : {};
  const { params } = body;
  return params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)) ? { params: {} } : {};
}

const whys: Record<string, string> = {
  workflow_not_entitled: "plan",
  feature_not_enabled: "beta",
  insufficient_credit: "credit",
};

/** What came of a submission, where nothing was started. */
function outcomeOf({ status, rule }: Reply, call: IncomingCall): string | undefined {
  if (status === 200) return "200";
  if (rule.code !== "invalid_payload") return whys[rule.code ?? ""];
  return bodyOf(call).workflow === "mini_audit" ? "retired" : "params";
}

function existingOf({ body }: Reply, call: IncomingCall): string {
  if (call.idempotencyKey !== undefined) return "Idempotency-Key";
  return (body as Shown).status === "completed" ? "completed" : "in flight";
}

/** Leaves a job behind a submission that starts none. */
function leaving(isMeant: (reply: Reply, call: IncomingCall) => boolean): Around {
  return answering(submit, (reply, world, call) => {
    const repo = repoOf(world, call);
    const asked = String(bodyOf(call).workflow);
    const workflow = (Object.hasOwn(world.runs, asked) ? asked : "audit") as WorkflowName;
    if (repo && isMeant(reply, call)) createJob(world, { repo, workflow, params: {} });
    return reply;
  });
}

function forecasting(
  breaks: "FORECAST-COST" | "FORECAST-DURATION" | "FORECAST-SAMPLE-SIZE" | "FORECAST-CONFIDENCE" | "FORECAST-ORDERED",
  name: string,
  change: (forecast: Shown) => Shown,
): Mutant[] {
  return each(
    breaks,
    "audit workflow",
    `${name} in a forecast of *`,
    (workflow) => (world, call, perform) =>
      isLookup(call, workflow)
        ? showing(lookup, (forecast) => ({ ...forecast, ...change(forecast) }))(world, call, perform)
        : perform(world, call),
  );
}

function isLookup(call: IncomingCall, workflow: string): boolean {
  return routeOf(call) === lookup && call.query.workflow?.[0] === workflow;
}

function workspaceOf(world: World, call: IncomingCall): Workspace | undefined {
  return world.workspaces[keyOf(world, call)?.workspace ?? ""];
}

function planOf(world: World, call: IncomingCall): string | undefined {
  return workspaceOf(world, call)?.plan;
}
