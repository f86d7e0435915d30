import type { Exchange } from "../../http/exchange.js";
import { shorten, type WholeBody } from "../../http/shorten.js";

const MB = 1024 * 1024;

/** Decides how many bytes of a response body are recorded. When the budget is used up, only short bodies are recorded completely. */
export interface SizeBudget {
  longest(): number;
  take(bytes: number): void;
}

/** Limits in bytes: of a body, of a body after the budget is used up, of all bodies of a scenario, and of all bodies of a run. */
export interface TraceLimits {
  longest: number;
  short: number;
  scenario: number;
  run: number;
}

/** The default limits. They are large enough for any page of a list and for the OpenAPI document of a service. */
export const TRACE_LIMITS: TraceLimits = { longest: MB, short: 16 * 1024, scenario: 64 * MB, run: 512 * MB };

/** Opens a budget of `bytes`. `within`: a larger budget that limits it as well. */
export function openSizeBudget(bytes: number, { longest, short }: TraceLimits, within?: SizeBudget): SizeBudget {
  let left = bytes;
  return {
    longest: () => Math.min(left > 0 ? longest : short, within?.longest() ?? longest),
    take(taken) {
      left -= taken;
    },
  };
}

/** Shortens the response body of an exchange if it exceeds the budget. `whole`: length and digest of the complete body. */
export function fitBudget(exchange: Exchange, budget: SizeBudget): { exchange: Exchange; whole?: WholeBody } {
  const { response } = exchange;
  if (!response) return { exchange };
  const short = shorten(response.body, budget.longest());
  budget.take(short?.bytes.length ?? response.body.length);
  return short ? { exchange: { ...exchange, response: { ...response, body: short.bytes } }, whole: short.whole } : { exchange };
}
