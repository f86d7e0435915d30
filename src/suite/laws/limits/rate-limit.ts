import type { Step } from "../../../engine/scenario/format.js";

/** A rate limit of the contract, and requests of one key that count against it. */
export interface RateLimit {
  /** Name in reports and coverage. */
  name: string;
  /** Kind, as the dimension of limits names it. */
  kind: "path bucket" | "plan budget" | "key ceiling" | "tool rate";
  /** Requests per minute: equal for an exact figure, the two ends of "about" otherwise. */
  min: number;
  max: number;
  /** The clauses of the limit; the first states the figure. */
  clauses: readonly string[];
  /** Clauses that a conforming trial judges too, but that a breach does not fail: another clause states the broken figure. */
  alsoJudged?: readonly string[];
  /** Requests that count against the limit, each with one concrete path, because path matching is open; `{i}` counts them. */
  requests: readonly Step[];
  /** Requests that may count before the first one here: a tool session begins with two. MCP-BUDGET. */
  uncounted?: number;
  /** A request after each accepted one that enables the next one; it counts against another limit. */
  after?: Step;
}

/** Returns the ends of "about N": 20 % less and 20 % more. Reading 19. */
export function computeBounds(rpm: number): Pick<RateLimit, "min" | "max"> {
  return { min: Math.round(0.8 * rpm), max: Math.round(1.2 * rpm) };
}

/** Returns the same limit with requests of another key. */
export function createRoleLimit({ requests, ...limit }: RateLimit, role: string): RateLimit {
  return { ...limit, requests: requests.map((request) => ({ ...request, as: role })) };
}
