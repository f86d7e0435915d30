import type { ArgumentFault } from "../../contract/tool-arguments.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { KeyCaller, Outcome, Reply } from "../call.js";

/** How the tools are called on this server, by purpose. */
export type ToolNames = Readonly<Record<ToolPurpose, string>>;

/** A tool call as the shell hands it over: of an authenticated caller, with arguments not yet judged. */
export interface IncomingToolCall {
  purpose: ToolPurpose;
  caller: KeyCaller;
  arguments: Readonly<Record<string, unknown>>;
  names: ToolNames;
}

/** A tool call whose arguments are of the tool's schema. */
export interface ToolCall {
  caller: KeyCaller;
  given: Readonly<Record<string, unknown>>;
  names: ToolNames;
}

/** Does the work of a tool; changes the world, or refuses and changes nothing. Faults are those that no schema can tell. */
export type ToolOutcome = Outcome | { faults: ArgumentFault[] };

/** What a tool answers. `text` explains faulty arguments line by line; everywhere else the body says all. */
export interface ToolReply extends Reply {
  text?: string;
}
