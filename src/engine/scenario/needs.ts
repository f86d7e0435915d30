import type { RequestText, StepRequest } from "./format.js";
import type { CompileRules, RequestRules } from "./requests.js";
import type { Scenario } from "./scenario.js";
import { listToolBindings } from "./tool-call.js";

/** Returns everything that a scenario needs of its target. `maxWaitSeconds` is the longest wait that the run allows. */
export function listNeeds({ needs }: Pick<Scenario, "needs">, maxWaitSeconds: number): string[] {
  const counting = needs.filter(({ beyondSeconds }) => beyondSeconds === undefined || beyondSeconds > maxWaitSeconds);
  return [...new Set(counting.map(({ need }) => need))];
}

/** Returns the needs of a request: its host, its credentials, and the bindings of its tool and arguments. */
export function needsOfRequest(request: StepRequest, { requests, defaultRole }: CompileRules): string[] {
  const at = request.at ?? (request.mcp ? "mcp" : request.session ? "session" : "api");
  const role = findRole(request, defaultRole);
  return [
    ...(at === "api" ? [] : [`surface.${at}`]),
    ...(request.session ? [`session.${request.session}`] : []),
    ...(role ? [`key.${role}`] : []),
    ...listToolBindings(request.mcp ?? {}, requests.tools).map((binding) => `binding.${binding}`),
  ];
}

/** Returns the needs of a variable: without them it has no value. */
export function needsOfVariable(name: string, { variable }: RequestRules): string[] {
  if (name.startsWith("binding.")) return [name];
  const builtIn = variable(name);
  return builtIn ? [`repos.${builtIn.number}`] : [];
}

/** Returns the role whose key a request carries; undefined for requests with other credentials and for the docs site. */
export function findRole(request: RequestText, defaultRole: string): string | undefined {
  if (request.as) return request.as === "none" ? undefined : request.as;
  return request.session || request.authorization !== undefined || request.at === "docs" ? undefined : defaultRole;
}
