import type { ClauseId } from "../contract/types.js";
import type { Severity } from "./rule.js";

/** What was seen of a client: where it broke the contract or went a worse way, and what it never met. */
export interface ClientReport {
  verdict: "polite" | "remarks";
  requests: number;
  remarks: Remark[];
  clauses: { id: ClauseId; verdict: ClauseVerdict }[];
  met: {
    surfaces: ("rest" | "mcp")[];
    error_codes: Meetings;
    /** Such as `job: pending -> running (dispatch)`. */
    transitions: Meetings;
    /** Lists, by route or tool, of which a second page was read. */
    second_pages: Meetings;
    routes: Meetings;
    tools: Meetings;
  };
}

/** One rule that was broken, with the first acts that broke it. */
export interface Remark {
  id: string;
  severity: Severity;
  clauses: ClauseId[];
  says: string;
  count: number;
  /** `entry` is the number in the journal; null when no journal holds it. */
  examples: { entry: number | null; request: string; why: string }[];
}

/** What the traffic says of a sentence about clients; `warned` when only discouraged things were done. */
export type ClauseVerdict = "passed" | "failed" | "warned" | "not-observed";

/** What of all there is was met, and what was not. */
export interface Meetings {
  met: string[];
  unmet: string[];
}

/** Every form in which a report can be had. What writes them is loaded when it is asked for. */
export const cardForms = ["text", "json", "junit", "html"] as const;

/** The name of a form. */
export type CardForm = (typeof cardForms)[number];
