import type { Points } from "./point.js";

/** The open points of limits, pages and spend. */
export const ofLimits: Points = {
  "SPEND-REFUSAL": {
    "402 for every spend refusal": { ceilingHttp: 402 },
    "429 for every spend refusal but that of credit": { pausedHttp: 429 },
  },
  "SPEND-CEILING": { "Any other figure": { workspaceCeiling: 60 } },
  "SPEND-MEASURE": {
    "The true cost at the end": { drawnAt: "end" },
    "A sliding hour": { hour: "sliding" },
    "A run that would pass the ceiling is refused": { ceiling: "would pass" },
  },
  "MCP-SPEND": { "Reads by tool add spend": { toolReadDollars: 0.01 } },
  "RATE-WINDOW": {
    "A sliding window": { meter: "sliding" },
    "A token bucket": { meter: "tokens" },
    "Refused requests count": { refusedCount: true },
    "Minutes of the clock": { meter: "aligned" },
    "Only requests that are served count": { failedCount: false },
  },
  "BUCKET-SCOPE": { "One per concrete repository or observation": { meterPer: "path" } },
  "LIMIT-ABOUT": {
    "A lower figure nearby": { perMinute: { free: 550, paid: 2800, tools: 56 } },
    "A higher figure nearby": { perMinute: { free: 640, paid: 3300, tools: 66 } },
  },
  "RETRY-AFTER-MARGIN": { "Longer than needed, such as an hour": { extraRetrySeconds: 3600 } },
  "END-MOMENT": { "The last moment belongs to it": "Nothing is judged at that moment." },
  "MCP-BUDGET": {
    "One budget for both surfaces": { toolBudget: "shared" },
    "The ceiling holds on REST only": { toolBudget: "no ceiling" },
  },
  "MCP-CALLS": { "Calls only": { toolMeters: "calls" }, "No path bucket": { toolsDrawOnPaths: false } },
  "MCP-RETRY-AFTER": { "HTTP 429": { toolRetry: "http" }, "Only in the text of the error": { toolRetry: "text" } },
  "CURSOR-BINDING": {
    "`limit` and `include` are bound too": { cursorBinds: ["order", "limit", "include"] },
    "`order` is free": { cursorBinds: [] },
    "The key is bound": { cursorBinds: ["order", "key"] },
  },
  "CURSOR-FORGED": {
    "422 `invalid_payload`": { forgedCursorHttp: 422 },
    "404 `not_found`": { forgedCursorHttp: 404 },
  },
  "LIMIT-BELOW": {
    "Zero or less means the default": { limitBelow: "default" },
    "Zero or less is raised to 1": { limitBelow: "one" },
  },
};
