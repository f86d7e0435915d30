import type { WireResponse } from "../../engine/http/exchange.js";
import { readRpc, rpcAnswer } from "../../engine/http/mcp.js";
import { interpolate, type Lookup } from "../../engine/scenario/interpolate.js";
import { isFailure, matchAnswer } from "../answer-rules.js";
import { type ToolPurpose, toolStatement } from "../statements/tools.js";
import { literal } from "./literal.js";
import { isReading, type ToolListing, type ToolUnderTest } from "./tool.js";
import type { Try } from "./tool-tries.js";
import type { Violation } from "./violation.js";

/** Tools of whose valid calls a plan, a state, a tracker or the server's own taste decides. */
const decidedElsewhere: ReadonlySet<ToolPurpose> = new Set([
  "submit_job",
  "submit_fix",
  "request_fix",
  "retry_job",
  "register_repository",
  "acknowledge_observation", // OBS-ACK-AGAIN: another time it may be refused
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

/** One call of a tool that was answered. */
interface Call {
  tool: ToolUnderTest;
  listing: ToolListing;
  one: Try;
  /** Whether nothing of its arguments is a guess. */
  certain: boolean;
  look: Lookup;
}

/** A violation; `acceptance` where what it is about may have changed meanwhile. */
export type ToolViolation = Violation & { acceptance?: true };

/** The first way in which the answer to a call contradicts the contract. */
export function violationOf(
  { tool: { purpose }, listing, one, certain, look }: Call,
  response: WireResponse,
): ToolViolation | undefined {
  const lost = noAnswer(response) ?? noToolResult(response);
  if (lost) return lost;
  const { fault, sort } = one;
  if (fault.kind === "extra") return ofUndeclared(fault.name, response);
  if (fault.kind === "missing" && listing.fields.required.includes(fault.name))
    return against(response, "MCP-SCHEMA-REQUIRED", { refused: true });
  if (sort === "denied") return against(response, toolStatement(purpose).scopeClause ?? "MCP-SCOPE-REFUSED", { refused: true });
  if (sort !== "good" || !certain || decidedElsewhere.has(purpose)) return undefined;
  const expect = { content: contents[purpose] ?? { type: "string" } };
  const refused = against(response, toolStatement(purpose).clause, interpolate(expect, look));
  return refused && { ...refused, expect, acceptance: true };
}

/** What a tool must say where that is what it is asked about. */
const contents: { readonly [P in ToolPurpose]?: unknown } = {
  job_status: { contains: "{job}" },
  explain_observation: { matches: "{ref}(?![0-9])" },
};

/** The clause by which a call may not have changed what it did. */
export function unchangedClause(tool: ToolUnderTest, { sort }: Try): string {
  if (isReading(tool)) return "MCP-TOOL-READ-PURE";
  if (sort === "denied") return "MCP-SCOPE-REFUSED";
  return sort === "undeclared" ? "MCP-ARG-EFFECT" : "MCP-SCHEMA-REQUIRED";
}

/** MCP-SCHEMA-CLOSED: a schema of an object, closed, that requires nothing but what it declares. */
export function listingViolation({ name, schema, fields }: ToolListing): Violation | undefined {
  const { type, additionalProperties } = schema;
  const stray = fields.required.find((one) => !Object.hasOwn(fields.properties, one));
  if (type === "object" && additionalProperties === false && stray === undefined) return undefined;
  const inputSchema = {
    ...{ type: "object", additionalProperties: false },
    ...(stray !== undefined && { properties: { fields: { [literal(stray)]: { present: true } } } }),
  };
  return {
    clauses: ["MCP-SCHEMA-CLOSED"],
    why: `the schema of ${name} is not that of a closed object${stray === undefined ? "" : ` that declares ${stray}, which it requires`}`,
    expect: { result: { tools: { contains: { name: literal(name), inputSchema: { fields: inputSchema } } } } },
  };
}

/** MCP-ARG-*: a tool error, with its type, that names the key on a line of its own. */
function ofUndeclared(name: string, response: WireResponse): Violation | undefined {
  return (
    against(response, "MCP-ARG-TOOL-ERROR", { toolError: {} }) ??
    against(response, "MCP-ARG-FORBIDDEN", { toolError: { type: "extra_forbidden" } }) ??
    against(response, "MCP-ARG-NAMED", { toolError: { names: name } })
  );
}

function against(response: WireResponse, clause: string, expect: Violation["expect"]): Violation | undefined {
  const [mismatch] = matchAnswer(expect, response).mismatches;
  return (
    mismatch && {
      clauses: [clause],
      why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
      expect: literal(expect),
    }
  );
}

/** MCP-ENDPOINT-PATH: what a tool answers with is a tool's result of the protocol, whether it is an error or not. */
function noToolResult(response: WireResponse): Violation | undefined {
  const rpc = readRpc(response);
  if (response.status !== 200 || !rpc.ok) return undefined;
  const item = { type: { type: "string" } };
  const fields = {
    isError: { in: [{ absent: true }, true, false] },
    content: { in: [{ absent: true }, { length: 0 }, { each: { fields: item } }] },
  };
  const [mismatch] = matchAnswer({ result: { fields } }, response).mismatches;
  return (
    mismatch && { clauses: ["MCP-ENDPOINT-PATH"], why: `${mismatch.at} is ${mismatch.actual}`, expect: { result: { fields } } }
  );
}

/** What must hold of every answer of the tool server: no fault of the server, and a success is a JSON-RPC message in one of the two media types. */
export function noAnswer(response: WireResponse): Violation | undefined {
  const { status, headers } = response;
  if (status >= 500 && status !== 503)
    return {
      clauses: ["MCP-ENDPOINT-PATH"],
      why: `status ${status} instead of an answer`,
      expect: { status: ["2xx", "3xx", "4xx", 503] },
    };
  if (status !== 200) return undefined;
  if (isFailure(response))
    return {
      clauses: ["MCP-ENDPOINT-PATH"],
      why: "a tool error that tells of a failure of the server instead of an answer",
      expect: { body: { not: { matches: '"server_error\\\\?"' } } },
    };
  const type = headers["content-type"] ?? "none";
  if (rpcAnswer(response) && /^(application\/json|text\/event-stream)\b/i.test(type)) return undefined;
  return {
    clauses: ["MCP-HEADER-ACCEPT"],
    why: `an answer of type ${type} that is no JSON-RPC message`,
    expect: {
      headers: { "content-type": { matches: "^(application/json|text/event-stream)" } },
      json: { fields: { jsonrpc: "2.0" } },
    },
  };
}
