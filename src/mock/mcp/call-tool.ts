import type { ToolPurpose } from "../../contract/tool-types.js";
import type { Reply } from "../../service/call.js";
import type { ToolNames, ToolReply } from "../../service/tools/tool-call.js";
import { failReply } from "../answer.js";
import { type Fault, takeFault } from "../faults.js";
import { inflict } from "../inflict.js";
import type { Asking } from "./asking.js";

type Arguments = Readonly<Record<string, unknown>>;

/** Calls a tool in its caller's world and gives the protocol's result; a refusal of the service is a tool error. MCP-SCOPE-FORM. */
export async function callTool(
  names: ToolNames,
  purpose: ToolPurpose,
  given: Arguments,
  asking: Asking,
): Promise<Record<string, unknown>> {
  const { hosted } = asking;
  const name = names[purpose];
  asking.outcome.route = name;
  const perform = () => work(names, purpose, given, asking);
  const fault = hosted.faults.length === 0 ? null : takeFault(hosted.faults, name);
  if (!fault) return conclude(asking, perform(), null);
  return new Promise((resolve) => {
    inflict(fault, asking, { perform, finish: (reply) => resolve(conclude(asking, reply, fault)) });
  });
}

/** Does the work; a failure of ours is a tool error too, and the server goes on. */
function work(
  names: ToolNames,
  purpose: ToolPurpose,
  given: Arguments,
  { service, hosted, caller, response }: Asking,
): ToolReply {
  try {
    return service.performTool(hosted.world, { purpose, caller, arguments: given, names });
  } catch (error) {
    return failReply(hosted.world, response.req, error);
  }
}

function conclude(asking: Asking, reply: Reply, fault: Fault | null): Record<string, unknown> {
  const { status, rule, changes } = reply;
  Object.assign(asking.outcome, { status, rule, changes, fault: fault?.id ?? null, brokenOff: fault?.socket !== undefined });
  return resultOf(reply);
}

function resultOf({ status, body, text }: ToolReply): Record<string, unknown> {
  const content = [{ type: "text", text: text ?? JSON.stringify(body) }];
  return { content, structuredContent: body, ...(status >= 400 && { isError: true }) };
}
