import type { AnswerText } from "../scenario/format.js";
import type { States } from "./states.js";

/** One thing that an answer must show, on either surface, and the clauses that say so. */
export interface Must {
  clauses: readonly string[];
  rest: AnswerText;
  tool: AnswerText;
}

/** One way in which a request may come out: what the answer shows then, and what is known afterwards. */
export interface Branch {
  must: readonly Must[];
  next: States;
  /** Whether it is a refusal for reasons that nobody asked about; it allows an answer, and is blamed for none. */
  aside?: true;
}

/** Something that only answers of REST show. */
export function must(clause: string | readonly string[], rest: AnswerText, tool: AnswerText = {}): Must {
  return { clauses: [clause].flat(), rest, tool };
}

/** The request is carried out: a 2xx or the status given, and no refusal from a tool. */
export function accepted(clause: string | readonly string[], status: unknown = "2xx", said?: unknown): Must {
  return must(clause, { status }, { says: said ?? { type: "string" } });
}

/** The request is refused, with the status, type and code that are stated; a tool may refuse in any form (MCP-SCOPE-REFUSED). */
export function refused(
  clause: string | readonly string[],
  status: unknown,
  { type, code }: { type?: string; code?: string } = {},
): Must[] {
  const field = (name: string, value: unknown): AnswerText => ({ json: { error: { fields: { [name]: value } } } });
  return [
    must(clause, { status }, { refused: true }),
    must("ERR-ENVELOPE-ONE", { error: {} }),
    ...(type === undefined ? [] : [must([...[clause].flat(), ...typeClause(type)], field("type", type))]),
    ...(code === undefined ? [] : [must(clause, field("code", code))]),
  ];
}

/** ERR-VALIDATION-*: the refusal of a body or query that is not of the form. */
export function invalid(clause: string | readonly string[]): Must[] {
  return [
    ...refused(clause, 422, { type: "validation_error", code: "invalid_payload" }),
    must("ERR-VALIDATION-ERRORS", { body: { matches: '"errors"\\s*:\\s*\\[' } }),
  ];
}

/** The refusal of a thing that is not there, or not to be seen. */
export function notFound(clause: string): Must[] {
  return refused(clause, 404, { type: "not_found" });
}

const TYPE_CLAUSES: Readonly<Record<string, string>> = {
  validation_error: "ERR-TYPE-VALIDATION",
  invalid_request_error: "ERR-TYPE-INVALID",
  authentication_error: "ERR-TYPE-AUTHENTICATION",
  permission_error: "ERR-TYPE-PERMISSION",
  not_found: "ERR-TYPE-NOTFOUND",
  billing_error: "ERR-TYPE-BILLING",
  rate_limit_error: "ERR-TYPE-RATE",
  conflict: "ERR-TYPE-CONFLICT",
  server_error: "ERR-TYPE-SERVER",
};

function typeClause(type: string): string[] {
  const clause = TYPE_CLAUSES[type];
  return clause === undefined ? [] : [clause];
}

/** An id in a text, and no longer one that begins or ends alike; the variables of the names hold the ids. */
export function idPattern(names: readonly string[]): string {
  return `(?<![A-Za-z0-9_-])(${names.map((name) => `{${name}}`).join("|")})(?![A-Za-z0-9_-])`;
}

/** A text that names none of these. */
export function namesNone(names: readonly string[]): unknown {
  return names.length === 0 ? { type: "string" } : { not: { matches: idPattern(names) } };
}
