import type { Effect, McpText, Row } from "./format.js";
import type { ToolRules } from "./requests.js";

/** Tools by purpose. */
type Tools = Readonly<Record<string, ToolRules>>;

/** Returns the effect of one request to the tool server. */
export function findToolCallEffect({ effect, tool, list, prompt }: McpText, tools: Tools): Effect {
  if (effect) return effect;
  if (list || prompt !== undefined) return "read";
  return (tool !== undefined && tools[tool]?.effect) || "write";
}

/** Arguments that replace several others, by name: the replaced arguments (`of`), and a function that joins their values. */
type JoinRules = Readonly<Record<string, { of: readonly string[]; join(values: readonly unknown[]): string }>>;

/** Returns the bindings that a tool call needs: for the name of the tool and the names of its arguments. */
export function listToolBindings({ tool, arguments: given = {} }: McpText, tools: Tools): string[] {
  if (tool === undefined) return [];
  const shown = tools[tool]?.shown;
  const unshown = Object.keys(given).filter((name) => !shown?.includes(name));
  return [...(shown ? [] : [`tools.${tool}`]), ...unshown.map((name) => `tool_args.${tool}.${name}`)];
}

/** Returns a tool call with the target's names for the tool and its arguments. A name without a binding stays. */
export function bindTool(ask: McpText, binding: (name: string) => unknown, joined: JoinRules = {}): McpText {
  const { tool, arguments: all = {}, ...rest } = ask;
  if (tool === undefined) return ask;
  const row = joinArguments(all, joined, (name) => binding(`tool_args.${tool}.${name}`) !== undefined);
  const quoteNames = (name: string, otherwise: string) => String(binding(name) ?? otherwise);
  const renamed = Object.entries(row).map(([name, value]) => [quoteNames(`tool_args.${tool}.${name}`, name), value]);
  return { ...rest, call: quoteNames(`tools.${tool}`, tool), arguments: Object.fromEntries(renamed) };
}

/** Joins several arguments into one if the target binds the joined argument. */
function joinArguments(row: Row, joined: JoinRules, isBound: (name: string) => boolean): Row {
  const whole = Object.entries(joined).find(([name, { of }]) => isBound(name) && of.every((part) => row[part] !== undefined));
  if (!whole) return row;
  const [name, { of, join }] = whole;
  const others = Object.entries(row).filter(([part]) => !of.includes(part));
  return { [name]: join(of.map((part) => row[part])), ...Object.fromEntries(others) };
}
