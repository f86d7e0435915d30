import type { AnswerJudgement } from "./judge-answer.js";

/** What was seen of a server, by the rules that need no state. */
export interface ServerReport {
  verdict: "no-findings" | "findings" | "nothing-judged";
  /** How many answers were judged. */
  answers: number;
  /** Requests that the proxy had to answer itself, or that broke off. */
  unanswered: number;
  /** Those of them that did not reach the server. */
  unreachable: number;
  violations: { clause: string; count: number; examples: { entry: number; request: string; why: string }[] }[];
  /** How often a clause could have been broken and was not. */
  held: Record<string, number>;
}

const mostExamples = 5;

/** Opens a report into which answers are counted one by one. */
export function openServerTally() {
  const violations = new Map<string, ServerReport["violations"][number]>();
  const held = new Map<string, number>();
  let answers = 0;
  let unanswered = 0;
  let unreachable = 0;
  return {
    note({ broken, held: kept }: AnswerJudgement, entry: number, request: string): void {
      if (broken.length + kept.length > 0) answers++;
      for (const clause of kept) held.set(clause, (held.get(clause) ?? 0) + 1);
      for (const { clause, why } of broken) {
        const found = violations.get(clause) ?? { clause, count: 0, examples: [] };
        found.count++;
        if (found.examples.length < mostExamples) found.examples.push({ entry, request, why });
        violations.set(clause, found);
      }
    },
    missed(isUnreachable: boolean): void {
      unanswered++;
      if (isUnreachable) unreachable++;
    },
    report(): ServerReport {
      const verdict = violations.size > 0 ? "findings" : answers > 0 ? "no-findings" : "nothing-judged";
      const sorted = [...held].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        verdict,
        answers,
        unanswered,
        unreachable,
        violations: [...violations.values()],
        held: Object.fromEntries(sorted),
      };
    },
  };
}
