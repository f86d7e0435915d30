import type { ResponseJudgement } from "./judge-response.js";

/** The verdicts on a server by the clauses that need no state. */
export interface ServerReport {
  verdict: "no-findings" | "findings" | "nothing-judged";
  /** The number of judged answers. */
  answers: number;
  /** Requests that the proxy answered itself, or whose response ended early. */
  unanswered: number;
  /** Those among them that did not reach the server. */
  unreachable: number;
  violations: { clause: string; count: number; examples: { entry: number; request: string; why: string }[] }[];
  /** How many responses could have broken a clause and did not. */
  passed: Record<string, number>;
}

const maxExamples = 5;

/** Returns the empty tally of a server. */
export function openServerTally() {
  const violations = new Map<string, ServerReport["violations"][number]>();
  const passed = new Map<string, number>();
  let responses = 0;
  let unanswered = 0;
  let unreachable = 0;
  return {
    note({ broken, passed: clauses }: ResponseJudgement, entry: number, request: string): void {
      if (broken.length + clauses.length > 0) responses++;
      for (const clause of clauses) passed.set(clause, (passed.get(clause) ?? 0) + 1);
      for (const { clause, why } of broken) {
        const found = violations.get(clause) ?? { clause, count: 0, examples: [] };
        found.count++;
        if (found.examples.length < maxExamples) found.examples.push({ entry, request, why });
        violations.set(clause, found);
      }
    },
    missed(isUnreachable: boolean): void {
      unanswered++;
      if (isUnreachable) unreachable++;
    },
    report(): ServerReport {
      const verdict = violations.size > 0 ? "findings" : responses > 0 ? "no-findings" : "nothing-judged";
      const sorted = [...passed].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        verdict,
        answers: responses,
        unanswered,
        unreachable,
        violations: [...violations.values()],
        passed: Object.fromEntries(sorted),
      };
    },
  };
}
