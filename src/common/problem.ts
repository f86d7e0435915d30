import { messageLine } from "./escape/visible.js";
import { nearestIn } from "./nearest-names.js";

/** Why a request to the mock itself is invalid, and which values are allowed. */
export interface Problem {
  problem: string;
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

/** Returns the sentences of a problem for people, one a line. Refused values in them are visible and short. */
export function problemText(problem: string): string {
  return problem.split("\n").map(messageLine).join("\n");
}

/** Returns the problem of an unknown name, with the closest names and all valid names. `at`: the place of the name. */
export function unknownName(what: string, name: string, names: readonly string[], at = ""): Problem {
  return { problem: `There is no ${what} '${at}${name}'${nearestIn(name, names)}.`, allowed: [...names] };
}
