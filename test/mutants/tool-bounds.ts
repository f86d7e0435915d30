import type { ClauseId } from "../../src/contract/types.js";
import { onTool } from "./family.js";
import { type Mutant, withArguments } from "./mutant.js";

/** Tools that bound what they take otherwise than REST does. */
export const toolBoundMutants: Mutant[] = (
  [
    [
      "MCP-TOOL-DISMISS",
      "dismiss_observation",
      "the service's own category",
      "dismissal_category",
      "exhausted_fix_attempts",
      "other",
    ],
    ["MCP-TOOL-REOPEN", "reopen_observation", "a reason of any length", "reopen_reason", /^.{2001,}$/, "long"],
  ] satisfies [ClauseId, string, string, string, string | RegExp, string][]
).map(([breaks, purpose, what, argument, odd, instead]) => ({
  name: `takes ${what} by the tool`,
  breaks,
  ...onTool(purpose, (world, call, performTool) => {
    const isMeant = String(call.arguments[argument]).search(odd) === 0;
    return performTool(world, isMeant ? withArguments(call, { ...call.arguments, [argument]: instead }) : call);
  }),
}));
