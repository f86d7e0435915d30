import { addDerivedTools, type DerivedTools, pick, readStatedTools } from "../target/derived-tools.js";
import type { TargetNames, ToolNames } from "../target/rules.js";
import { omitDerivedTools, type Target } from "../target/target.js";
import type { ListedTool } from "./tools.js";

type Names = Pick<TargetNames, "tools" | "combined">;

/**
 * Returns a target with the tools and arguments that its file leaves out, as far as the list of the server shows them without doubt: a tool under the
 * name of its purpose, and an argument under one name that belongs to no other argument.
 */
export function deriveTools(names: Names | undefined, target: Target, listedTools: readonly ListedTool[]): Target {
  if (!names) return target;
  const { bindings } = omitDerivedTools(target);
  const stated = readStatedTools(bindings);
  const found = Object.entries(names.tools).flatMap(([purpose, purposeNames]) => {
    const name = purpose in stated.tools ? stated.tools[purpose] : purpose;
    const tool = listedTools.find((listedTool) => listedTool.name === name);
    if (!tool) return [];
    const given = stated.tool_args[purpose] ?? {};
    const args = deriveArguments(purposeNames, names.combined, tool, given);
    const isNew = !(purpose in stated.tools);
    if (isNew && !isCallable(tool, [...Object.values(given), ...Object.values(args)])) return [];
    return [{ purpose, args, ...(isNew && { tool: tool.name }) }];
  });
  const derived: DerivedTools = {
    tools: Object.fromEntries(found.flatMap(({ purpose, tool }) => (tool === undefined ? [] : [[purpose, tool]]))),
    tool_args: Object.fromEntries(
      found.flatMap(({ purpose, args }) => (Object.keys(args).length === 0 ? [] : [[purpose, args] as const])),
    ),
  };
  return { ...target, bindings: addDerivedTools(names, bindings, derived), derived };
}

/** Returns whether scenarios know each argument that a tool requires. What the tool says of itself, such as that it only reads, may be wrong. */
function isCallable({ required }: ListedTool, known: readonly unknown[]): boolean {
  return required.every((name) => known.includes(name));
}

/** Returns the names of the arguments that the target file leaves out. An argument that several may mean has none. */
function deriveArguments(
  { arguments: wanted }: ToolNames,
  combined: TargetNames["combined"],
  tool: ListedTool,
  given: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const free = tool.arguments.filter((name) => !Object.values(given).includes(name));
  const open = Object.keys(wanted).filter((ours) => !(ours in given));
  const sameNames = open.filter((ours) => free.includes(ours));
  const others = free.filter((name) => !sameNames.includes(name));
  const listOwners = (name: string) => open.filter((ours) => !sameNames.includes(ours) && wanted[ours]?.includes(name));
  const found = pick(open, (ours) => {
    if (sameNames.includes(ours)) return ours;
    const [name, ...more] = others.filter((other) => wanted[ours]?.includes(other));
    return name === undefined || more.length > 0 || listOwners(name).length > 1 ? undefined : name;
  });
  return Object.entries(combined).reduce((args, [whole, { of, aliases }]) => {
    const [part, ...parts] = of.filter((name) => name in args);
    const [name, ...more] = free.filter((other) => aliases.includes(other));
    const isWhole = of.every((one) => open.includes(one)) && parts.length === 0 && name !== undefined && more.length === 0;
    if (!isWhole || (part !== undefined && args[part] !== name)) return args;
    const { [part ?? ""]: _, ...rest } = args;
    return { ...rest, [whole]: name };
  }, found);
}
