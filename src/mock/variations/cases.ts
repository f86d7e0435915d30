import { contract } from "../../contract/load.js";
import type { RouteName, VariationCase, VariationCondition } from "../../contract/types.js";
import type { ServiceResponse } from "../../service/call.js";
import { showJobFields } from "../../service/jobs/jobs.js";
import { showObservation } from "../../service/observations/observations.js";
import { findRow, readRow } from "../../service/world/lookups.js";
import { withStatus } from "../faults/response-override.js";
import { isSealed } from "./cursors.js";
import type { Subject, VariationFunction } from "./variation.js";

/** Answers with one of the cases that match the call. */
export function varyByCases(cases: readonly VariationCase[]): VariationFunction {
  return (response, subject, dice) => {
    const fitting = cases.filter((variationCase) => fits(variationCase, response, subject));
    const variationCase = dice.pick(fitting);
    return variationCase ? becomeCase(variationCase.becomes, response, subject) : null;
  };
}

function fits({ routes, codes, of, where }: VariationCase, response: ServiceResponse, subject: Subject): boolean {
  const { route, surface } = subject;
  if (routes && !(route !== null && routes.includes(route))) return false;
  if (codes && !(response.rule.code !== null && codes.includes(response.rule.code))) return false;
  if (of !== undefined && (response.status !== of || surface === "mcp")) return false;
  return where === undefined || conditions[where](response, subject);
}

function becomeCase(becomes: VariationCase["becomes"], response: ServiceResponse, subject: Subject): ServiceResponse | null {
  if (typeof becomes === "number") return withStatus(response, becomes);
  if (becomes === "unchanged") {
    const body = findCurrentResource(subject);
    return body ? { ...response, status: 200, body } : null;
  }
  const { "retry-after": _, allow: __, ...headers } = response.headers;
  const { error } = (response.body ?? {}) as { error?: Record<string, unknown> };
  const { errors: ___, retry_after: ____, ...rest } = error ?? {};
  const { status, ...more } = becomes;
  const common = {
    code: response.rule.code,
    message: "The request is not possible in the current state.",
    request_id: headers["x-request-id"],
  };
  return { ...response, status, headers, body: { error: { ...common, ...rest, ...more } } };
}

/** Returns the current state of the resource in the path. */
function findCurrentResource({ world, params, route }: Subject): unknown {
  const job = findRow(world.jobs, params.job_id);
  if (job) return showJobFields(job);
  const observation = route?.startsWith("POST /api/observations/") ? findRow(world.observations, params.ref) : undefined;
  return observation && showObservation(observation, readRow(world.repos, observation.repo), { locations: false });
}

const conditions: Record<VariationCondition, (response: ServiceResponse, subject: Subject) => boolean> = {
  exhausted: (response, { body }) =>
    readFields(body).dismissal_category === "exhausted_fix_attempts" && findFaults(response) <= 1,
  forged: (_, { query }) => typeof query.cursor === "string" && !isSealed(query.cursor),
  "by-key": (response, { authorization }) => authorization !== undefined && response.rule.gate === "permission",
  immutable: (_, { body }) =>
    Object.keys(readFields(body)).length > 0 && Object.keys(readFields(body)).every((name) => immutable.includes(name)),
  "unknown-workflow": (response, { body }) => {
    const { workflow } = readFields(body);
    return typeof workflow === "string" && !Object.hasOwn(contract.workflows, workflow) && findFaults(response) <= 1;
  },
  "retired-workflow": (response, { query }) => query.workflow === "mini_audit" && findFaults(response) <= 1,
  operation: ({ rule }) => rule.gate === "operation",
  body: ({ rule }) => rule.gate === "body",
};

const immutable = ["expires_at", "allowed_cidrs"];

function readFields(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}

/** Maximum number of mistakes in a refusal. */
function findFaults({ body }: ServiceResponse): number {
  const { errors } = readFields(readFields(body).error);
  return Array.isArray(errors) ? errors.length : 0;
}

/** The four operations that start paid work. SPEND-KIND. */
export const paidRoutes: ReadonlySet<RouteName> = new Set<RouteName>([
  "POST /api/repos",
  "POST /api/repos/{owner}/{repo}/{branch}/jobs",
  "POST /api/jobs/{job_id}/retry",
  "POST /api/observations/{ref}/fix",
]);
