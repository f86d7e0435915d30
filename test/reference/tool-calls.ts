import type { Call } from "./call.js";
import { envelope } from "./edge.js";
import { isRefusal, type OperationResult, type Refusal } from "./operation-result.js";
import { needs, needsToRead } from "./scopes.js";
import { isOverCeiling } from "./spend.js";
import { createId } from "./state.js";
import { getArgumentName, getArguments, isOfType, type Tool, tools, withTriple } from "./tools.js";

/** The result of a tool, or an error of the protocol. */
export type Result = { result: unknown } | { error: { code: number; message: string } };

/** Calls a tool by the variant's names. */
export function callTool(call: Call, name: unknown, given: Record<string, unknown>): Result | Refusal {
  const { toolName, argumentName } = call.choices;
  const [purpose, tool] = Object.entries(tools).find(([one]) => toolName(one) === name) ?? [];
  if (!tool || purpose === undefined) return protocolError(call, `There is no tool ${String(name)}`);
  const earlyRefusal = call.choices.scopeBeforeArguments ? getScope(call, tool) : undefined;
  if (earlyRefusal) return refusedScope(call, earlyRefusal);
  const { required, optional } = getArguments(call.choices, purpose);
  const names = new Map([...required, ...optional].map((one) => [getArgumentName(purpose, one, argumentName), one]));
  const unknownCredentials = Object.keys(given).filter((one) => !names.has(one));
  if (unknownCredentials.length > 0) return toolError(forbidden(call, String(name), unknownCredentials));
  const isGiven = ([one, value]: [string, unknown]) =>
    value !== null || call.choices.toolSchemas === "bare" || !optional.includes(names.get(one) ?? "");
  const own = Object.fromEntries(
    Object.entries(given)
      .filter(isGiven)
      .map(([one, value]) => [names.get(one) ?? one, value]),
  );
  const lacking = required.find((one) => own[one] === undefined);
  const wrong = lacking ?? Object.keys(own).find((one) => !isOfType(purpose, one, own[one]));
  if (wrong !== undefined) return protocolError(call, `${argumentName(wrong)} is missing or of the wrong type`);
  const lateRefusal = getScope(call, tool);
  if (lateRefusal) return refusedScope(call, lateRefusal);
  if (call.key && isOverCeiling(call.choices, call.key, 0, call.nowMs))
    return toolError("rate_limit_budget: this key has spent its hour's dollars");
  if (call.key && tool.reads && call.choices.toolReadDollars > 0)
    call.key.spent.push({ atMs: call.nowMs, usd: call.choices.toolReadDollars });
  const result = tool.run({ ...call, route: `tool ${purpose}` }, withTriple(call, own));
  const isScope = isRefusal(result) && result.refused.code === call.choices.code("missing scope");
  return isScope ? refusedScope(call, result) : getResult(call, result);
}

function getScope(call: Call, { scopes, reads, named }: Tool): Refusal | undefined {
  return reads && !named ? needsToRead(call, scopes) : needs(call, scopes);
}

/** A call whose key lacks a scope, in the variant's form. */
function refusedScope(call: Call, refusal: Refusal): Result | Refusal {
  switch (call.choices.scopeRefusal) {
    case "http":
      return refusal;
    case "protocol":
      return { error: { code: -32003, message: refusal.refused.message } };
    case "tool":
      return getResult(call, refusal);
    default:
      return call.choices.scopeRefusal satisfies never;
  }
}

/** Names every undeclared argument on a separate line. */
function forbidden({ choices }: Call, name: string, unknownCredentials: string[]): string {
  if (choices.argumentFaults === "protocol")
    return ["These arguments are not known here (extra_forbidden):", ...unknownCredentials].join("\r\n");
  const lines = unknownCredentials.flatMap((stranger) => [stranger, "  Extra inputs are not permitted [type=extra_forbidden]"]);
  return [`${unknownCredentials.length} validation errors for ${name}`, ...lines].join("\n");
}

function protocolError({ choices }: Call, message: string): Result {
  return choices.argumentFaults === "tool" ? toolError(message) : { error: { code: -32602, message } };
}

/** A result that says what went wrong. */
export function toolError(text: string): Result {
  return { result: { content: [{ type: "text", text }], isError: true } };
}

function getResult(call: Call, result: OperationResult): Result {
  const { choices, world } = call;
  if (isRefusal(result)) {
    const { error } = envelope(choices, result, createId(world, "request"));
    return toolError(
      choices.wireForm === "markdown" ? `**Refused**: ${result.refused.message} (${result.refused.code})` : JSON.stringify(error),
    );
  }
  const body = result.body ?? { outcome: "done" };
  switch (choices.wireForm) {
    case "markdown":
      return { result: { content: [{ type: "text", text: outline(body) }], isError: false } };
    case "structured":
      return { result: { content: [], structuredContent: { output: body } } };
    case "two parts":
      return { result: { content: [BEGINNING, { type: "text", text: JSON.stringify(body) }], _meta: { "x.example/took": 3 } } };
    case "json":
      return { result: { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: { output: body } } };
    default:
      return choices.wireForm satisfies never;
  }
}

const BEGINNING = { type: "text", text: "Here is what there is:", annotations: { audience: ["user"] } };

/** A value as nested lists, for people to read. */
function outline(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return String(value);
  const indent = "  ".repeat(depth);
  return Object.entries(value)
    .map(
      ([name, item]) =>
        `${indent}- ${name}: ${typeof item === "object" && item !== null ? `\n${outline(item, depth + 1)}` : String(item)}`,
    )
    .join("\n");
}
