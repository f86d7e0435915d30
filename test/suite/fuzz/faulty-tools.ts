import type { FaultyServer } from "./faulty-servers.js";

/** Faults of single tools, most of them of one value of one argument. */
export const faultyTools: readonly FaultyServer[] = [
  {
    content: "forecasts one of the two audits only",
    by: "fuzz-tool-forecast",
    breaks: "MCP-TOOL-FORECAST",
    min: /workflow: standard_audit/,
    fault: {
      aroundTool: (world, call, performTool) =>
        performTool(
          world,
          call.purpose === "forecast" && call.arguments.workflow === "standard_audit"
            ? { ...call, arguments: { workflow: "no_such_workflow" } }
            : call,
        ),
    },
  },
  {
    content: "tells nothing of the jobs of one workflow",
    by: "fuzz-tool-job-status",
    breaks: "MCP-TOOL-STATUS",
    min: /contains: "\{job\}"/,
    fault: {
      aroundTool: (world, call, performTool) =>
        performTool(
          world,
          world.jobs[String(call.arguments.job_id)]?.workflow === "review"
            ? { ...call, arguments: { job_id: "no_such_job" } }
            : call,
        ),
    },
  },
  {
    content: "lets a key that may only look set the guidance",
    by: "fuzz-tool-set-guidance",
    breaks: "MCP-SCOPE-TENANT",
    min: /as: (viewer|triage|no_fix)/,
    fault: {
      aroundTool: (world, call, performTool) =>
        performTool(
          world,
          call.purpose === "set_guidance"
            ? { ...call, caller: { ...call.caller, scopes: new Set(["manage_tenant_settings"] as const) } }
            : call,
        ),
    },
  },
];
