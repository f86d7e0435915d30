import type toolsJson from "../../spec/tools.json";
import type { ClauseId, RouteName, Scope } from "./types.js";

/** The purpose of a tool: its key in `spec/tools.json`, which stays when the tool is renamed. */
export type ToolPurpose = keyof typeof toolsJson.tools;

/** The purpose of a tool that has no route. */
export type OwnToolPurpose = {
  [P in ToolPurpose]: (typeof toolsJson.tools)[P] extends { route: string } ? never : P;
}[ToolPurpose];

/** One row of `spec/tools.json`. In texts `{tool.PURPOSE}` is replaced by the tool's name. */
export interface Tool {
  name: string;
  /** Whether the contract gives the name. */
  shown: boolean;
  title: string;
  description: string;
  kind: "read" | "write";
  /** The operation that the tool performs. Its arguments have the names of the route's parameters. */
  route?: RouteName;
  /** The scopes that a key needs, all of them. */
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

/** A prompt that the contract names. */
export type PromptName = keyof typeof toolsJson.prompts;

/** A prompt that a user of an agent can choose. `text` is a list of lines, with `{ARGUMENT}` for an argument's value. */
export interface Prompt {
  title: string;
  description: string;
  clause: ClauseId;
  arguments: { name: string; description: string; required: boolean }[];
  text: string[];
}

/** A how-to guide. `text` is a list of lines. */
export interface Guide {
  title: string;
  text: string[];
}

/** A typed setting by its name. */
export type SettingName = keyof typeof toolsJson.settings;

/** A typed setting of a workspace: the JSON Schema of its value, with its default. */
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
