import type { AnswerText } from "../../engine/scenario/format.js";
import { type ErrorType, errorTypeClauses } from "../statements/errors.js";
import type { States } from "./states.js";

/** One thing that an answer must show, on either surface, and the clauses that say so. */
export interface Requirement {
  clauses: readonly string[];
  rest: AnswerText;
  tool: AnswerText;
}

/** One way in which a request may come out: what the answer shows then, and what is known afterwards. */
export interface Branch {
  must: readonly Requirement[];
  next: States;
  /** Whether it is a refusal for reasons that nobody asked about; it allows an answer, and is blamed for none. */
  aside?: true;
}

/** Something that only answers of REST show. */
export function must(clause: string | readonly string[], rest: AnswerText, tool: AnswerText = {}): Requirement {
  return { clauses: [clause].flat(), rest, tool };
}

/** The request is carried out: a 2xx or the status given, and no refusal from a tool. */
export function accepted(clause: string | readonly string[], status: unknown = "2xx", said?: unknown): Requirement {
  return must(clause, { status }, { content: said ?? { type: "string" } });
}

/** The request is refused, with the status, type and code that are stated; a tool may refuse in any form (MCP-SCOPE-REFUSED). */
export function refused(
  clause: string | readonly string[],
  status: unknown,
  { type, code }: { type?: ErrorType; code?: string } = {},
): Requirement[] {
  const field = (name: string, value: unknown): AnswerText => ({ json: { error: { fields: { [name]: value } } } });
  return [
    must(clause, { status }, { refused: true }),
    must("ERR-ENVELOPE-ONE", { error: {} }),
    ...(type === undefined ? [] : [must([...[clause].flat(), errorTypeClauses[type]], field("type", type))]),
    ...(code === undefined ? [] : [must(clause, field("code", code))]),
  ];
}

/** ERR-VALIDATION-*: the refusal of a body or query that is not of the form. */
export function invalid(clause: string | readonly string[]): Requirement[] {
  return [
    ...refused(clause, 422, { type: "validation_error", code: "invalid_payload" }),
    must("ERR-VALIDATION-ERRORS", { body: { matches: '"errors"\\s*:\\s*\\[' } }),
  ];
}

/** The refusal of a thing that is not there, or not to be seen. */
export function notFound(clause: string): Requirement[] {
  return refused(clause, 404, { type: "not_found" });
}

/** An id in a text, and no longer one that begins or ends alike; the variables of the names hold the ids. */
function idPattern(names: readonly string[]): string {
  return `(?<![A-Za-z0-9_-])(${names.map((name) => `{${name}}`).join("|")})(?![A-Za-z0-9_-])`;
}

/** A text that names none of these. */
export function namesNone(names: readonly string[]): unknown {
  return names.length === 0 ? { type: "string" } : { not: { matches: idPattern(names) } };
}
