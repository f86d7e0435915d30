import type { Step } from "./format.js";
import { findDoubleQuery } from "./keywords.js";
import type { RequestRules } from "./requests.js";
import { findToolCallEffect } from "./tool-call.js";

/** A field that changes how a step sends or judges its request. Steps of several keywords can have it. */
type Modifier = "until" | "allPages" | "control" | "otherwise";

/** For each modifier, a function that returns the mistakes of a step that the schema cannot find. */
const stepModifiers = {
  until: (step, rules) => [
    ...(isReadRequest(step, rules) ? [] : ["until sends the request again and again; allowed: GET and read tools"]),
    ...(step.expect || step.given ? [] : ["until waits for an expect or a given, and the step has neither"]),
  ],
  allPages: ({ rest }) => (isRead(rest) ? [] : ["allPages follows the pages of a list; allowed: GET"]),
  control: ({ expect, rest, mcp, repeat, query, control }) => [
    ...(expect ? [] : ["control belongs to a step with expect"]),
    ...(rest || mcp || repeat ? [] : ["control belongs to a rest, repeat or mcp step"]),
    ...findDoubleQuery({ rest: control?.rest ?? rest, query: control?.query === undefined ? query : control.query }),
  ],
  otherwise: ({ expect, save = {}, otherwise }) => [
    ...(expect ? ["otherwise belongs to a step without expect"] : []),
    ...Object.keys(save).flatMap((name) =>
      otherwise?.save[name] === undefined
        ? [`the step saves ${name}, and its otherwise does not; allowed: to save the same`]
        : [],
    ),
  ],
} satisfies Record<Modifier, (step: Step, rules: RequestRules) => string[]>;

/** Returns the mistakes in the modifiers of a step. */
export function lintModifiers(step: Step, rules: RequestRules): string[] {
  return (Object.keys(stepModifiers) as Modifier[]).flatMap((modifier) =>
    step[modifier] ? stepModifiers[modifier](step, rules) : [],
  );
}

function isReadRequest({ mcp, rest }: Step, { tools }: RequestRules): boolean {
  return mcp ? findToolCallEffect(mcp, tools) === "read" : isRead(rest);
}

function isRead(rest = ""): boolean {
  return /^(GET|HEAD) /.test(rest);
}
