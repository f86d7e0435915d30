import type { WireResponse } from "../../engine/http/exchange.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import { isRefusal } from "../answer-rules.js";
import { type Operation, operationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE } from "../statements/roles.js";
import { registrationBody } from "../statements/setup-steps.js";
import { placeOf } from "./place.js";

/** One request, apart from how it is sent. */
export interface ModelRequest {
  /** The route, or the purpose of a tool that has no route. */
  what: Operation;
  by: "rest" | "tool";
  /** A role, a key of ours, `none`, `malformed`, `unknown`, or a web session as `session:admin`. */
  as: string;
  job?: string;
  ref?: string;
  repo?: string;
  key?: string;
  /** The variable that is to hold the id of what is made. */
  names?: string;
  /** Fields of the body, or arguments beside those that name the subject. */
  with?: Row;
  /** What is wrong with the body, as the clause that says so. */
  flaw?: string;
  query?: Row;
  headers?: Record<string, string>;
  /** Whether a 429 or 503 is wanted as it comes. */
  retry?: boolean;
  /** For a list: every page. */
  walk?: boolean;
}

/** The step that sends a request. */
export function stepOf(request: ModelRequest): Step {
  const credentials = credentialsOf(request.as);
  if (request.by === "tool") return { mcp: { tool: toolOf(request.what), arguments: argumentsOf(request) }, ...credentials };
  const { idPointer, sendsBody } = operationStatement(request.what);
  const json = request.what === "POST /api/repos" ? registrationFields(request) : request.with;
  const sends = json !== undefined || sendsBody;
  return {
    rest: pathOf(request),
    ...credentials,
    ...(request.query && Object.keys(request.query).length > 0 && { query: request.query }),
    ...(request.headers && { headers: request.headers }),
    ...(sends && { json: json ?? {} }),
    ...(request.walk && { allPages: true }),
    ...(request.retry === false && { retry: false }),
    ...(idPointer && request.names && { save: { [request.names]: idPointer } }),
    ...(makesKey(request) && request.names && { saveCredential: { [keyRole(request.names)]: "/{binding.key_value_field}" } }),
  };
}

/** Whether a key is to come of it, whose value is then kept. */
function makesKey({ what, flaw, as }: ModelRequest): boolean {
  return what === "POST /api/keys" && flaw === undefined && (as === "session:admin" || as === "session:owner");
}

/** The role under which a key of ours is sent. */
function keyRole(name: string): string {
  return `by_${name}`;
}

/** The purpose of the tool that does the same. */
export function toolOf(what: Operation): string {
  return operationStatement(what).tool ?? what;
}

/** What a request is called in the books of coverage: its route, or the purpose of its tool. */
export function callOf({ by, what }: ModelRequest): { kind: "routes" | "tools"; name: string } {
  return by === "rest" ? { kind: "routes", name: what } : { kind: "tools", name: toolOf(what) };
}

/** Whether an answer refuses: by its status, or a tool in any form. */
export function refuses({ by }: Pick<ModelRequest, "by">, answer: WireResponse): boolean {
  return by === "tool" ? isRefusal(answer) : answer.status >= 300;
}

function credentialsOf(as: string): Pick<Step, "as" | "session" | "authorization"> {
  if (as.startsWith("session:")) return { session: as.slice("session:".length) };
  if (as === "malformed") return { authorization: "Basic bm9ib2R5" };
  if (as === "unknown") return { authorization: "Bearer nobodys-key-{unique}" };
  return as === DEFAULT_ROLE ? {} : { as: /^key[0-9]+$/.test(as) ? keyRole(as) : as };
}

function pathOf({ what, repo, job, ref, key }: ModelRequest): string {
  return what
    .replace("{owner}/{repo}/{branch}", placeOf(repo ?? "repo").path)
    .replace("{job_id}", job === undefined ? "no-such-job-{unique}" : `{${job}}`)
    .replace("{ref}", ref === undefined ? "SERVICE-999999999" : `{${ref}}`)
    .replace("{key_id}", key === undefined ? "no-such-key-{unique}" : `{${key}}`);
}

/** REPO-REGISTER-*: the names of the fields are the target's. */
function registrationFields({ repo, with: more }: ModelRequest): Row {
  const { owner, name, branch } = placeOf(repo ?? "repo");
  return { ...registrationBody({ owner, repo: name, branch }), ...more };
}

function argumentsOf({ what, repo, job, ref, with: more, query, headers }: ModelRequest): Row {
  const { subject } = operationStatement(what);
  const place = placeOf(repo ?? "repo");
  const key = headers?.["idempotency-key"];
  return {
    ...(subject.includes("repo") && { owner: place.owner, repo: place.name, branch: place.branch }),
    ...(subject.includes("ref") && { ref: ref === undefined ? "SERVICE-999999999" : `{${ref}}` }),
    ...(subject.includes("job") && { job_id: job === undefined ? "no-such-job-{unique}" : `{${job}}` }),
    ...more,
    ...(query?.force === "true" && { force: true }),
    ...(what.startsWith("GET ") && query),
    ...(key !== undefined && { idempotency_key: key }),
  };
}
