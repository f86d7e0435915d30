import { isRecord } from "../scenario/interpolate.js";
import type { TargetNames } from "./rules.js";

/**
 * Bindings in which every argument has a name that stands in another one: a tool that takes one in the place of several has them all, so that
 * what needs any of them can be played.
 */
export function expandCombined(
  { joined }: Pick<TargetNames, "joined">,
  bindings: Record<string, unknown>,
): Record<string, unknown> {
  const { tool_args: tools } = bindings;
  if (!isRecord(tools)) return bindings;
  const named = Object.entries(tools).map(([purpose, names]) => {
    if (!isRecord(names)) return [purpose, names];
    const parts = Object.entries(joined).flatMap(([whole, { of }]) =>
      names[whole] === undefined ? [] : of.map((part) => [part, names[part] ?? names[whole]]),
    );
    return [purpose, { ...Object.fromEntries(parts), ...names }];
  });
  return { ...bindings, tool_args: Object.fromEntries(named) };
}
