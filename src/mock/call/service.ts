import type { perform } from "../../service/perform.js";
import type { authenticateToolCaller, drawToolRequest, performTool } from "../../service/tools/perform-tool.js";

/** The service behind the hosts. Tests of the runner replace it with a faulty service. */
export interface Service {
  perform: typeof perform;
  authenticateToolCaller: typeof authenticateToolCaller;
  drawToolRequest: typeof drawToolRequest;
  performTool: typeof performTool;
}
