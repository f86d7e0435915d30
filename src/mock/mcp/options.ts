import type { ToolNames } from "../../service/tools/tool-call.js";
import type { Problem } from "../problems.js";
import { nameTools } from "./names.js";
import type { ToolServer } from "./tool-server.js";

/** How the tool server of a mock is to be. */
export interface ToolServerOptions {
  /** Keeps sessions; by default every message stands by itself. */
  sessions?: boolean;
  /** Answers as server-sent events instead of JSON. */
  sse?: boolean;
  /** Other names for tools, from purpose or name to new name; `list_observations` keeps its own. */
  names?: Record<string, string>;
}

/** The tool server of a running mock. */
export interface ToolSite {
  sessions: boolean;
  sse: boolean;
  names: ToolNames;
  /** The server, loaded when the first message comes: the SDK is slow to load. */
  server(): Promise<ToolServer>;
}

/** Readies a mock's tool server, or says what is wrong with the options. */
export function toolSiteOf({ sessions = false, sse = false, names: renames }: ToolServerOptions = {}): ToolSite | Problem {
  const names = nameTools(renames);
  if ("problem" in names) return names as Problem;
  let server: Promise<ToolServer> | undefined;
  const load = async () => (await import("./tool-server.js")).openToolServer(names);
  return { sessions, sse, names, server: () => (server ??= load()) };
}
