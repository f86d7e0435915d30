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
export function createRequirement(clause: string | readonly string[], rest: ResponseText, tool: ResponseText = {}): Requirement {
  return { clauses: [clause].flat(), rest, tool };
}

/** Returns the requirement of an accepted request: a 2xx or the given status, and no tool error. */
export function createAcceptance(clause: string | readonly string[], status: unknown = "2xx", toolText?: unknown): Requirement {
  return createRequirement(clause, { status }, { content: toolText ?? { type: "string" } });
}

/** Returns the requirements of a refusal with its status, type and code. A tool may refuse in any form (MCP-SCOPE-REFUSED). */
export function createRefusalRules(
  clause: string | readonly string[],
  status: unknown,
  { type, code }: { type?: ErrorType; code?: string } = {},
): Requirement[] {
  const field = (name: string, value: unknown): ResponseText => ({ json: { error: { fields: { [name]: value } } } });
  return [
    createRequirement(clause, { status }, { refused: true }),
    createRequirement("ERR-ENVELOPE-ONE", { error: {} }),
    ...(type === undefined ? [] : [createRequirement([...[clause].flat(), errorTypeClauses[type]], field("type", type))]),
    ...(code === undefined ? [] : [createRequirement(clause, field("code", code))]),
  ];
}

/** Returns the requirements of a refusal because of an invalid body or query. ERR-VALIDATION-*. */
export function expectValidationError(clause: string | readonly string[]): Requirement[] {
  return [
    ...createRefusalRules(clause, 422, { type: "validation_error", code: "invalid_payload" }),
    createRequirement("ERR-VALIDATION-ERRORS", { body: { matches: '"errors"\\s*:\\s*\\[' } }),
  ];
}

/** Returns the requirements of a 404. */
export function expectNotFound(clause: string): Requirement[] {
  return createRefusalRules(clause, 404, { type: "not_found" });
}

/** Returns a pattern of ids as whole words; variables contain the ids. */
function createIdPattern(names: readonly string[]): string {
  return `(?<![A-Za-z0-9_-])(${names.map((name) => `{${name}}`).join("|")})(?![A-Za-z0-9_-])`;
}

/** Returns a matcher of a text without these ids. */
export function containsNone(names: readonly string[]): unknown {
  return names.length === 0 ? { type: "string" } : { not: { matches: createIdPattern(names) } };
}

/** Returns the refusals of paid work for missing credit or a spend ceiling. JOB-SUBMIT-CREDIT, SPEND-*: the remaining amount is not shown. */
export function listBillingRefusals(states: States): Branch[] {
  return [
    { requirements: createRefusalRules("JOB-SUBMIT-CREDIT", 402, { type: "billing_error" }), next: states, unrelated: true },
    {
      requirements: [...createRefusalRules("SPEND-CODE", 429, { type: "rate_limit_error" }), rateCodeRequirement],
      next: states,
      unrelated: true,
    },
  ];
}

const rateCodeRequirement = createRequirement("ERR-CODE-RATE", {
  json: { error: { code: { in: ["rate_limit_qps", "rate_limit_budget"] } } },
});
