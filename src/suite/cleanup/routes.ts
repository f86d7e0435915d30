import { bodyJson, type Exchange, requestJson } from "../../engine/http/exchange.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import type { Target } from "../../engine/target/target.js";
import { type Operation, operationAt, textOf } from "../statements/operations.js";
import { type Act, type Action, acts, idIn } from "./acts.js";

/** What a REST exchange did. A write without an answer may have done it all the same. */
export function restAction(exchange: Exchange, target: Target): Action | undefined {
  const { method, url } = exchange.request;
  const operation = operationAt(method, url);
  const act = operation && acts[operation];
  return act && mayHaveHappened(exchange, act) ? { act, id: idOf(operation, act, exchange, target) } : undefined;
}

/** Refusals did nothing; nor did what never reached the server. */
function mayHaveHappened({ response, failure }: Exchange, act: Act): boolean {
  if (!response) return !["refused", "dns", "tls", "no-tls"].includes(failure.kind);
  const { status } = response;
  return status >= 200 && status < 300 && !("unlessStatus" in act && act.unlessStatus === status);
}

function idOf(operation: Operation, { act }: Act, exchange: Exchange, target: Target): string | undefined {
  const { save } = textOf(operation);
  if (save !== undefined) return madeIn(exchange, save.slice(1));
  return act === "register" ? registered(exchange, target) : inPath(exchange.request.url);
}

function madeIn({ response }: Exchange, field: string): string | undefined {
  const body = response && bodyJson(response);
  return body?.ok && isRecord(body.value) ? idIn(body.value[field] ?? body.value.id) : undefined;
}

/** What stands in a path: a repository by its three segments, all else by one. */
function inPath(url: string): string {
  const [area, ...rest] = url
    .replace(/^.*?\/api\//, "")
    .replace(/\?.*/, "")
    .split("/")
    .map(decodeURIComponent);
  return rest.slice(0, area === "repos" ? 3 : 1).join("/");
}

function registered({ request }: Exchange, { bindings }: Target): string | undefined {
  const names = isRecord(bindings.register_body) ? bindings.register_body : {};
  const sent = requestJson(request);
  const parts = ["owner", "repo", "branch"].map((part) => isRecord(sent) && sent[String(names[part] ?? part)]);
  return parts.every((part) => typeof part === "string") ? parts.join("/") : undefined;
}
