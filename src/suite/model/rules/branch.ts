import type { ResponseText } from "../../../engine/scenario/format.js";
import { type ErrorType, errorTypeClauses } from "../../statements/errors.js";
import type { States } from "./states.js";

/** A part of a response that one or more clauses require, on both surfaces. */
export interface Requirement {
  clauses: readonly string[];
  rest: ResponseText;
  tool: ResponseText;
}

/** One possible outcome of a request: the required response, and the states after it. */
export interface Branch {
  requirements: readonly Requirement[];
  next: States;
  /** Whether it is a refusal for unrelated reasons. Such a branch allows a response, but a failure never names its clauses. */
  unrelated?: true;
}

/** Returns a requirement that only REST responses show. */
export function requirement(clause: string | readonly string[], rest: ResponseText, tool: ResponseText = {}): Requirement {
  return { clauses: [clause].flat(), rest, tool };
}

/** Returns the requirement of an accepted request: a 2xx or the given status, and no tool error. */
export function acceptance(clause: string | readonly string[], status: unknown = "2xx", toolText?: unknown): Requirement {
  return requirement(clause, { status }, { content: toolText ?? { type: "string" } });
}

/** Returns the requirements of a refusal with its status, type and code. A tool may refuse in any form (MCP-SCOPE-REFUSED). */
export function refusalRules(
  clause: string | readonly string[],
  status: unknown,
  { type, code }: { type?: ErrorType; code?: string } = {},
): Requirement[] {
  const field = (name: string, value: unknown): ResponseText => ({ json: { error: { fields: { [name]: value } } } });
  return [
    requirement(clause, { status }, { refused: true }),
    requirement("ERR-ENVELOPE-ONE", { error: {} }),
    ...(type === undefined ? [] : [requirement([...[clause].flat(), errorTypeClauses[type]], field("type", type))]),
    ...(code === undefined ? [] : [requirement(clause, field("code", code))]),
  ];
}

/** Returns the requirements of a refusal because of an invalid body or query. ERR-VALIDATION-*. */
export function validationError(clause: string | readonly string[]): Requirement[] {
  return [
    ...refusalRules(clause, 422, { type: "validation_error", code: "invalid_payload" }),
    requirement("ERR-VALIDATION-ERRORS", { body: { matches: '"errors"\\s*:\\s*\\[' } }),
  ];
}

/** Returns the requirements of a 404. */
export function notFound(clause: string): Requirement[] {
  return refusalRules(clause, 404, { type: "not_found" });
}

/** Returns a pattern of ids as whole words; variables contain the ids. */
function idPattern(names: readonly string[]): string {
  return `(?<![A-Za-z0-9_-])(${names.map((name) => `{${name}}`).join("|")})(?![A-Za-z0-9_-])`;
}

/** Returns a matcher of a text without these ids. */
export function containsNone(names: readonly string[]): unknown {
  return names.length === 0 ? { type: "string" } : { not: { matches: idPattern(names) } };
}

/** Returns the refusals of paid work for missing credit or a spend ceiling. JOB-SUBMIT-CREDIT, SPEND-*: the remaining amount is not shown. */
export function billingRefusals(states: States): Branch[] {
  return [
    { requirements: refusalRules("JOB-SUBMIT-CREDIT", 402, { type: "billing_error" }), next: states, unrelated: true },
    { requirements: [...refusalRules("SPEND-CODE", 429, { type: "rate_limit_error" }), rateCode], next: states, unrelated: true },
  ];
}

const rateCode = requirement("ERR-CODE-RATE", { json: { error: { code: { in: ["rate_limit_qps", "rate_limit_budget"] } } } });
