import { type Exchange, parseBodyJson, parseRequestJson } from "../../engine/http/exchange.js";
import { isRecord, percentDecode } from "../../engine/scenario/interpolate.js";
import type { Target } from "../../engine/target/target.js";
import { findOperationAt, findOperationStatement, type Operation } from "../statements/operations.js";
import { readRegisteredRepository } from "../target/registration-body.js";
import { type OperationChange, operationChanges, type RequestChange, readId } from "./operation-changes.js";

/** Returns the change that a REST exchange made. A write without a response may have succeeded. */
export function findRestChange(exchange: Exchange, target: Target): RequestChange | undefined {
  const { method, url } = exchange.request;
  const operation = findOperationAt(method, url);
  const act = operation && operationChanges[operation];
  return act && mayHaveHappened(exchange, act) ? { act, id: findId(operation, act, exchange, target) } : undefined;
}

/** A refusal changes nothing, nor does a request that never reached the server. */
function mayHaveHappened({ response, failure }: Exchange, act: OperationChange): boolean {
  if (!response) return !["refused", "dns", "tls", "no-tls"].includes(failure.kind);
  const { status } = response;
  return status >= 200 && status < 300 && !("unlessStatus" in act && act.unlessStatus === status);
}

function findId(operation: Operation, { act }: OperationChange, exchange: Exchange, target: Target): string | undefined {
  const { idPointer } = findOperationStatement(operation);
  if (idPointer !== undefined) return readCreatedId(exchange, idPointer.slice(1));
  return act === "register" ? readRegisteredSlug(exchange, target) : encodePathPart(exchange.request.url);
}

function readCreatedId({ response }: Exchange, field: string): string | undefined {
  const body = response && parseBodyJson(response);
  return body?.ok && isRecord(body.value) ? readId(body.value[field] ?? body.value.id) : undefined;
}

/** Returns the id in a path: three segments of a repository, one segment of anything else. */
function encodePathPart(url: string): string {
  const [area, ...rest] = url
    .replace(/^.*?\/api\//, "")
    .replace(/\?.*/, "")
    .split("/")
    .map(percentDecode);
  return rest.slice(0, area === "repos" ? 3 : 1).join("/");
}

function readRegisteredSlug({ request }: Exchange, { bindings }: Target): string | undefined {
  return readRegisteredRepository(parseRequestJson(request), bindings);
}
