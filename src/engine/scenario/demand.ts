import { createExample, mustBeRefused } from "./effects.js";
import type { Row } from "./format.js";
import { interpolateText } from "./interpolate.js";
import { keywords } from "./keywords.js";
import { findRole } from "./needs.js";
import type { CompileRules } from "./requests.js";
import type { CompiledRequest, CompiledStep, Demand } from "./scenario.js";

/** Returns the requests that a step sends for all its rows, without its control. `variables` holds the values of the scenario's row. */
export function listStepDemands(step: CompiledStep, variables: Row, rules: CompileRules): Demand[] {
  const { count, burst } = keywords[step.keyword].cost(step.text);
  const common = { burst, refused: mustBeRefused(step.text) };
  return (step.text.rows ?? [{}]).flatMap((row) => {
    const filled = (text: string) => fillIn(text, { ...variables, ...row });
    return step.requests.map((request, index): Demand => {
      const share = Math.ceil((count - index) / step.requests.length); // the requests take turns
      const sort = classifyDemand(request, filled, rules);
      const [paid, paidIfTaken] = step.paid > 0 ? [share, 0] : [0, mayBeTaken(request, sort, rules) * share];
      return { ...common, ...sort, count: share, paid, paidIfTaken };
    });
  });
}

/** Returns the sum of one count over all demands. */
export function sumDemands(demands: readonly Demand[], of: "count" | "paid" | "paidIfTaken"): number {
  return demands.reduce((sum, demand) => sum + demand[of], 0);
}

/** Returns how many paid runs a request starts if the server accepts it, even if the step expects a refusal. */
function mayBeTaken(
  { text: { mcp } }: CompiledRequest,
  { method, path, purpose }: Pick<Demand, "method" | "path" | "purpose">,
  { requests: { effectOf, tools } }: CompileRules,
): number {
  if (mcp?.eachTool) return Object.values(tools).filter(({ effect }) => effect === "paid").length;
  const effect = mcp ? purpose !== undefined && tools[purpose]?.effect : effectOf(method, path.replace(/\?.*/s, ""));
  return effect === "paid" ? 1 : 0;
}

function classifyDemand(
  { text }: CompiledRequest,
  filled: (text: string) => string,
  { requests, defaultRole }: CompileRules,
): Pick<Demand, "method" | "path" | "tool" | "purpose" | "role" | "session"> {
  const { mcp, rest = "", session } = text;
  const [method = "", path = ""] = mcp ? ["POST"] : createExample(filled(rest), requests).split(" ");
  const purpose = mcp?.tool ?? mcp?.call;
  const role = findRole(text, defaultRole);
  return {
    ...{ method, path, tool: mcp !== undefined },
    ...(purpose !== undefined && { purpose }),
    ...(role !== undefined && { role: filled(role) }),
    ...(session !== undefined && { session: filled(session) }),
  };
}

/** Returns a text with its known variables filled in. Other variables stay. */
function fillIn(text: string, values: Row): string {
  return interpolateText(text, (name) => values[name] ?? `{${name}}`);
}
