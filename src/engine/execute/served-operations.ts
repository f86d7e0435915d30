import type { Exchange, WireRequest, WireResponse } from "../http/exchange.js";
import { isRateRefusal, isRefusal } from "../http/mcp.js";
import type { ResponseRules } from "../http/response-rules.js";
import type { RequestRules } from "../scenario/requests.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { listCalledPurposes } from "../target/tools.js";
import type { Outcome } from "./check.js";
import { openWriteEffects } from "./write-effects.js";

/** The parts of a suite that tell which operation a request is, and whether the server served it. */
interface OperationRules {
  requests: RequestRules;
  target: TargetRules;
  answers: ResponseRules;
}

/**
 * The operations that an execution has seen succeed, and the effects of writes that it has seen. A refusal is evidence only beside a success of
 * the same operation. A read after a write does not count if such a write was never served, or never changed a response.
 */
export interface ServedOperations {
  /** Notes the operation of an exchange if the server served it, and for a read whether its response changed after the last write. */
  note(exchange: Exchange): void;
  /** Notes that an event or time may have changed the state, so that a read no longer shows the effect of the last write. */
  noteEvent(): void;
  /**
   * Returns a pass with its contrasts: the operations and effects without which it does not count. Returns any other outcome as it is. `matches`
   * tells whether another response to the same request would pass too.
   */
  withContrasts(
    outcome: Outcome,
    request: WireRequest,
    responses: readonly WireResponse[],
    matches?: (response: WireResponse) => boolean,
  ): Outcome;
  names(): string[];
}

/** The operation of a request to a route that the contract does not have. A success of any route is its contrast. */
const ANY_ROUTE_NAME = "any route";
/** The operation of a message to the tool server that calls no known tool. Its contrast is a success of any tool. */
const ANY_TOOL_NAME = "any tool";

/** Opens the served operations of one execution. */
export function openServedOperations(
  { requests, target: rules, answers: responses }: OperationRules,
  target: Target,
): ServedOperations {
  const served = new Set<string>();
  const effects = openWriteEffects(served);
  const toolRequests = new WeakMap<WireRequest, boolean>();
  const isTool = (request: WireRequest) => {
    const isKnownTool = toolRequests.get(request) ?? isToolServer(rules, target, request.url);
    toolRequests.set(request, isKnownTool);
    return isKnownTool;
  };
  const getPurposes = (request: WireRequest) =>
    listCalledPurposes(request, target).filter((purpose) => Object.hasOwn(requests.tools, purpose));
  const getOperations = (request: WireRequest): string[] =>
    isTool(request)
      ? getPurposes(request).map((tool) => requests.nameOf({ mcp: { tool } }))
      : [requests.operationAt(request.method, request.url) ?? []].flat();
  const isWrite = (request: WireRequest) =>
    isTool(request)
      ? getPurposes(request).some((purpose) => requests.tools[purpose]?.effect !== "read")
      : requests.effectOf(request.method, new URL(request.url).pathname) !== "read";
  const findAnyRequest = (request: WireRequest) => (isTool(request) ? ANY_TOOL_NAME : ANY_ROUTE_NAME);
  const isRefused = (request: WireRequest, response: WireResponse) =>
    response.status >= 400 || (isTool(request) && response.status < 300 && isRefusal(response, responses));
  return {
    note({ request, response }) {
      if (!response || response.status === 429 || response.status >= 500) return;
      if (isTool(request) && isRateRefusal(response, responses)) return;
      const operations = getOperations(request);
      const [operation] = operations;
      if (operation === undefined) return;
      const isServed = response.status < 300 && !isRefused(request, response);
      const serverResponse = { request, response, isTool: isTool(request), isRefused: !isServed };
      if (isWrite(request)) effects.noteWrite(operation, serverResponse);
      else effects.noteRead(serverResponse);
      const unseenOperations = operations.filter((one) => !served.has(one));
      if (unseenOperations.length === 0 || !isServed) return;
      for (const unseenOperation of unseenOperations) served.add(unseenOperation).add(findAnyRequest(request));
    },
    noteEvent: effects.forget,
    withContrasts(outcome, request, responses, matches) {
      if (outcome.verdict !== "passed") return outcome;
      const operation = getOperations(request)[0];
      const isAllRefused = responses.every((response) => isRefused(request, response));
      const isRead = operation !== undefined && !isWrite(request);
      const contrasts = [
        ...(isAllRefused ? [operation ?? findAnyRequest(request)] : []),
        ...(isRead ? effects.contrastsOfRead({ request, isTool: isTool(request) }, matches) : []),
      ];
      return contrasts.length > 0 ? { ...outcome, contrasts } : outcome;
    },
    names: () => [...new Set([...served, ...effects.missing()])].sort(),
  };
}
