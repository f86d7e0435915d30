import type { Answer } from "../answer.js";

/** Codes of JSON-RPC, and of MCP's HTTP transport. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  transport: -32000,
  noSession: -32001,
} as const;

/** A refusal by the protocol, as HTTP status and JSON-RPC error without an id. */
export function refuseMessage(status: number, code: number, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: { jsonrpc: "2.0", error: { code, message }, id: null } };
}

/** An exception that the SDK turns into a JSON-RPC error of this code and message. Its own error class would put words in front. */
export function protocolError(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });
}
