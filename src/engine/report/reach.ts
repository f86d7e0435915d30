import type { ClauseVerdict } from "../verdict/clauses.js";
import type { Reach } from "../verdict/reach.js";
import type { Report } from "./report.js";

/** How much of what a clause speaks of was judged: `14 of 15 filters, not since`; empty for one that speaks of one thing. At most so many names. */
export function reachText({ over = [] }: Pick<ClauseVerdict, "over">, most = Number.POSITIVE_INFINITY): string {
  return over
    .map((reach) => (reach.missing.length > 0 ? `${countOf(reach)}, not ${shortened(reach.missing, most)}` : countOf(reach)))
    .join("; ");
}

/** The clauses that passed though not all that they speak of was judged. */
export function partlyJudged({ clauses }: Pick<Report, "clauses">): ClauseVerdict[] {
  return clauses.filter(({ verdict, over = [] }) => verdict === "passed" && over.some(({ missing }) => missing.length > 0));
}

/** In a line, how much of all that the passed clauses speak of was judged; empty where none speaks of several. */
export function reachLine({ clauses }: Pick<Report, "clauses">): string {
  const quantified = clauses.filter(({ verdict, over = [] }) => verdict === "passed" && over.length > 0);
  const all = quantified.flatMap(({ over = [] }) => over);
  const sum = (of: "values" | "reached") => all.reduce((total, reach) => total + reach[of], 0);
  if (all.length === 0) return "";
  return `${quantified.length} of the passed clauses speak of several: ${sum("reached")} of ${sum("values")} values judged`;
}

function countOf({ dimension, values, reached }: Reach): string {
  return `${reached} of ${values} ${values === 1 ? dimension : plural(dimension)}`;
}

function shortened(names: readonly string[], most: number): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** The plural of a name such as `page`, `answer with a body`. */
export function plural(name: string): string {
  const [noun = "", rest = ""] = name.split(/(?= (?:with|without|of|in|on|that|by|for|to) )(.*)/);
  return `${pluralOf(noun)}${rest}`;
}

function pluralOf(noun: string): string {
  if (/(s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
