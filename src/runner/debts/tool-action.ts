import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "../target/target.js";
import type { Exchange } from "../wire/exchange.js";
import { requestJson } from "../wire/exchange.js";
import { everythingSaid, isRefusal, readRpc } from "../wire/mcp.js";
import { type Action, idIn } from "./action.js";

const CLEARED_BY: Readonly<Record<string, string>> = {
  set_guidance: "clear_guidance",
  set_workspace_context: "clear_workspace_context",
  set_setting: "clear_setting",
};

/** What a tool call did; tools are known by the names that the target file gives them. */
export function toolAction({ request, response }: Exchange, target: Target): Action | undefined {
  const message = requestJson(request);
  const params = isRecord(message) && message.method === "tools/call" && isRecord(message.params) ? message.params : {};
  const purpose = purposeOf(String(params.name), target);
  if (purpose === undefined || (response && isRefusal(response))) return undefined;
  const given = argumentsOf(purpose, params.arguments, target);
  const said = response ? saidBy(response) : "";
  switch (purpose) {
    case "submit_job":
    case "submit_fix":
    case "retry_job":
      return { on: "job", act: "start", id: jobIn(said) };
    case "register_repository":
      return { on: "repository", act: "register", id: [given.owner, given.repo, given.branch].map(String).join("/") };
    case "dismiss_observation":
    case "complete_observation":
    case "reopen_observation":
    case "acknowledge_observation":
      return { on: "observation", act: purpose.replace("_observation", "") as "dismiss", id: String(given.ref) };
    case "create_ticket":
      return { on: "observation", act: "publish a ticket of", id: String(given.ref) };
    case "set_guidance":
    case "set_workspace_context":
    case "set_setting":
    case "set_learn_mode":
    case "update_repository_metadata":
      return { on: "setting", act: "set", id: settingOf(purpose, given), ...clearing(purpose) };
    case "clear_guidance":
    case "clear_workspace_context":
    case "clear_setting":
      return { on: "setting", act: "clear", id: settingOf(purpose, given) };
    default:
      return undefined;
  }
}

function clearing(purpose: string): { clearedBy?: string } {
  const clearedBy = CLEARED_BY[purpose];
  return clearedBy === undefined ? {} : { clearedBy };
}

function purposeOf(name: string, { bindings }: Target): string | undefined {
  const names = isRecord(bindings.tools) ? bindings.tools : {};
  return Object.keys(names).find((purpose) => names[purpose] === name);
}

/** The arguments by their own names, not the target's. */
function argumentsOf(purpose: string, given: unknown, { bindings }: Target): Record<string, unknown> {
  const all = isRecord(bindings.tool_args) ? bindings.tool_args[purpose] : {};
  const names = isRecord(all) ? Object.entries(all) : [];
  const own = (name: string) => names.find(([, theirs]) => theirs === name)?.[0] ?? name;
  return Object.fromEntries(Object.entries(isRecord(given) ? given : {}).map(([name, value]) => [own(name), value]));
}

function settingOf(purpose: string, { owner, repo, branch, setting }: Record<string, unknown>): string {
  const subject = setting ?? (owner === undefined ? undefined : [owner, repo, branch].join("/"));
  const name = purpose.replace(/^(set|clear|update)_/, "").replaceAll("_", " ");
  return subject === undefined ? name : `${name} ${subject}`;
}

function saidBy(response: Parameters<typeof readRpc>[0]): string {
  const rpc = readRpc(response);
  return rpc.ok ? everythingSaid(rpc.result) : "";
}

/** How a tool says the id of a job is not shown (MCP-TOOL-*); one that says it as a field of JSON is understood. */
function jobIn(said: string): string | undefined {
  const [, text, number] = /"(?:job_id|jobId|id)"\s*:\s*(?:"([^"]+)"|(\d+))/.exec(said) ?? [];
  return idIn(text ?? number);
}
