import type toolsJson from "../../spec/tools.json";
import type { ClauseId, RouteName, Scope } from "./types.js";

/** What a tool is for: the name that stays when the tool is called otherwise. */
export type ToolPurpose = keyof typeof toolsJson.tools;

/** A tool that does work of its own, which no route does. */
export type OwnToolPurpose = {
  [P in ToolPurpose]: (typeof toolsJson.tools)[P] extends { route: string } ? never : P;
}[ToolPurpose];

/** One row of `spec/tools.json`. In texts `{tool.PURPOSE}` stands for a tool's name. */
export interface Tool {
  name: string;
  /** Whether the interface text gives the name. */
  shown: boolean;
  title: string;
  description: string;
  kind: "read" | "write";
  /** The operation whose work it does; its arguments are called as the route calls them. */
  route?: RouteName;
  /** A key needs all of them. */
  scopes: Scope[];
  clauses: ClauseId[];
  arguments: ArgumentsSchema;
}

/** A closed JSON Schema without references. */
export interface ArgumentsSchema {
  type: "object";
  additionalProperties: false;
  properties: Record<string, object>;
  required: string[];
}

/** A prompt that the interface text names. */
export type PromptName = keyof typeof toolsJson.prompts;

/** A prompt that an agent's user can pick. `text` is lines, with `{ARGUMENT}` for what was given. */
export interface Prompt {
  title: string;
  description: string;
  clause: ClauseId;
  arguments: { name: string; description: string; required: boolean }[];
  text: string[];
}

/** A how-to guide; `text` is lines. */
export interface Guide {
  title: string;
  text: string[];
}

/** A typed setting by its name. */
export type SettingName = keyof typeof toolsJson.settings;

/** A typed setting of a workspace: a JSON Schema of its value, and what it is when nobody set it. */
export interface Setting {
  shown: boolean;
  type: "integer" | "boolean" | "string";
  minimum?: number;
  maximum?: number;
  default: number | boolean | string;
  description: string;
}

/** The tool server as data. */
export interface ToolServer {
  tools: Record<ToolPurpose, Tool>;
  prompts: Record<PromptName, Prompt>;
  guides: Record<string, Guide>;
  settings: Record<SettingName, Setting>;
}
