import type { UndoActions, UndoResult } from "../cleanup/clean-up.js";
import type { UndoRequest } from "../cleanup/rules.js";
import type { Credentials } from "../cleanup/side-effects.js";
import type { WireRequest } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import { compileRequest } from "../scenario/compile.js";
import { callHook } from "../target/hooks.js";
import { createHookContext } from "./clock.js";
import type { Execution } from "./execution.js";
import { sendMcp } from "./mcp-request.js";
import { buildRequest } from "./request.js";
import { sendPatiently } from "./send.js";

/** Returns the actions that undo side effects: requests, tool calls and hooks of the target. Requests stay below the rate limits. */
export function undoActions(execution: Execution): UndoActions {
  return {
    send: (request, by) => send(execution, request, by),
    callTool: (purpose, given) => callTool(execution, purpose, given),
    async drive(event, values) {
      const hook = execution.environment.target.drive[event];
      const response = hook && (await callHook(hook, values, createHookContext(execution.run, execution.environment)));
      return !response ? `the target has no hook for ${event}` : response.ok ? undefined : response.why;
    },
  };
}

function send({ run, environment }: Execution, { rest, json }: UndoRequest, by?: Credentials): Promise<UndoResult> {
  const [method = "", path] = rest.split(" ");
  const { app, api } = environment.target.urls;
  const key = environment.keys[run.suite.defaultRole];
  const credentials: Credentials = by ?? (key === undefined ? {} : { authorization: `Bearer ${key}` });
  const request: WireRequest = {
    method,
    url: `${"cookie" in credentials ? (app ?? api) : api}${path}`,
    headers: { accept: "application/json", ...(json && { "content-type": "application/json" }), ...credentials },
    ...(json && { body: new TextEncoder().encode(JSON.stringify(json)) }),
  };
  return sendPatiently(run, environment, request, new Set());
}

async function callTool(execution: Execution, purpose: string, given: Record<string, unknown>): Promise<string | undefined> {
  const buildResult = buildRequest(compileRequest({ mcp: { tool: purpose, arguments: given } }), execution);
  if (!buildResult.ok) return buildResult.why;
  const result = await sendMcp(execution, buildResult.request, new Set());
  if (!result.ok) return result.why;
  return isRefusal(result.response, execution.run.suite.answers) ? `the tool for ${purpose} refused` : undefined;
}
