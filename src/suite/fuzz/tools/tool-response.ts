import type { WireResponse } from "../../../engine/http/exchange.js";
import { readRpc, rpcResponse } from "../../../engine/http/mcp.js";
import { interpolateExpected, type Lookup } from "../../../engine/scenario/interpolate.js";
import { isFailure, matchResponseTo } from "../../response-rules.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import { escapeLiteral } from "../faults/literal.js";
import type { Violation } from "../rest/response-rules.js";
import type { ToolListing, ToolUnderTest } from "./tool.js";
import type { ToolCall } from "./tool-calls.js";

/** Tools whose valid calls may be refused because of a plan, a state, a tracker or server-specific rules. */
const refusableTools: ReadonlySet<ToolPurpose> = new Set([
  "submit_job",
  "submit_fix",
  "request_fix",
  "retry_job",
  "register_repository",
  "acknowledge_observation", // OBS-ACK-AGAIN: the server may refuse a repetition
  "create_ticket",
  "update_repository_metadata",
  "set_guidance",
  "clear_guidance",
  "set_workspace_context",
  "clear_workspace_context",
  "set_setting",
  "clear_setting",
  "set_learn_mode",
]);

/** A tool call with a response. */
interface Call {
  tool: ToolUnderTest;
  listing: ToolListing;
  one: ToolCall;
  /** Whether all arguments are known to be valid. */
  certain: boolean;
  look: Lookup;
}

/** A violation; `acceptance` marks one that is excused when the resource has changed. */
export type ToolViolation = Violation & { acceptance?: true };

/** Returns the first contradiction of a response to a call. */
export function findViolation(
  { tool: { purpose }, listing, one, certain, look }: Call,
  response: WireResponse,
): ToolViolation | undefined {
  const violation = findProtocolViolation(response) ?? findResultViolation(response);
  if (violation) return violation;
  const { fault, sort } = one;
  if (fault.kind === "extra") return findUndeclaredViolation(fault.name, response);
  if (fault.kind === "missing" && listing.fields.required.includes(fault.name))
    return findMismatch(response, "MCP-SCHEMA-REQUIRED", { refused: true });
  if (sort === "denied")
    return findMismatch(response, findToolStatement(purpose).scopeClause ?? "MCP-SCOPE-REFUSED", { refused: true });
  if (sort !== "valid" || !certain || refusableTools.has(purpose)) return undefined;
  const expect = { content: requiredTexts[purpose] ?? { type: "string" } };
  const refusedViolation = findMismatch(response, findToolStatement(purpose).clause, interpolateExpected(expect, look));
  return refusedViolation && { ...refusedViolation, expect, acceptance: true };
}

/** The texts that the response of a tool must contain. */
const requiredTexts: { readonly [P in ToolPurpose]?: unknown } = {
  job_status: { contains: "{job}" },
  explain_observation: { matches: "{ref}(?![0-9])" },
};

/** Returns the clause by which a call must not change anything. */
export function findUnchangedClause({ sort }: ToolCall): string {
  if (sort === "denied") return "MCP-SCOPE-REFUSED";
  if (sort === "valid") return "MCP-TOOL-READ-PURE"; // no comparison after an accepted write
  return sort === "undeclared" ? "MCP-ARG-EFFECT" : "MCP-SCHEMA-REQUIRED";
}

/** Checks that the input schema is a closed object that declares every required property. MCP-SCHEMA-CLOSED. */
export function findListingViolation({ name, schema, fields }: ToolListing): Violation | undefined {
  const { type, additionalProperties } = schema;
  const undeclared = fields.required.find((one) => !Object.hasOwn(fields.properties, one));
  if (type === "object" && additionalProperties === false && undeclared === undefined) return undefined;
  const inputSchema = {
    ...{ type: "object", additionalProperties: false },
    ...(undeclared !== undefined && { properties: { fields: { [escapeLiteral(undeclared)]: { present: true } } } }),
  };
  return {
    clauses: ["MCP-SCHEMA-CLOSED"],
    why: `the schema of ${name} does not describe a closed object${undeclared === undefined ? "" : ` that declares the required ${undeclared}`}`,
    expect: { result: { tools: { contains: { name: escapeLiteral(name), inputSchema: { fields: inputSchema } } } } },
  };
}

/** MCP-ARG-*: a tool error with its type that names the argument. */
function findUndeclaredViolation(name: string, response: WireResponse): Violation | undefined {
  return (
    findMismatch(response, "MCP-ARG-TOOL-ERROR", { toolError: {} }) ??
    findMismatch(response, "MCP-ARG-FORBIDDEN", { toolError: { type: "extra_forbidden" } }) ??
    findMismatch(response, "MCP-ARG-NAMED", { toolError: { names: name } })
  );
}

function findMismatch(response: WireResponse, clause: string, expect: Violation["expect"]): Violation | undefined {
  const [mismatch] = matchResponseTo(expect, response).mismatches;
  return (
    mismatch && {
      clauses: [clause],
      why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
      expect: escapeLiteral(expect),
    }
  );
}

/** MCP-ENDPOINT-PATH: a tool returns a tool result of the protocol, also for an error. */
function findResultViolation(response: WireResponse): Violation | undefined {
  const rpc = readRpc(response);
  if (response.status !== 200 || !rpc.ok) return undefined;
  const item = { type: { type: "string" } };
  const fields = {
    isError: { in: [{ absent: true }, true, false] },
    content: { in: [{ absent: true }, { length: 0 }, { each: { fields: item } }] },
  };
  const [mismatch] = matchResponseTo({ result: { fields } }, response).mismatches;
  return (
    mismatch && { clauses: ["MCP-ENDPOINT-PATH"], why: `${mismatch.at} is ${mismatch.actual}`, expect: { result: { fields } } }
  );
}

/** Checks the rules for every response of the tool server: no server failure, and a JSON-RPC message in one of two media types. */
export function findProtocolViolation(response: WireResponse): Violation | undefined {
  const { status, headers } = response;
  if (status >= 500 && status !== 503)
    return {
      clauses: ["MCP-ENDPOINT-PATH"],
      why: `status ${status} instead of a response`,
      expect: { status: ["2xx", "3xx", "4xx", 503] },
    };
  if (status !== 200) return undefined;
  if (isFailure(response))
    return {
      clauses: ["MCP-ENDPOINT-PATH"],
      why: "a tool error that reports a server failure",
      expect: { body: { not: { matches: '"server_error\\\\?"' } } },
    };
  const type = headers["content-type"] ?? "none";
  if (rpcResponse(response) && /^(application\/json|text\/event-stream)\b/i.test(type)) return undefined;
  return {
    clauses: ["MCP-HEADER-ACCEPT"],
    why: `a response of type ${type} that is not a JSON-RPC message`,
    expect: {
      headers: { "content-type": { matches: "^(application/json|text/event-stream)" } },
      json: { fields: { jsonrpc: "2.0" } },
    },
  };
}
