import type { ServerResponse } from "node:http";
import type { Caller, Reply } from "../../service/call.js";
import type { Service } from "../site.js";
import type { HostedWorld } from "../worlds.js";

/** Where a JSON-RPC request came from, and what became of it. */
export interface Asking {
  service: Service;
  hosted: HostedWorld;
  caller: Caller;
  response: ServerResponse;
  /** For the journal: what was called and how it went. */
  outcome: Outcome;
}

/** What the journal keeps of a request to the tool server. */
export interface Outcome extends Pick<Reply, "rule" | "changes"> {
  /** The tool's name, or the JSON-RPC method. */
  route: string | null;
  /** Of the service's answer, so a tool error has that of REST's refusal; null where the protocol alone answered. */
  status: number | null;
  /** Id of the fault that struck, and whether it broke the connection off. */
  fault: string | null;
  brokenOff?: boolean;
}

/** What is to be kept where no tool is called: the protocol answers, and of the service's gates only the first was passed. */
export function answeredByProtocol(): Outcome {
  return { route: null, status: null, rule: { gate: "rate", code: null, clause: null }, changes: [], fault: null };
}
