import { bodyJson, type Exchange, requestJson } from "../../engine/http/exchange.js";
import { isRecord, percentDecode } from "../../engine/scenario/interpolate.js";
import type { Target } from "../../engine/target/target.js";
import { type Operation, operationAt, operationStatement } from "../statements/operations.js";
import { registeredRepository } from "../target/registration-body.js";
import { idIn, type OperationChange, operationChanges, type RequestChange } from "./operation-changes.js";

/** Returns the change that a REST exchange made. A write without a response may have succeeded. */
export function restChange(exchange: Exchange, target: Target): RequestChange | undefined {
  const { method, url } = exchange.request;
  const operation = operationAt(method, url);
  const act = operation && operationChanges[operation];
  return act && mayHaveHappened(exchange, act) ? { act, id: idOf(operation, act, exchange, target) } : undefined;
}

/** A refusal changes nothing, nor does a request that never reached the server. */
function mayHaveHappened({ response, failure }: Exchange, act: OperationChange): boolean {
  if (!response) return !["refused", "dns", "tls", "no-tls"].includes(failure.kind);
  const { status } = response;
  return status >= 200 && status < 300 && !("unlessStatus" in act && act.unlessStatus === status);
}

function idOf(operation: Operation, { act }: OperationChange, exchange: Exchange, target: Target): string | undefined {
  const { idPointer } = operationStatement(operation);
  if (idPointer !== undefined) return madeIn(exchange, idPointer.slice(1));
  return act === "register" ? registeredSlug(exchange, target) : inPath(exchange.request.url);
}

function madeIn({ response }: Exchange, field: string): string | undefined {
  const body = response && bodyJson(response);
  return body?.ok && isRecord(body.value) ? idIn(body.value[field] ?? body.value.id) : undefined;
}

/** Returns the id in a path: three segments of a repository, one segment of anything else. */
function inPath(url: string): string {
  const [area, ...rest] = url
    .replace(/^.*?\/api\//, "")
    .replace(/\?.*/, "")
    .split("/")
    .map(percentDecode);
  return rest.slice(0, area === "repos" ? 3 : 1).join("/");
}

function registeredSlug({ request }: Exchange, { bindings }: Target): string | undefined {
  return registeredRepository(requestJson(request), bindings);
}
