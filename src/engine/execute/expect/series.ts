import { read, type WireResponse } from "../../http/exchange.js";
import { isRefusal } from "../../http/mcp.js";
import type { ResponseRules } from "../../http/response-rules.js";
import type { ResponseText, SeriesText } from "../../scenario/format.js";
import { combineMatches, holds, type Match, match, type Place } from "./match.js";
import { matchError, matchHeaders, matchResponse } from "./response.js";

const ANSWERS_PLACE: Place = { at: "answers" };

/** Compares the responses of a burst or a race with the expectation of a scenario. The responses are in the order of their requests. */
export function matchSeries(expectedSeriesText: SeriesText, responses: readonly WireResponse[], rules: ResponseRules): Match {
  const parts: Match[] = [];
  const position = responses.findIndex(({ status }) => status === 429);
  const refusal = responses[position];
  if ("first429" in expectedSeriesText)
    parts.push(
      formatCount(match(expectedSeriesText.first429, refusal ? position + 1 : null, { at: "position of the first 429" })),
    );
  if ("firstRefused" in expectedSeriesText) {
    const refused = responses.findIndex((response) => isRefusal(response, rules));
    parts.push(
      formatCount(
        match(expectedSeriesText.firstRefused, refused < 0 ? null : refused + 1, { at: "position of the first refusal" }),
      ),
    );
  }
  for (const [statuses, count] of Object.entries(expectedSeriesText.statuses ?? {})) {
    const place = { at: `answers with ${statuses}` };
    parts.push(addStatuses(formatCount(match(count, countResponses(responses, statuses), place)), responses));
  }
  for (const [pointer, count] of Object.entries(expectedSeriesText.distinct ?? {}))
    parts.push(matchDistinct(pointer, count, responses));
  if ((expectedSeriesText.headers || expectedSeriesText.error) && !refusal)
    parts.push(formatCount(holds(expectedSeriesText.first429 === null, ANSWERS_PLACE, "at least one 429", "none")));
  if (expectedSeriesText.headers && refusal) parts.push(matchHeaders(expectedSeriesText.headers, refusal));
  if (expectedSeriesText.error && refusal) parts.push(matchError(expectedSeriesText.error, refusal, rules));
  if (expectedSeriesText.answers) parts.push(matchEach(expectedSeriesText.answers, responses, rules));
  if (expectedSeriesText.oneOf) parts.push(matchAnyOutcome(expectedSeriesText.oneOf, responses, rules));
  return combineMatches(parts);
}

/** Compares each response with its own expectation. */
function matchEach(
  expectedResponseTexts: readonly ResponseText[],
  responses: readonly WireResponse[],
  rules: ResponseRules,
): Match {
  if (expectedResponseTexts.length !== responses.length)
    return formatCount(holds(false, ANSWERS_PLACE, String(expectedResponseTexts.length), responses.length));
  const each = responses.map((response, index) => matchResponse(expectedResponseTexts[index] ?? {}, response, rules));
  const named = each.map((foundMatch, index) => ({
    ...foundMatch,
    mismatches: foundMatch.mismatches.map((mismatch) => ({ ...mismatch, answer: index + 1 })),
  }));
  return combineMatches(named);
}

/** Checks that one of the allowed outcomes matches completely. If none does, the mismatch lists the statuses. */
function matchAnyOutcome(outcomes: readonly SeriesText[], responses: readonly WireResponse[], rules: ResponseRules): Match {
  const matches = outcomes.map((outcome) => matchSeries(outcome, responses, rules));
  const right = matches.find(({ mismatches }) => mismatches.length === 0);
  const seen = responses.map(({ status }) => status).join(", ");
  return right ?? holds(false, { at: "outcome" }, `one of ${outcomes.length} allowed outcomes`, `none of them: statuses ${seen}`);
}

function formatCount(foundMatch: Match): Match {
  return { ...foundMatch, mismatches: foundMatch.mismatches.map((mismatch) => ({ ...mismatch, isOfCount: true })) };
}

/** Adds the number of responses of each status to the mismatches, because a wrong count alone does not show the other responses. */
function addStatuses(foundMatch: Match, responses: readonly WireResponse[]): Match {
  const counts = new Map<number, number>();
  for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const all = [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
  return {
    ...foundMatch,
    mismatches: foundMatch.mismatches.map((mismatch) => ({ ...mismatch, actual: `${mismatch.actual} (${all})` })),
  };
}

function countResponses(responses: readonly WireResponse[], wanted: string): number {
  return responses.filter(({ status }) => String(status) === wanted || `${String(status)[0]}xx` === wanted).length;
}

function matchDistinct(pointer: string, count: unknown, responses: readonly WireResponse[]): Match {
  const values = responses.filter(({ status }) => status >= 200 && status < 300).map((response) => read(response, pointer));
  if (values.length === 0) return { mismatches: [], empty: ["no answer has a 2xx status"], items: 0 };
  const found = new Set(values.map((value) => JSON.stringify(value)));
  return match(count, found.size, { at: `different values at ${pointer}` });
}
