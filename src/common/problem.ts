import { escapeMessageLine } from "./escape/visible.js";
import { findClosestName } from "./nearest-names.js";

/** Why a request to the mock itself is invalid, and which values are allowed. */
export interface Problem {
  problem: string;
  /** The sentences of the problem, if each one stands on a line. */
  sentences?: string[];
  /** The invalid field, with dots between levels; empty for the whole body. */
  field?: string;
  /** The same field as a JSON pointer (RFC 6901), because names may contain dots. */
  pointer?: string;
  allowed?: string[];
  /** The request is valid, but a part of the mock does not respond. */
  unreachable?: true;
}

/** Returns whether a result is a problem. */
export function isProblem(outcome: object): outcome is Problem {
  return "problem" in outcome;
}

/** Returns the lines of a problem. A refused value in them can contain line feeds, which begin no line. */
export function formatProblemLines({ problem, sentences }: Problem): string[] {
  return (sentences ?? [problem]).map(escapeMessageLine);
}

/** Returns the lines of a problem as one text. Refused values in it are visible and short. */
export function formatProblem(problem: Problem): string {
  return formatProblemLines(problem).join("\n");
}

/** Returns the problem of an unknown name, with the closest names and all valid names. `at`: the place of the name. */
export function describeUnknownName(what: string, name: string, names: readonly string[], at = ""): Problem {
  return { problem: `There is no ${what} '${at}${name}'${findClosestName(name, names)}.`, allowed: [...names] };
}
