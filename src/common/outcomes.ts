import { counted } from "./phrases.js";

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

/** The facts of a command that ran another command: the exit code of the other command. */
interface ChildFacts {
  code: number;
  requests: number;
}

const row = <Facts = object>(verdict: CommandVerdict, sentence: (facts: Facts) => string): OutcomeRow<Facts> => ({
  verdict,
  sentence,
});
const childFailed = row<ChildFacts>(
  "failed",
  ({ code, requests }) => `The command ended with ${code}${requests === 0 ? " and sent no request" : ""}.`,
);
const forbiddenCalls = row<{ count: number }>(
  "failed",
  ({ count }) => `The client broke ${counted(count, "rule")} that the contract sets.`,
);
const cleanClient = row<{ count: number }>("passed", ({ count }) =>
  count === 0
    ? "No call is forbidden or discouraged."
    : `No call is forbidden; ${counted(count, "finding")} about discouraged calls.`,
);

/**
 * The outcomes of the commands that end with a verdict. The outcomes of `verify`, `merge`, `demo` and of a scenario in `replay` also stand in
 * reports: `engine/verdict/outcome.ts` has them. `run` has what can follow a report.
 */
export const outcomes = {
  run: {
    "target-contradicted": row("bad-input", () => "The target file contradicts the server; see the lines above."),
    "report-not-written": row("harness-error", () => "The report could not be written; see the line above."),
  },
  bundle: {
    changed: row("failed", () => "The bundle was changed after the run, so its verdict proves nothing; see the lines above."),
    "other-results": row("failed", () => "The trace does not lead to the results in report.json; see the lines above."),
    unusable: row("bad-input", () => "This version cannot judge the bundle; see the lines above."),
    "no-trace": row("inconclusive", () => "The bundle has no trace, so nothing was judged again."),
    "incomplete-trace": row<{ count: number }>(
      "inconclusive",
      ({ count }) => `The trace lacks ${counted(count, "scenario")}, so nothing was judged again.`,
    ),
    "shortened-answers": row<{ count: number }>(
      "inconclusive",
      ({ count }) => `${counted(count, "scenario")} could not be judged again, because the trace has shortened answers.`,
    ),
  },
  recording: {
    equal: row<{ answers: number }>("passed", ({ answers: responses }) => `All ${responses} answers are equal.`),
    different: row<{ place: string }>("failed", ({ place }) => `An answer differs from the recording: ${place}.`),
  },
  reproduce: {
    reached: row<{ came: string }>("passed", ({ came }) => `Reached: the target answered ${came}.`),
    "reached-otherwise": row<{ came: string; why: string }>(
      "passed",
      ({ came, why }) => `Reached: the target answered ${came}. ${why}`,
    ),
    "not-reached": row<{ came: string; why: string; isShown: boolean }>(
      "failed",
      ({ came, why, isShown }) =>
        `Not reached: the target answered ${came} (${why}).${isShown ? "" : " The contract does not show this code, so another name is not a fault."}`,
    ),
    "runner-fault": row<{ why: string }>("harness-error", ({ why }) => `The runner failed: ${why}.`),
    inconclusive: row<{ why: string; advice: string }>("inconclusive", ({ why, advice }) => `Inconclusive: ${why}.${advice}`),
    "no-recipe": row<{ code: string; why: string }>(
      "inconclusive",
      ({ code, why }) => `Not tried: ${code} has no recipe (${why}). The request above forces it on a mock.`,
    ),
  },
  exec: {
    "command-failed": childFailed,
    "forbidden-calls": forbiddenCalls,
    "no-request": row("inconclusive", () => "The command sent no request to the mock, so nothing was judged."),
    "nothing-judged": row<{ requests: number }>(
      "inconclusive",
      ({ requests }) => `The command sent ${counted(requests, "request")} to the mock, but no clause could be judged.`,
    ),
    clean: cleanClient,
  },
  proxy: {
    "exchange-lost": row("harness-error", () => "The proxy could not judge or record every exchange; see the lines above."),
    unreachable: row<{ url: string }>(
      "harness-error",
      ({ url }) => `No request reached ${url}. Check the address, and that the server is running.`,
    ),
    "command-failed": childFailed,
    "server-findings": row<{ count: number }>(
      "failed",
      ({ count }) => `The answers of the server broke ${counted(count, "clause")}.`,
    ),
    "forbidden-calls": forbiddenCalls,
    "no-request": row("inconclusive", () => "No request came to the proxy, so nothing was judged."),
    "nothing-judged": row<{ requests: number }>(
      "inconclusive",
      ({ requests }) => `${counted(requests, "request")} came to the proxy, but no answer could be judged.`,
    ),
    clean: cleanClient,
  },
  diff: {
    equal: row(
      "passed",
      () =>
        "No breaking differences: nothing is removed, renamed, retyped or newly required, and the rate limits are those of the contract.",
    ),
    absent: row<{ absent: number }>(
      "passed",
      ({ absent }) =>
        `No breaking differences; ${counted(absent, "part")} of the contract ${absent === 1 ? "is" : "are"} absent.`,
    ),
    breaking: row<{ breaking: number; contradicting: number; absent: number }>("failed", ({ breaking, contradicting, absent }) =>
      [
        ...(breaking > 0 ? [`${counted(breaking, "cause")} ${breaking === 1 ? "breaks" : "break"} callers`] : []),
        ...(contradicting > 0
          ? [`${counted(contradicting, "cause")} ${contradicting === 1 ? "contradicts" : "contradict"} the contract`]
          : []),
        ...(absent > 0 ? [`${counted(absent, "part")} ${absent === 1 ? "is" : "are"} merely absent`] : []),
      ]
        .join(", ")
        .concat("."),
    ),
  },
  publish: {
    verified: row("passed", () => "Every bundle is verified."),
    "other-suite": row<{ count: number }>(
      "passed",
      ({ count }) =>
        `No bundle was changed. Another version of the suite judged ${counted(count, "bundle")}, which ${count === 1 ? "was" : "were"} not judged again; the others are verified.`,
    ),
    changed: row<{ count: number }>(
      "failed",
      ({ count }) =>
        `${counted(count, "bundle")} ${count === 1 ? "was" : "were"} changed after the run; the page shows no result of it.`,
    ),
    "not-verified": row<{ count: number }>(
      "inconclusive",
      ({ count }) => `${counted(count, "bundle")} could not be verified; the page shows no result of it.`,
    ),
  },
  "target check": {
    works: row("passed", () => "No entry of the target file is wrong."),
    wrong: row<{ count: number }>(
      "bad-input",
      ({ count }) => `${counted(count, "entry")} of the target file ${count === 1 ? "is" : "are"} wrong.`,
    ),
    unclear: row<{ count: number }>(
      "inconclusive",
      ({ count }) => `${counted(count, "entry")} of the target file could not be checked.`,
    ),
  },
} as const;

/** Returns the outcome of a row. `exitCode` replaces that of the verdict: some commands pass on the exit code of another command. */
export function outcomeIn<Facts>({ verdict, sentence }: OutcomeRow<Facts>, facts: Facts, exitCode?: number): CommandOutcome {
  return { verdict, exit_code: exitCode ?? exitCodes[verdict], sentence: sentence(facts) };
}

/** Returns the last line of a command: `exit code 3: …`. */
export function lastLine({ exit_code, sentence }: CommandOutcome): string {
  return `exit code ${exit_code}: ${sentence}`;
}
