import type { WireResponse } from "../../../engine/http/exchange.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { isRefusal } from "../../response-rules.js";
import { findOperationStatement, type Operation } from "../../statements/operations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { createRegistrationBody } from "../../statements/setup-steps.js";
import { findAddress } from "./repository-address.js";

/** One request of the model. */
export interface ModelRequest {
  /** The route, or the purpose of a tool without a route. */
  what: Operation;
  by: "rest" | "tool";
  /** A role, a created key, `none`, `malformed`, `unknown`, or a web session such as `session:admin`. */
  as: string;
  job?: string;
  ref?: string;
  repo?: string;
  key?: string;
  /** The variable for the id of the created resource. */
  names?: string;
  /** Fields of the body, or arguments apart from the subject. */
  with?: Row;
  /** The clause that the body or query breaks. */
  flaw?: string;
  query?: Row;
  headers?: Record<string, string>;
  /** Whether a 429 or 503 is returned without a retry. */
  retry?: boolean;
  /** For a list: whether to read every page. */
  walk?: boolean;
}

/** Returns the step that sends a request. */
export function createStep(request: ModelRequest): Step {
  const credentials = chooseCredentials(request.as);
  if (request.by === "tool")
    return { mcp: { tool: findTool(request.what), arguments: createArguments(request) }, ...credentials };
  const { idPointer, sendsBody } = findOperationStatement(request.what);
  const json = request.what === "POST /api/repos" ? createRegistrationFields(request) : request.with;
  const sends = json !== undefined || sendsBody;
  return {
    rest: buildPath(request),
    ...credentials,
    ...(request.query && Object.keys(request.query).length > 0 && { query: request.query }),
    ...(request.headers && { headers: request.headers }),
    ...(sends && { json: json ?? {} }),
    ...(request.walk && { allPages: true }),
    ...(request.retry === false && { retry: false }),
    ...(idPointer && request.names && { save: { [request.names]: idPointer } }),
    ...(makesKey(request) && request.names && { saveCredential: { [nameKeyRole(request.names)]: "/{binding.key_value_field}" } }),
  };
}

/** Returns whether the request creates a key whose value is saved. */
function makesKey({ what, flaw, as }: ModelRequest): boolean {
  return what === "POST /api/keys" && flaw === undefined && (as === "session:admin" || as === "session:owner");
}

/** Returns the role of a created key. */
function nameKeyRole(name: string): string {
  return `by_${name}`;
}

/** Returns the purpose of the tool that does the same. */
export function findTool(operation: Operation): string {
  return findOperationStatement(operation).tool ?? operation;
}

/** Returns the coverage kind and name of a request: its route, or the purpose of its tool. */
export function nameForCoverage({ by, what }: ModelRequest): { kind: "routes" | "tools"; name: string } {
  return by === "rest" ? { kind: "routes", name: what } : { kind: "tools", name: findTool(what) };
}

/** Returns whether a response is a refusal: by its status, or by a tool in any form. */
export function isRefused({ by }: Pick<ModelRequest, "by">, response: WireResponse): boolean {
  return by === "tool" ? isRefusal(response) : response.status >= 300;
}

function chooseCredentials(as: string): Pick<Step, "as" | "session" | "authorization"> {
  if (as.startsWith("session:")) return { session: as.slice("session:".length) };
  if (as === "malformed") return { authorization: "Basic bm9ib2R5" };
  if (as === "unknown") return { authorization: "Bearer nobodys-key-{unique}" };
  return as === DEFAULT_ROLE ? {} : { as: /^key[0-9]+$/.test(as) ? nameKeyRole(as) : as };
}

function buildPath({ what, repo, job, ref, key }: ModelRequest): string {
  return what
    .replace("{owner}/{repo}/{branch}", findAddress(repo ?? "repo").path)
    .replace("{job_id}", job === undefined ? "no-such-job-{unique}" : `{${job}}`)
    .replace("{ref}", ref === undefined ? "SERVICE-999999999" : `{${ref}}`)
    .replace("{key_id}", key === undefined ? "no-such-key-{unique}" : `{${key}}`);
}

/** REPO-REGISTER-*: the target file gives the names of the fields. */
function createRegistrationFields({ repo, with: more }: ModelRequest): Row {
  const { owner, name, branch } = findAddress(repo ?? "repo");
  return { ...createRegistrationBody({ owner, repo: name, branch }), ...more };
}

function createArguments({ what, repo, job, ref, with: more, query, headers }: ModelRequest): Row {
  const { subject } = findOperationStatement(what);
  const place = findAddress(repo ?? "repo");
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
