import { exampleOf, mustBeRefused } from "./effects.js";
import type { Row } from "./format.js";
import { interpolateText } from "./interpolate.js";
import { keywords } from "./keywords.js";
import { roleOf } from "./needs.js";
import type { CompileRules } from "./requests.js";
import type { CompiledRequest, CompiledStep, Demand } from "./scenario.js";

/** Returns the requests that a step sends in each of its rows, without its control. `variables` are those of the scenario's row. */
export function demandsOfStep(step: CompiledStep, variables: Row, rules: CompileRules): Demand[] {
  const { count, burst } = keywords[step.keyword].cost(step.text);
  const common = { burst, refused: mustBeRefused(step.text) };
  return (step.text.rows ?? [{}]).flatMap((row) => {
    const filled = (text: string) => fillIn(text, { ...variables, ...row });
    return step.requests.map((request, index): Demand => {
      const share = Math.ceil((count - index) / step.requests.length); // they take turns
      const sort = sortOf(request, filled, rules);
      const [paid, paidIfTaken] = step.paid > 0 ? [share, 0] : [0, mayBeTaken(request, sort, rules) * share];
      return { ...common, ...sort, count: share, paid, paidIfTaken };
    });
  });
}

/** Returns the number of requests, of those that may start paid work, or of those that would if the server accepted them. */
export function total(demands: readonly Demand[], of: "count" | "paid" | "paidIfTaken"): number {
  return demands.reduce((sum, demand) => sum + demand[of], 0);
}

/** Returns how many paid runs a request starts if the server accepts it, whether the step expects that or not. */
function mayBeTaken(
  { text: { mcp } }: CompiledRequest,
  { method, path, purpose }: Pick<Demand, "method" | "path" | "purpose">,
  { requests: { effectOf, tools } }: CompileRules,
): number {
  if (mcp?.eachTool) return Object.values(tools).filter(({ effect }) => effect === "paid").length;
  const effect = mcp ? purpose !== undefined && tools[purpose]?.effect : effectOf(method, path.replace(/\?.*/s, ""));
  return effect === "paid" ? 1 : 0;
}

function sortOf(
  { text }: CompiledRequest,
  filled: (text: string) => string,
  { requests, defaultRole }: CompileRules,
): Pick<Demand, "method" | "path" | "tool" | "purpose" | "role" | "session"> {
  const { mcp, rest = "", session } = text;
  const [method = "", path = ""] = mcp ? ["POST"] : exampleOf(filled(rest), requests).split(" ");
  const purpose = mcp?.tool ?? mcp?.call;
  const role = roleOf(text, defaultRole);
  return {
    ...{ method, path, tool: mcp !== undefined },
    ...(purpose !== undefined && { purpose }),
    ...(role !== undefined && { role: filled(role) }),
    ...(session !== undefined && { session: filled(session) }),
  };
}

/** Text with the values that are known; other variables stay. */
function fillIn(text: string, values: Row): string {
  return interpolateText(text, (name) => values[name] ?? `{${name}}`);
}
