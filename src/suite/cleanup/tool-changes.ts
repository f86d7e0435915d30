import { type Exchange, parseRequestJson, type WireResponse } from "../../engine/http/exchange.js";
import { readRpc, readToolResultText } from "../../engine/http/mcp.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import type { Target } from "../../engine/target/target.js";
import { listToolPurposes } from "../../engine/target/tools.js";
import { isRefusal } from "../response-rules.js";
import { findToolOperation } from "../statements/operations.js";
import { findToolStatement, isToolPurpose, type ToolPurpose } from "../statements/tools.js";
import { operationChanges, type RequestChange, readId } from "./operation-changes.js";

/** Returns the change that a tool call made. The target file gives the names of tools. */
export function findToolChange({ request, response }: Exchange, target: Target): RequestChange | undefined {
  const message = parseRequestJson(request);
  const params = isRecord(message) && message.method === "tools/call" && isRecord(message.params) ? message.params : {};
  const purpose = listToolPurposes(String(params.name), target).find(isToolPurpose);
  const act = purpose && operationChanges[findToolOperation(purpose)];
  if (!purpose || !act || (response && isRefusal(response))) return undefined;
  const given = readArguments(purpose, params.arguments, target);
  switch (act.on) {
    case "job":
      return { act, id: response && readJob(response) };
    case "repository":
      return { act, id: readRepository(given) };
    case "observation":
    case "ticket":
      return { act, id: String(given.ref) };
    case "key":
      return { act, id: undefined };
    case "setting":
      return { act, id: readSetting(purpose, given), ...findClearing(purpose, given), ...findPlace(given) };
    default:
      return act satisfies never;
  }
}

/** Returns the arguments under the names of the contract instead of the target's. */
function readArguments(purpose: string, given: unknown, { bindings }: Target): Record<string, unknown> {
  const all = isRecord(bindings.tool_args) ? bindings.tool_args[purpose] : {};
  const names = isRecord(all) ? Object.entries(all) : [];
  const own = (name: string) => names.find(([, theirs]) => theirs === name)?.[0] ?? name;
  return Object.fromEntries(Object.entries(isRecord(given) ? given : {}).map(([name, value]) => [own(name), value]));
}

function readRepository({ owner, repo, branch }: Record<string, unknown>): string {
  return [owner, repo, branch].map(String).join("/");
}

function readSetting(purpose: string, given: Record<string, unknown>): string {
  const subject = given.setting ?? (given.owner === undefined ? undefined : readRepository(given));
  const name = purpose.replace(/^(set|clear|update)_/, "").replaceAll("_", " ");
  return subject === undefined ? name : `${name} ${subject}`;
}

function findPlace(given: Record<string, unknown>): Pick<RequestChange, "within"> {
  return given.owner === undefined ? {} : { within: readRepository(given) };
}

function findClearing(purpose: ToolPurpose, { setting }: Record<string, unknown>): Pick<RequestChange, "clearing"> {
  const text = findToolStatement(purpose);
  if (!("clearedBy" in text) || text.clearedBy === undefined) return {};
  return { clearing: { purpose: text.clearedBy, arguments: setting === undefined ? {} : { setting: String(setting) } } };
}

/** Returns the id of a job in a tool's response. The contract does not show its place (MCP-TOOL-*); a JSON field named like an id is read. */
function readJob(response: WireResponse): string | undefined {
  const rpc = readRpc(response);
  const toolText = rpc.ok ? readToolResultText(rpc.result) : "";
  const [, text, number] = /"(?:job_id|jobId|id)"\s*:\s*(?:"([^"]+)"|(\d+))/.exec(toolText) ?? [];
  return readId(text ?? number);
}
