import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import { startFix } from "../../src/service/jobs/fix-attempts.js";
import { mutantPerValue, wrapTool } from "./family.js";
import {
  changeObservationByTool,
  createExplainingToolMutant,
  createRefusingToolMutant,
  listOtherRows,
  performOtherCall,
} from "./helpers/tools.js";
import { type Mutant, withArguments, withError } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-FIX-*, MCP-TOOL-FIXPRS-* or MCP-TOOL-REQFIX-*. */
export const toolFixesMutants: Mutant[] = [
  performOtherCall(
    "answers that a fix starts without binding the new job instead of binding it",
    "MCP-TOOL-REQFIX",
    "request_fix",
    (_, call) => ({
      ...withArguments(call, { job_id: call.arguments.job_id }),
      purpose: "job_status",
    }),
  ),
  performOtherCall(
    "lists by the tool the fix PRs of the younger branch instead of the requested one",
    "MCP-TOOL-FIXPRS",
    "list_fix_prs",
    (world, call) => {
      const { owner, repo } = call.arguments;
      const youngest = Object.values(world.repos).findLast((row) => row.owner === owner && row.repo === repo);
      return youngest ? withArguments(call, { ...call.arguments, branch: youngest.branch }) : call;
    },
  ),
  createRefusingToolMutant("lists no fix PRs by the tool instead of all", "MCP-TOOL-FIXPRS", "list_fix_prs"),
  listOtherRows("leaves every fix PR out of the tool's list instead of listing it", "MCP-TOOL-FIXPRS", "list_fix_prs", () => []),
  ...mutantPerValue("MCP-TOOL-REQFIX-SPAWN", "job status", "starts a fix requested by a job that is * instead of refusing it", {
    mcp: (status) =>
      wrapTool("request_fix", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        const observation = world.observations[String(call.arguments.ref)];
        const response = performTool(world, call);
        if (isMeant && observation) startFix(world, observation);
        return response;
      }),
  }),
  {
    name: "starts a fix requested by a job of another finding instead of refusing it",
    breaks: "MCP-TOOL-REQFIX-SPAWN",
    ...wrapTool("request_fix", (world, call, performTool) => {
      const [ref, job] = [call.arguments.ref, world.jobs[String(call.arguments.job_id)]];
      const isOfAnother = world.attempts[job?.attempt ?? ""]?.observation !== ref;
      const response = performTool(world, call);
      const observation = world.observations[String(ref)];
      if (isOfAnother && response.status < 300 && observation) startFix(world, observation);
      return response;
    }),
  },
  createExplainingToolMutant("answers that a fix is submitted and starts none instead of one", "MCP-TOOL-FIX", "submit_fix"),
  changeObservationByTool(
    "closes an observation whose fix the tool submits instead of leaving it open",
    "OBS-FIX-STAYS-NEW",
    "submit_fix",
    {
      status: "closed",
    },
  ),
  createRefusingToolMutant("submits no fix by the tool instead of one", "MCP-TOOL-FIX", "submit_fix"),
  createRefusingToolMutant("requests no fix by the tool instead of one", "MCP-TOOL-REQFIX", "request_fix"),
  createExplainingToolMutant("requests a fix by an unknown job instead of refusing it", "MCP-TOOL-REQFIX", "request_fix"),
  failForUnknown("fails at an unknown job of a fix request instead of answering a tool error", "MCP-TOOL-REQFIX", "request_fix"),
];

/** A server whose tool fails for an unknown resource. */
function failForUnknown(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const isMeant = call.purpose === purpose && response.status === 404;
      return isMeant ? { ...withError(response, { type: "server_error", code: "internal_error" }), status: 500 } : response;
    },
  };
}
