import { formatCount } from "./phrases.js";

/** The exit code of each verdict, for every command. */
export const exitCodes = { passed: 0, failed: 1, "bad-input": 2, inconclusive: 3, "harness-error": 4 } as const;

/** The verdict of a command. */
export type CommandVerdict = keyof typeof exitCodes;

/** The outcome of a command: its verdict, its exit code, and a sentence with the reason. */
export interface CommandOutcome {
  verdict: CommandVerdict;
  exit_code: number;
  sentence: string;
}

/** One row of a table of outcomes. */
export interface OutcomeRow<Facts> {
  verdict: CommandVerdict;
  sentence(facts: Facts): string;
}

/** The exit code of the other command that a command ran. */
interface ChildFacts {
  code: number;
  requests: number;
}

const defineOutcome = <Facts = object>(verdict: CommandVerdict, sentence: (facts: Facts) => string): OutcomeRow<Facts> => ({
  verdict,
  sentence,
});
const childOutcome = defineOutcome<ChildFacts>(
  "failed",
  ({ code, requests }) => `The command ended with ${code}${requests === 0 ? " and sent no request" : ""}.`,
);
const forbiddenCallsOutcome = defineOutcome<{ count: number }>(
  "failed",
  ({ count }) => `The client broke ${formatCount(count, "rule")} that the contract sets.`,
);
const cleanClientOutcome = defineOutcome<{ count: number }>("passed", ({ count }) =>
  count === 0
    ? "No call is forbidden or discouraged."
    : `No call is forbidden; ${formatCount(count, "finding")} about discouraged calls.`,
);

/**
 * The outcomes of the commands that end with a verdict. Reports contain the outcomes of `verify`, `merge`, `demo` and of a
 * scenario in `replay`, so `engine/verdict/outcome.ts` has those. `run` has the outcomes that can follow a report.
 */
export const outcomes = {
  run: {
    "target-contradicted": defineOutcome("bad-input", () => "The target file contradicts the server; see the lines above."),
    "report-not-written": defineOutcome("harness-error", () => "The report could not be written; see the line above."),
  },
  bundle: {
    changed: defineOutcome(
      "failed",
      () => "The bundle was changed after the run, so its verdict proves nothing; see the lines above.",
    ),
    "other-results": defineOutcome(
      "failed",
      () => "Judging the trace gives other results than report.json; see the lines above.",
    ),
    unusable: defineOutcome("bad-input", () => "This version cannot judge the bundle; see the lines above."),
    "no-trace": defineOutcome("inconclusive", () => "The bundle has no trace, so nothing was judged again."),
    "incomplete-trace": defineOutcome<{ count: number }>(
      "inconclusive",
      ({ count }) => `The trace lacks ${formatCount(count, "scenario")}, so nothing was judged again.`,
    ),
    "shortened-answers": defineOutcome<{ count: number }>(
      "inconclusive",
      ({ count }) => `${formatCount(count, "scenario")} could not be judged again, because the trace has shortened answers.`,
    ),
  },
  recording: {
    equal: defineOutcome<{ answers: number }>("passed", ({ answers: responses }) => `All ${responses} answers are equal.`),
    different: defineOutcome<{ place: string }>("failed", ({ place }) => `A response differs from the recording: ${place}.`),
  },
  reproduce: {
    reached: defineOutcome<{ came: string }>("passed", ({ came }) => `Reached: the target answered ${came}.`),
    "reached-otherwise": defineOutcome<{ came: string; why: string }>(
      "passed",
      ({ came, why }) => `Reached: the target answered ${came}. ${why}`,
    ),
    "not-reached": defineOutcome<{ came: string; why: string; isShown: boolean }>(
      "failed",
      ({ came, why, isShown }) =>
        `Not reached: the target answered ${came} (${why}).${isShown ? "" : " The contract does not show this code, so another name is not a fault."}`,
    ),
    "runner-fault": defineOutcome<{ why: string }>("harness-error", ({ why }) => `The runner failed: ${why}.`),
    inconclusive: defineOutcome<{ why: string; advice: string }>(
      "inconclusive",
      ({ why, advice }) => `Inconclusive: ${why}.${advice}`,
    ),
    "no-recipe": defineOutcome<{ code: string; why: string }>(
      "inconclusive",
      ({ code, why }) => `Not tried: ${code} has no recipe (${why}). The request above forces it on a mock.`,
    ),
  },
  exec: {
    "command-failed": childOutcome,
    "forbidden-calls": forbiddenCallsOutcome,
    "no-request": defineOutcome("inconclusive", () => "The command sent no request to the mock, so nothing was judged."),
    "nothing-judged": defineOutcome<{ requests: number }>(
      "inconclusive",
      ({ requests }) => `The command sent ${formatCount(requests, "request")} to the mock, but no clause could be judged.`,
    ),
    clean: cleanClientOutcome,
  },
  proxy: {
    "exchange-lost": defineOutcome(
      "harness-error",
      () => "The proxy could not judge or record every exchange; see the lines above.",
    ),
    unreachable: defineOutcome<{ url: string }>(
      "harness-error",
      ({ url }) => `No request reached ${url}. Check the address, and that the server is running.`,
    ),
    "command-failed": childOutcome,
    "server-findings": defineOutcome<{ count: number }>(
      "failed",
      ({ count }) => `The answers of the server broke ${formatCount(count, "clause")}.`,
    ),
    "forbidden-calls": forbiddenCallsOutcome,
    "no-request": defineOutcome("inconclusive", () => "No request came to the proxy, so nothing was judged."),
    "nothing-judged": defineOutcome<{ requests: number }>(
      "inconclusive",
      ({ requests }) => `${formatCount(requests, "request")} came to the proxy, but no answer could be judged.`,
    ),
    clean: cleanClientOutcome,
  },
  diff: {
    equal: defineOutcome(
      "passed",
      () =>
        "No breaking differences: nothing is removed, renamed, retyped or newly required, and the rate limits are those of the contract.",
    ),
    absent: defineOutcome<{ absent: number }>(
      "passed",
      ({ absent }) =>
        `No breaking differences; ${formatCount(absent, "part")} of the contract ${absent === 1 ? "is" : "are"} absent.`,
    ),
    breaking: defineOutcome<{ breaking: number; contradicting: number; absent: number }>(
      "failed",
      ({ breaking, contradicting, absent }) =>
        [
          ...(breaking > 0 ? [`${formatCount(breaking, "cause")} ${breaking === 1 ? "breaks" : "break"} callers`] : []),
          ...(contradicting > 0
            ? [`${formatCount(contradicting, "cause")} ${contradicting === 1 ? "contradicts" : "contradict"} the contract`]
            : []),
          ...(absent > 0 ? [`${formatCount(absent, "part")} ${absent === 1 ? "is" : "are"} merely absent`] : []),
        ]
          .join(", ")
          .concat("."),
    ),
  },
  publish: {
    verified: defineOutcome("passed", () => "Every bundle is verified."),
    "other-suite": defineOutcome<{ count: number }>(
      "passed",
      ({ count }) =>
        `No bundle was changed. Another version of the suite judged ${formatCount(count, "bundle")}, which ${count === 1 ? "was" : "were"} not judged again; the others are verified.`,
    ),
    changed: defineOutcome<{ count: number }>(
      "failed",
      ({ count }) =>
        `${formatCount(count, "bundle")} ${count === 1 ? "was" : "were"} changed after the run; the page shows no result of it.`,
    ),
    "not-verified": defineOutcome<{ count: number }>(
      "inconclusive",
      ({ count }) => `${formatCount(count, "bundle")} could not be verified; the page shows no result of it.`,
    ),
  },
  "target check": {
    works: defineOutcome("passed", () => "No entry of the target file is wrong."),
    wrong: defineOutcome<{ count: number }>(
      "bad-input",
      ({ count }) => `${formatCount(count, "entry")} of the target file ${count === 1 ? "is" : "are"} wrong.`,
    ),
    unclear: defineOutcome<{ count: number }>(
      "inconclusive",
      ({ count }) => `${formatCount(count, "entry")} of the target file could not be checked.`,
    ),
  },
} as const;

/** Returns the outcome of a row. `exitCode` replaces that of the verdict: some commands pass on the exit code of another command. */
export function createOutcome<Facts>({ verdict, sentence }: OutcomeRow<Facts>, facts: Facts, exitCode?: number): CommandOutcome {
  return { verdict, exit_code: exitCode ?? exitCodes[verdict], sentence: sentence(facts) };
}

/** Returns the last line of a command: `exit code 3: …`. */
export function formatLastLine({ exit_code, sentence }: CommandOutcome): string {
  return `exit code ${exit_code}: ${sentence}`;
}
