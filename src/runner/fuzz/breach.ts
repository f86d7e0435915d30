import type { ClauseId } from "../../contract/types.js";
import type { AnswerText } from "../scenario/format.js";

/** In which way an answer contradicts the contract, and the same as an expectation that such an answer fails. */
export interface Breach {
  clauses: readonly ClauseId[];
  why: string;
  expect: AnswerText;
  /** Answers of which the expectation says nothing: lawful ones of another kind. */
  inconclusiveIf?: AnswerText[];
}
