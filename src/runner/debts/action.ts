import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "../target/target.js";
import { bodyJson, type Exchange, requestJson } from "../wire/exchange.js";

/** What one request did to the server, as far as it matters to whoever must put it back. */
export type Action =
  | { on: "job"; act: "start" | "end"; id: string | undefined }
  | { on: "repository"; act: "register" | "remove" | "reset"; id: string | undefined }
  | { on: "key"; act: "create"; id: string | undefined }
  | { on: "observation"; act: Triage; id: string }
  | { on: "setting"; act: "set" | "clear"; id: string; clearedBy?: string };

/** What can be done to an observation. */
export type Triage = "dismiss" | "complete" | "reopen" | "acknowledge" | "publish a ticket of";

const TRIAGE: Readonly<Record<string, Triage>> = {
  dismiss: "dismiss",
  complete: "complete",
  reopen: "reopen",
  acknowledge: "acknowledge",
  "publish-ticket": "publish a ticket of",
};
/** The states in which a job stays. JOB-STATE-FINAL. */
export const ENDED: readonly string[] = ["completed", "failed", "cancelled"];

/** What a REST exchange did. A write without an answer may have done it all the same. */
export function restAction(exchange: Exchange, target: Target): Action | undefined {
  const { request, response } = exchange;
  const route = /\/api\/(.*?)(?:\?|$)/.exec(request.url)?.[1];
  if (route === undefined || request.method === "GET" || !mayHaveHappened(exchange)) return undefined;
  const answer = response ? bodyJson(response) : undefined;
  const body = answer?.ok && isRecord(answer.value) ? answer.value : {};
  const [area, ...rest] = route.split("/").map(decodeURIComponent);
  switch (area) {
    case "repos":
      return repositoryAction(exchange, rest, body, target);
    case "jobs":
      if (rest[1] === "cancel") return { on: "job", act: "end", id: rest[0] };
      return rest[1] === "retry" && started(exchange) ? { on: "job", act: "start", id: idIn(body.id) } : undefined;
    case "observations":
      return observationAction(rest, body);
    case "keys":
      return request.method === "POST" ? { on: "key", act: "create", id: idIn(body.key_id ?? body.id) } : undefined;
    default:
      return undefined;
  }
}

/** Jobs that an answer shows to have ended. */
export function endedJobs({ response }: Exchange): string[] {
  const body = response && bodyJson(response);
  const shown = body?.ok && isRecord(body.value) ? [body.value, ...rowsOf(body.value)] : [];
  return shown.flatMap(({ id, status }) => (ENDED.includes(String(status)) ? (idIn(id) ?? []) : []));
}

/** The rows of a list, in the one envelope that lists have. */
export function rowsOf(body: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(body.data) ? body.data.filter(isRecord) : [];
}

/** An id as it can stand in a path. */
export function idIn(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Refusals did nothing; nor did what never reached the server. */
function mayHaveHappened({ response, failure }: Exchange): boolean {
  return response ? response.status >= 200 && response.status < 300 : !["refused", "dns", "tls"].includes(failure.kind);
}

/** JOB-SUBMIT-ONLY-201: only 201 says that a run was started. */
function started({ response }: Exchange): boolean {
  return response?.status !== 200;
}

function repositoryAction(exchange: Exchange, path: string[], body: Record<string, unknown>, target: Target): Action | undefined {
  const { method } = exchange.request;
  if (path.length === 0 && method === "POST") return { on: "repository", act: "register", id: registered(exchange, target) };
  const id = path.slice(0, 3).join("/");
  if (method === "DELETE" && path.length === 3) return { on: "repository", act: "remove", id };
  if (path[3] === "reset") return { on: "repository", act: "reset", id };
  if (path[3] === "jobs" && started(exchange)) return { on: "job", act: "start", id: idIn(body.id) };
  return undefined;
}

function observationAction([ref = "", verb = ""]: string[], body: Record<string, unknown>): Action | undefined {
  if (verb === "fix") return { on: "job", act: "start", id: idIn(body.job_id) };
  const act = TRIAGE[verb];
  return act && { on: "observation", act, id: ref };
}

function registered({ request }: Exchange, { bindings }: Target): string | undefined {
  const names = isRecord(bindings.register_body) ? bindings.register_body : {};
  const sent = requestJson(request);
  const parts = ["owner", "repo", "branch"].map((part) => isRecord(sent) && sent[String(names[part] ?? part)]);
  return parts.every((part) => typeof part === "string") ? parts.join("/") : undefined;
}
