import { contract, readSpec } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import { type AroundTool, type Mutant, withArguments, withScopes } from "./mutant.js";
import { instead, saying } from "./tool-faults.js";

const dimensions = readSpec("dimensions.json") as Record<string, { values: { mcp?: string[] } }>;

/** What a tool shows that the text lets be seen of it. */
const seen: readonly ToolPurpose[] = [
  "submit_job",
  "submit_fix",
  "retry_job",
  "register_repository",
  "dismiss_observation",
  "acknowledge_observation",
  "complete_observation",
  "reopen_observation",
];

/** A category whose observations do the contrary when they are found again. */
const contrary: Readonly<Record<string, string>> = {
  false_positive: "stale",
  wont_fix: "other",
  out_of_scope: "no_longer_found",
  stale: "wont_fix",
  other: "false_positive",
  no_longer_found: "out_of_scope",
};

/** Faults of one tool alone, or of one value that it is called with, where the clause speaks of every one. */
export const everyToolMutants: Mutant[] = [
  ...Object.entries(contrary).map(([category, other]) =>
    instead(`dismisses by the tool as ${other} for ${category}`, "MCP-TOOL-DISMISS", "dismiss_observation", (_, call) =>
      call.arguments.dismissal_category === category
        ? withArguments(call, { ...call.arguments, dismissal_category: other })
        : call,
    ),
  ),
  ...[
    ["audit", "standard_audit"],
    ["standard_audit", "audit"],
  ].map(([workflow, other]) =>
    instead(`starts ${other} where the tool submits ${workflow}`, "MCP-TOOL-SUBMIT", "submit_job", (_, call) =>
      call.arguments.workflow === workflow ? withArguments(call, { ...call.arguments, workflow: other }) : call,
    ),
  ),
  ...["standard_audit", "audit", "discover", "fix"].map(
    (workflow): Mutant => ({
      name: `retries ${workflow} by the tool as another workflow`,
      breaks: "JOB-RETRY-WORKFLOW",
      aroundTool(world, call, performTool) {
        const before = new Set(Object.keys(world.jobs));
        const reply = performTool(world, call);
        for (const job of Object.values(world.jobs)) {
          const isNew = call.purpose === "retry_job" && !before.has(job.id) && job.workflow === workflow;
          if (isNew) job.workflow = workflow === "audit" ? "standard_audit" : "audit";
        }
        return reply;
      },
    }),
  ),
  ...["pending", "running", "completed", "failed", "cancelled"].flatMap((status): Mutant[] => [
    onStatus(`tells another status of ${status} jobs by the tool`, "JOB-FIELD-MCP-BASE", "job_status", status),
    {
      name: `lists no ${status} jobs where the tool is asked for them`,
      breaks: "MCP-TOOL-JOBS-FILTER",
      aroundTool: (world, call, performTool) =>
        performTool(
          world,
          call.purpose === "list_jobs" && call.arguments.status === status
            ? withArguments(call, { status: status === "failed" ? "completed" : "failed" })
            : call,
        ),
    },
  ]),
  ...["in_review", "revising", "merged"].flatMap((status) => [
    ofLane(`forgets the title of what is ${status}`, "OBS-LANE-FIELD-CONTENT", status, (entry) => ({ ...entry, title: "" })),
    ofLane(`says nothing of what is ${status}`, "OBS-LANE-FIELD-STATUS", status, (entry) => renamed(entry, status, "known")),
    ofLane(`calls otherwise what is ${status}`, "OBS-LANE-STATUS-OPEN", status, (entry) =>
      renamed(entry, status, status === "merged" ? "in_review" : "merged"),
    ),
  ]),
  instead("confirms a fix and re-binds none", "MCP-TOOL-REQFIX", "request_fix", (_, call) => ({
    ...withArguments(call, { job_id: call.arguments.job_id }),
    purpose: "job_status",
  })),
  ...seen.flatMap((purpose): Mutant[] => [
    {
      name: `does what ${purpose} is asked with an undeclared argument, and says that it is refused`,
      breaks: "MCP-ARG-EFFECT",
      aroundTool: doingAllTheSame(purpose, ({ arguments: { no_such_argument: extra, ...known } }) =>
        extra === undefined ? undefined : known,
      ),
    },
    {
      name: `does what ${purpose} is asked without a scope, and says that it is refused`,
      breaks: "MCP-SCOPE-REFUSED",
      aroundTool: doingAllTheSame(purpose, (call) => call.arguments),
    },
  ]),
  ...(dimensions["read tool"]?.values.mcp ?? []).map(
    (purpose): Mutant => ({
      name: `acknowledges an observation when ${purpose} is called`,
      breaks: "MCP-TOOL-READ-PURE",
      aroundTool(world, call, performTool) {
        const reply = performTool(world, call);
        const open = Object.values(world.observations).findLast(
          (one) => one.status === "new" && !one.acknowledged_at && one.workspace === call.caller.workspace.id,
        );
        if (call.purpose !== purpose || !open) return reply;
        const acknowledged = withScopes(withArguments(call, { ref: open.ref }), contract.enums.Scope);
        performTool(world, { ...acknowledged, purpose: "acknowledge_observation" });
        return reply;
      },
    }),
  ),
];

/** Performs a refused call after all. */
function doingAllTheSame(
  purpose: ToolPurpose,
  asked: (call: Parameters<AroundTool>[1]) => Parameters<AroundTool>[1]["arguments"] | undefined,
): AroundTool {
  return (world, call, performTool) => {
    const reply = performTool(world, call);
    const given = asked(call);
    if (call.purpose === purpose && reply.status >= 400 && given) {
      performTool(world, withScopes(withArguments(call, given), contract.enums.Scope));
    }
    return reply;
  };
}

function onStatus(name: string, breaks: ClauseId, purpose: ToolPurpose, status: string): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const body = reply.body as { status?: string } | undefined;
      if (call.purpose !== purpose || reply.status >= 400 || body?.status !== status) return reply;
      return { ...reply, body: { ...body, status: "under_way" } };
    },
  };
}

/** A server that shows the entries of one status in the lane of fixes otherwise. */
function ofLane(name: string, breaks: ClauseId, status: string, change: (entry: object) => object): Mutant {
  return saying(name, breaks, "list_fix_prs", (body) => ({
    ...body,
    data: (body.data as object[]).map((entry) => (Object.values(entry).includes(status) ? change(entry) : entry)),
  }));
}

function renamed(entry: object, status: string, other: string): object {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, value === status ? other : value]));
}
