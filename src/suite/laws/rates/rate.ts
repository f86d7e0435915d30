import type { Step } from "../../../engine/scenario/format.js";

/** A limit on how often, as the text gives it, and the requests of one key that are held to it. */
export interface RateLimit {
  /** What reports and coverage call it. */
  name: string;
  /** What it is, as the dimension of limits names it. */
  kind: "path bucket" | "plan budget" | "key ceiling" | "tool rate";
  /** Requests a minute: both the same where the text gives a figure, the two ends of what "about" may mean where it says that. */
  least: number;
  most: number;
  /** The clauses by which it is so; the first is the figure's. */
  clauses: readonly string[];
  /** Requests that all draw on it, each of one concrete path (how buckets are told apart by path is open); `{i}` counts them. */
  requests: readonly Step[];
  /** What is done behind a request that was served, so that the next one can be; it draws on something else. */
  after?: Step;
}

/** What "about" so many may mean: a fifth less, a fifth more. Reading 19. */
export function about(rpm: number): Pick<RateLimit, "least" | "most"> {
  return { least: Math.round(0.8 * rpm), most: Math.round(1.2 * rpm) };
}

/** The same limit for another key, by whichever of its requests. */
export function drawnBy({ requests, ...limit }: RateLimit, role: string): RateLimit {
  return { ...limit, requests: requests.map((request) => ({ ...request, as: role })) };
}
