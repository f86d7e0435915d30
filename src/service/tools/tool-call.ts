import type { ArgumentError } from "../../contract/tool-arguments.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { KeyCaller, Outcome, ServiceResponse } from "../call.js";

/** The names of the tools on this server, by purpose. */
export type ToolNames = Readonly<Record<ToolPurpose, string>>;

/** A tool call of an authenticated caller, with unvalidated arguments. */
export interface IncomingToolCall {
  purpose: ToolPurpose;
  caller: KeyCaller;
  arguments: Readonly<Record<string, unknown>>;
  names: ToolNames;
}

/** A tool call whose arguments match the tool's schema. */
export interface ToolCall {
  caller: KeyCaller;
  given: Readonly<Record<string, unknown>>;
  names: ToolNames;
}

/** The outcome of a tool: a success, a refusal that changes nothing, or argument errors that no schema can express. */
export type ToolOutcome = Outcome | { errors: ArgumentError[] };

/** The response of a tool. `text` lists argument errors line by line; any other response is complete in its body. */
export interface ToolResponse extends ServiceResponse {
  text?: string;
}
