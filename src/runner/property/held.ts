import { type Check, type Outcome, passed, type Verdict } from "../play/check.js";
import type { Played } from "../play/play.js";
import { unfiled } from "../scenario/format.js";
import type { Counterexample } from "./counterexample.js";
import type { Coverage } from "./coverage.js";
import type { Property } from "./property.js";
import { tokenOf, yamlOf } from "./token.js";

/** One property of a report. */
export interface PropertyLine {
  id: string;
  title: string;
  /** Cases that were judged. */
  runs: number;
  /** Cases that said nothing. */
  inconclusive: number;
  /** Cases that were not drawn, as the run ended. */
  left?: number;
  seed: number;
  verdict: Verdict;
  reason?: string;
  /** The counterexample as a scenario file. */
  counterexample?: string;
  /** The same as one word for `counterpart replay`. */
  replay?: string;
  /** Points of the contract reached, kind -> name -> visits. */
  coverage?: Record<string, Record<string, number>>;
}

/** A property that was tried: its line, and the same as one played scenario, so that it is judged and reported like any other. */
export interface Held {
  line: PropertyLine;
  played: Played;
}

/** Whether a property has cases left that were not drawn, as its run ended. */
export function isCut({ left = 0 }: PropertyLine): boolean {
  return left > 0;
}

/** How much the cases of a property came to. */
export interface Counts {
  judged: number;
  subjects: number;
  inconclusive: number;
  requests: number;
  /** Cases not drawn. */
  left: number;
}

/** What a property came to. Without counts nothing was played. */
export interface Verdicted {
  verdict: Verdict;
  why?: string;
  /** Left out by the run's profile. */
  outside?: true;
  tally?: Counts;
  coverage?: Coverage;
  found?: Counterexample;
}

/** Puts in a report what a property came to. It can convict clauses, and acquits none: what its cases met by chance is no subject of a clause. */
export function heldOf(
  { id, title }: Property,
  seed: number,
  { verdict, why, outside, tally, coverage, found }: Verdicted,
): Held {
  const name = `property:${id}`;
  const { judged = 0, inconclusive = 0, requests = 0, left = 0 } = tally ?? {};
  const points = coverage?.toJSON() ?? {};
  const replay = found && tokenOf(found.text);
  const reason = why !== undefined && { reason: why };
  const clauses = verdict === "failed" ? (found?.text.proves ?? []) : [];
  const scenario = unfiled({ scenario: name, title, proves: clauses, steps: [] });
  const check: Check = {
    id: `${name}/cases`,
    scenario: name,
    step: "cases",
    clauses,
    file: name,
    line: 1,
    ...outcomeOf({ verdict, ...(why !== undefined && { why }), ...(found && { found }), ...(tally && { tally }) }),
    ...(replay !== undefined && { replay }),
  };
  return {
    line: {
      id,
      title,
      runs: judged,
      inconclusive,
      ...(left > 0 && verdict !== "failed" && { left }),
      seed,
      verdict,
      ...reason,
      ...(found && { counterexample: yamlOf(found.text) }),
      ...(replay !== undefined && { replay }),
      ...(Object.keys(points).length > 0 && { coverage: points }),
    },
    played: { scenario, verdict, ...reason, ...(outside && { outside }), requests, checks: tally ? [check] : [] },
  };
}

/** What the check that convicts shows of the exchange. */
export function shownBy(convicting: Check | undefined): Pick<Check, "expected" | "actual" | "curl"> {
  const { expected, actual, curl } = convicting ?? {};
  return {
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(curl !== undefined && { curl }),
  };
}

function outcomeOf({ verdict, why = "", tally, found }: Verdicted): Outcome {
  const { judged = 0, subjects = 0 } = tally ?? {};
  if (verdict === "passed") return passed(subjects);
  if (verdict !== "failed") return { verdict, subjects: 0, reason: why };
  const shown = shownBy(found?.confirmed);
  return { expected: "an answer that the contract allows", actual: why, ...shown, verdict, subjects: judged };
}
