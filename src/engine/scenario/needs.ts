import type { RequestText, StepRequest } from "./format.js";
import type { CompileRules, RequestRules } from "./requests.js";
import type { Scenario } from "./scenario.js";
import { bindingsOfTool } from "./tool-call.js";

/** Everything that a scenario needs of its target in a run whose single waits are no longer than this. */
export function needsOf({ needs }: Pick<Scenario, "needs">, maxWaitSeconds: number): string[] {
  const counting = needs.filter(({ beyondSeconds }) => beyondSeconds === undefined || beyondSeconds > maxWaitSeconds);
  return [...new Set(counting.map(({ need }) => need))];
}

/** What a request needs: the host that it goes to, whose credentials it carries, the names of a tool and its arguments. */
export function needsOfRequest(request: StepRequest, { requests, defaultRole }: CompileRules): string[] {
  const at = request.at ?? (request.mcp ? "mcp" : request.session ? "session" : "api");
  const role = roleOf(request, defaultRole);
  return [
    ...(at === "api" ? [] : [`surface.${at}`]),
    ...(request.session ? [`session.${request.session}`] : []),
    ...(role ? [`key.${role}`] : []),
    ...bindingsOfTool(request.mcp ?? {}, requests.tools).map((binding) => `binding.${binding}`),
  ];
}

/** What the target must offer for a variable to have a value. */
export function needsOfVariable(name: string, { variable }: RequestRules): string[] {
  if (name.startsWith("binding.")) return [name];
  const builtIn = variable(name);
  return builtIn ? [`repos.${builtIn.number}`] : [];
}

/** The role whose key a request carries; none for other credentials and on the docs site. */
export function roleOf(request: RequestText, defaultRole: string): string | undefined {
  if (request.as) return request.as === "none" ? undefined : request.as;
  return request.session || request.authorization !== undefined || request.at === "docs" ? undefined : defaultRole;
}
