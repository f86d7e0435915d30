import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import { startFix } from "../../src/service/jobs/attempts.js";
import type { Observation } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import { type Mutant, withArguments } from "./mutant.js";
import { failing, filling, instead, refusing } from "./tool-faults.js";

/** Faults in what the write tools do, tool by tool. */
export const toolWriteMutants: Mutant[] = [
  ...each("MCP-TOOL-REQFIX-SPAWN", "job status", "spawns a fix when one is requested by a job that is *", {
    mcp: (status) =>
      onTool("request_fix", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        const observation = world.observations[String(call.arguments.ref)];
        const reply = performTool(world, call);
        if (isMeant && observation) startFix(world, observation);
        return reply;
      }),
  }),
  {
    name: "spawns a fix where a job is given to another finding than it was for",
    breaks: "MCP-TOOL-REQFIX-SPAWN",
    ...onTool("request_fix", (world, call, performTool) => {
      const [ref, job] = [call.arguments.ref, world.jobs[String(call.arguments.job_id)]];
      const isOfAnother = world.attempts[job?.attempt ?? ""]?.observation !== ref;
      const reply = performTool(world, call);
      const observation = world.observations[String(ref)];
      if (isOfAnother && reply.status < 300 && observation) startFix(world, observation);
      return reply;
    }),
  },
  explaining("says that a fix is submitted and starts none", "MCP-TOOL-FIX", "submit_fix"),
  changing("closes an observation when a fix is submitted by the tool", "MCP-TOOL-FIX", "submit_fix", { status: "closed" }),
  refusing("submits no fix by the tool", "MCP-TOOL-FIX", "submit_fix"),
  refusing("requests no fix", "MCP-TOOL-REQFIX", "request_fix"),
  explaining("requests a fix of a job that is not there", "MCP-TOOL-REQFIX", "request_fix"),
  failing("fails over a job that is not there where a fix is requested", "MCP-TOOL-REQFIX", "request_fix"),
  refusing(
    "refuses by the tool an audit to a Free workspace",
    "WORKFLOW-AUDIT-PLANS",
    "submit_job",
    ({ workflow }, { caller }) => workflow === "standard_audit" && caller.workspace.plan === "free",
  ),
  refusing("retries no job by the tool", "MCP-TOOL-RETRY", "retry_job"),
  instead("says that a job is retried by the tool and starts none", "MCP-TOOL-RETRY", "retry_job", (_, call) => ({
    ...call,
    purpose: "job_status",
  })),
  refusing("registers no repository by the tool", "MCP-TOOL-REGISTER", "register_repository"),
  instead("says that a repository is registered and lists the others", "MCP-TOOL-REGISTER", "register_repository", (_, call) => ({
    ...withArguments(call, {}),
    purpose: "list_repositories",
  })),
  refusing("acknowledges nothing by the tool", "MCP-TOOL-ACK", "acknowledge_observation"),
  explaining("acknowledges by the tool without a stamp", "MCP-TOOL-ACK", "acknowledge_observation"),
  changing("closes what is acknowledged by the tool", "MCP-TOOL-ACK", "acknowledge_observation", { status: "closed" }),
  explaining("says that an observation is complete and leaves it open", "MCP-TOOL-COMPLETE", "complete_observation"),
  changing("completes by the tool as a dismissal", "MCP-TOOL-COMPLETE", "complete_observation", { close_reason: "dismissed" }),
  refusing("takes no proof of completion by the tool", "MCP-TOOL-COMPLETE", "complete_observation", ({ url }) => Boolean(url)),
  explaining("says that an observation is reopened and leaves it closed", "MCP-TOOL-REOPEN", "reopen_observation"),
  filling("reopens by the tool without a reason", "MCP-TOOL-REOPEN", "reopen_observation", () => ({ reopen_reason: "None." })),
  instead("reopens by the tool with an empty reason", "MCP-TOOL-REOPEN", "reopen_observation", (_, call) =>
    call.arguments.reopen_reason === "" ? withArguments(call, { ...call.arguments, reopen_reason: "None." }) : call,
  ),
  refusing("creates no ticket by the tool", "MCP-TOOL-TICKET", "create_ticket"),
  explaining("says that a ticket is created where there is no tracker", "MCP-TOOL-TICKET-INTEGRATION", "create_ticket"),
  refusing("updates no repository metadata", "MCP-TOOL-METADATA", "update_repository_metadata"),
  filling(
    "updates the metadata of some repository where none is named",
    "MCP-TOOL-METADATA",
    "update_repository_metadata",
    (world) => {
      const { owner, repo, branch } = Object.values(world.repos)[0]!;
      return { owner, repo, branch };
    },
  ),
  refusing("sets no guidance", "MCP-TOOL-GUIDANCE", "set_guidance"),
  refusing("never clears guidance", "MCP-TOOL-GUIDANCE", "clear_guidance"),
  filling("sets guidance without a text", "MCP-TOOL-GUIDANCE", "set_guidance", () => ({ guidance: "None." })),
  refusing("sets no workspace context", "MCP-TOOL-CONTEXT", "set_workspace_context"),
  refusing("never clears the workspace context", "MCP-TOOL-CONTEXT", "clear_workspace_context"),
  filling("sets a workspace context without a text", "MCP-TOOL-CONTEXT", "set_workspace_context", () => ({ context: "None." })),
  refusing("sets no tenant setting", "MCP-TOOL-SETTING", "set_setting"),
  refusing("never clears a tenant setting", "MCP-TOOL-SETTING", "clear_setting"),
  instead("sets audit_timeout_s to a text", "MCP-TOOL-SETTING", "set_setting", (_, call) =>
    typeof call.arguments.value === "string" ? withArguments(call, { ...call.arguments, value: 60 }) : call,
  ),
  instead("leaves a cleared tenant setting as it was", "MCP-TOOL-SETTING", "clear_setting", (_, call) => {
    const value = call.caller.workspace.settings.audit_timeout_s;
    return { ...withArguments(call, { setting: "audit_timeout_s", value }), purpose: "set_setting" };
  }),
  refusing("never sets learn_mode", "MCP-TOOL-LEARN", "set_learn_mode", (given) => given.learn_mode === true),
  refusing("never takes learn_mode back", "MCP-TOOL-LEARN", "set_learn_mode", (given) => given.learn_mode === false),
  refusing("records no doc reads", "MCP-TOOL-DOCREAD", "record_doc_read"),
  filling("records the reading of no document", "MCP-TOOL-DOCREAD", "record_doc_read", () => ({ doc_path: "none" })),
  {
    name: "starts by tool beside it what is in flight",
    breaks: "DEDUPE-NOTHING-ENQUEUED",
    ...onTool("submit_job", (world, call, performTool) => {
      const waiting = Object.values(world.jobs).filter(({ finished_at }) => finished_at === null);
      for (const job of waiting) job.finished_at = world.now;
      const reply = performTool(world, call);
      for (const job of waiting) job.finished_at = null;
      return reply;
    }),
  },
  {
    name: "retries by tool beside a retry in flight",
    breaks: "JOB-RETRY-INFLIGHT",
    ...onTool("retry_job", (world, call, performTool) => {
      const parent = world.jobs[String(call.arguments.job_id)];
      if (parent) parent.retried_by = null;
      return performTool(world, call);
    }),
  },
  {
    name: "takes nothing from a key's dollars for what a tool starts",
    breaks: "KEY-FIELD-DOLLARS",
    ...onTool("submit_job", (world, call, performTool) => {
      const { [call.caller.key.id]: before, ...others } = world.spend;
      const spent = before && { ...before };
      const reply = performTool(world, call);
      world.spend = { ...world.spend, ...others };
      if (spent) world.spend[call.caller.key.id] = spent;
      else delete world.spend[call.caller.key.id];
      return reply;
    }),
  },
];

/** A server whose tool for an observation only shows it, and refuses nothing that an explanation does not. */
function explaining(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  return instead(name, breaks, purpose, (_, call) => ({
    ...withArguments(call, { ref: call.arguments.ref }),
    purpose: "explain_observation",
  }));
}

/** A server whose tool leaves an observation otherwise than it should be. */
function changing(name: string, breaks: ClauseId, purpose: ToolPurpose, left: Partial<Observation>): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const observation = world.observations[String(call.arguments.ref)];
      if (call.purpose === purpose && reply.status < 400 && observation) Object.assign(observation, left);
      return reply;
    },
  };
}
