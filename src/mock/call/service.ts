import type { perform } from "../../service/perform.js";
import type { admitToolRequest, enterTools, performTool } from "../../service/tools/perform-tool.js";

/** The service behind the hosts. Tests of the examiner put one with a fault in its place. */
export interface Service {
  perform: typeof perform;
  enterTools: typeof enterTools;
  admitToolRequest: typeof admitToolRequest;
  performTool: typeof performTool;
}
