import type { AnswerText } from "../../engine/scenario/format.js";

/** In which way an answer contradicts the contract, and the same as an expectation that such an answer fails. */
export interface Violation {
  clauses: readonly string[];
  why: string;
  expect: AnswerText;
  /** Answers of which the expectation says nothing: conforming ones of another kind. */
  inconclusiveIf?: AnswerText[];
}
