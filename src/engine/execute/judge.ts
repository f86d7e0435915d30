import type { WireResponse } from "../http/exchange.js";
import type { AnswerText } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import type { Execution } from "./execution.js";
import { matchAnswer } from "./expect/answer.js";
import type { Match } from "./expect/match.js";

/** Whether an answer shows what is expected of it, with the execution's variables filled in. */
export function judge({ look, run }: Execution, expected: AnswerText, response: WireResponse): Match {
  return matchAnswer(interpolate(expected, look), response, run.suite.answers);
}
