/** Titles of the contract's nine sections, in its order. */
export const sections: readonly string[] = [
  "What it does",
  "Resources",
  "States",
  "Endpoints",
  "Authentication",
  "Events",
  "Errors",
  "Limits",
  "Versioning",
];

/** Where a clause can show; `client`: it binds callers. */
export const surfaces: readonly string[] = ["rest", "mcp", "docs", "client"];
