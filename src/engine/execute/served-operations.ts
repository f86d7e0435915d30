import type { AnswerRules } from "../http/answer-rules.js";
import type { Exchange, WireRequest, WireResponse } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import type { RequestRules } from "../scenario/requests.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { purposesCalled } from "../target/tools.js";
import type { Outcome } from "./check.js";

/** The parts of a suite that tell which operation a request is, and whether the server served it. */
interface OperationRules {
  requests: RequestRules;
  target: TargetRules;
  answers: AnswerRules;
}

/** The operations that an execution has seen succeed. A refusal is evidence only beside a success of the same operation. */
export interface ServedOperations {
  /** Notes the operation of an exchange if the server served it. */
  note(exchange: Exchange): void;
  /** Returns a pass with its operation in `refused` if all its answers are refusals. Returns any other outcome as it is. */
  withRefused(outcome: Outcome, request: WireRequest, responses: readonly WireResponse[]): Outcome;
  names(): string[];
}

/** The operation of a request to a route that the contract does not have. A success of any route is its contrast. */
const ANY_ROUTE = "any route";
/** The operation of a message to the tool server that calls no known tool. A success of any tool is its contrast. */
const ANY_TOOL = "any tool";

/** Opens the served operations of one execution. */
export function openServedOperations({ requests, target: rules, answers }: OperationRules, target: Target): ServedOperations {
  const served = new Set<string>();
  const isTool = ({ url }: WireRequest) => isToolServer(rules, target, url);
  const operationsOf = (request: WireRequest): string[] => {
    if (!isTool(request)) return [requests.operationAt(request.method, request.url) ?? []].flat();
    const purposes = purposesCalled(request, target).filter((purpose) => Object.hasOwn(requests.tools, purpose));
    return purposes.map((tool) => requests.nameOf({ mcp: { tool } }));
  };
  const anyFor = (request: WireRequest) => (isTool(request) ? ANY_TOOL : ANY_ROUTE);
  const isRefused = (request: WireRequest, response: WireResponse) =>
    response.status >= 400 || (isTool(request) && response.status < 300 && isRefusal(response, answers));
  return {
    note({ request, response }) {
      if (!response || response.status < 200 || response.status >= 300) return;
      const unseen = operationsOf(request).filter((operation) => !served.has(operation));
      if (unseen.length === 0 || isRefused(request, response)) return;
      for (const operation of unseen) served.add(operation).add(anyFor(request));
    },
    withRefused(outcome, request, responses) {
      if (outcome.verdict !== "passed" || !responses.every((response) => isRefused(request, response))) return outcome;
      return { ...outcome, refused: operationsOf(request)[0] ?? anyFor(request) };
    },
    names: () => [...served].sort(),
  };
}
