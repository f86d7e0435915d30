import type { Effect, McpText, Row } from "./format.js";
import type { ToolRules } from "./requests.js";

/** Tools by purpose. */
type Tools = Readonly<Record<string, ToolRules>>;

/** What one request to the tool server does, as far as it says by itself. */
export function effectOfToolCall({ effect, tool, list, prompt }: McpText, tools: Tools): Effect {
  if (effect) return effect;
  if (list || prompt !== undefined) return "read";
  return (tool !== undefined && tools[tool]?.effect) || "write";
}

/** Arguments that can stand together in one, by the name of that one. */
type JoinRules = Readonly<Record<string, { of: readonly string[]; join(values: readonly unknown[]): string }>>;

/** The bindings without which a tool cannot be called by its purpose: its name, and the names of the arguments given. */
export function bindingsOfTool({ tool, arguments: given = {} }: McpText, tools: Tools): string[] {
  if (tool === undefined) return [];
  const shown = tools[tool]?.shown;
  const unshown = Object.keys(given).filter((name) => !shown?.includes(name));
  return [...(shown ? [] : [`tools.${tool}`]), ...unshown.map((name) => `tool_args.${tool}.${name}`)];
}

/** A tool that is named by its purpose, in the target's own names; what is not bound keeps the name that it has here. */
export function boundTool(ask: McpText, binding: (name: string) => unknown, joined: JoinRules = {}): McpText {
  const { tool, arguments: all = {}, ...rest } = ask;
  if (tool === undefined) return ask;
  const given = joinArguments(all, joined, (name) => binding(`tool_args.${tool}.${name}`) !== undefined);
  const named = (name: string, otherwise: string) => String(binding(name) ?? otherwise);
  const renamed = Object.entries(given).map(([name, value]) => [named(`tool_args.${tool}.${name}`, name), value]);
  return { ...rest, call: named(`tools.${tool}`, tool), arguments: Object.fromEntries(renamed) };
}

/** Arguments of which one stands for several, where the target's tool takes that one. */
function joinArguments(given: Row, joined: JoinRules, isBound: (name: string) => boolean): Row {
  const whole = Object.entries(joined).find(([name, { of }]) => isBound(name) && of.every((part) => given[part] !== undefined));
  if (!whole) return given;
  const [name, { of, join }] = whole;
  const others = Object.entries(given).filter(([part]) => !of.includes(part));
  return { [name]: join(of.map((part) => given[part])), ...Object.fromEntries(others) };
}
