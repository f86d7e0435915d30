import { type Branch, must, refused } from "./branch.js";
import type { States } from "./states.js";

/** JOB-SUBMIT-CREDIT, SPEND-*: starting paid work may be refused for want of credit or past a ceiling. How much is left is not shown. */
export function billed(states: States): Branch[] {
  return [
    { must: refused("JOB-SUBMIT-CREDIT", 402, { type: "billing_error" }), next: states, aside: true },
    { must: [...refused("SPEND-CODE", 429, { type: "rate_limit_error" }), rateCode], next: states, aside: true },
  ];
}

const rateCode = must("ERR-CODE-RATE", { json: { error: { code: { in: ["rate_limit_qps", "rate_limit_budget"] } } } });
