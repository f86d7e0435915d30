import type { Call } from "./call.js";
import { envelope } from "./edge.js";
import { isRefusal, type Reply } from "./reply.js";
import { isOverCeiling } from "./spend.js";
import { mint } from "./state.js";
import { isOfType, spell, tools } from "./tools.js";

/** What a tool answers, or the error of the protocol. */
export type Result = { result: unknown } | { error: { code: number; message: string } };

/** Calls a tool by the variant's names. */
export function callTool(call: Call, name: unknown, given: Record<string, unknown>): Result {
  const { toolName, argumentName } = call.choices;
  const [purpose, tool] = Object.entries(tools).find(([one]) => toolName(one) === name) ?? [];
  if (!tool || purpose === undefined) return protocolError(call, `There is no tool ${String(name)}`);
  const names = new Map([...tool.required, ...tool.optional].map((one) => [spell(purpose, one, argumentName), one]));
  const strangers = Object.keys(given).filter((one) => !names.has(one));
  if (strangers.length > 0) return toolError(forbidden(call, String(name), strangers));
  const own = Object.fromEntries(Object.entries(given).map(([one, value]) => [names.get(one) ?? one, value]));
  const lacking = tool.required.find((one) => own[one] === undefined);
  const wrong = lacking ?? Object.keys(own).find((one) => !isOfType(purpose, one, own[one]));
  if (wrong !== undefined) return protocolError(call, `${argumentName(wrong)} is missing or of the wrong type`);
  if (call.key && isOverCeiling(call.key, 0, call.nowMs))
    return toolError("rate_limit_budget: this key has spent its hour's dollars");
  return resultOf(call, tool.run({ ...call, route: `tool ${purpose}` }, own));
}

/** Names every undeclared argument on a line of its own. */
function forbidden({ choices }: Call, name: string, strangers: string[]): string {
  if (!choices.tools.native) return ["These arguments are not known here (extra_forbidden):", ...strangers].join("\r\n");
  const lines = strangers.flatMap((one) => [one, "  Extra inputs are not permitted [type=extra_forbidden]"]);
  return [`${strangers.length} validation errors for ${name}`, ...lines].join("\n");
}

function protocolError({ choices }: Call, message: string): Result {
  return choices.tools.native ? toolError(message) : { error: { code: -32602, message } };
}

/** A result that says what went wrong. */
export function toolError(text: string): Result {
  return { result: { content: [{ type: "text", text }], isError: true } };
}

function resultOf(call: Call, reply: Reply): Result {
  const { choices, world } = call;
  if (isRefusal(reply)) {
    const { error } = envelope(choices, reply, mint(world, "request"));
    return toolError(
      choices.tools.speech === "markdown"
        ? `**Refused**: ${reply.refused.message} (${reply.refused.code})`
        : JSON.stringify(error),
    );
  }
  const body = reply.body ?? { outcome: "done" };
  switch (choices.tools.speech) {
    case "markdown":
      return { result: { content: [{ type: "text", text: outline(body) }], isError: false } };
    case "structured":
      return { result: { content: [], structuredContent: { output: body } } };
    case "json":
      return { result: { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: { output: body } } };
    default:
      return choices.tools.speech satisfies never;
  }
}

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
