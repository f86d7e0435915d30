import type { Case } from "../case.js";

/** Clauses that texts name. */
export const clauseIds: Case[] = [
  [
    "an unknown clause",
    "src/mock/x.ts",
    "\n// JOB-SUBMIT-77: never",
    "src/mock/x.ts:2: JOB-SUBMIT-77 is banned here, it is not a clause: use an id of spec/clauses.json",
  ],
  [
    "a family without the star",
    "src/mock/x.ts",
    "/** Cancels. JOB-CANCEL. */",
    "src/mock/x.ts:1: JOB-CANCEL is banned here, it is a family of clauses: use JOB-CANCEL-* or one of its ids",
  ],
  [
    "a family without members",
    "src/mock/x.ts",
    "// see MCP-NONE-*",
    "src/mock/x.ts:1: MCP-NONE-* is banned here, no clause id has this prefix: use an id of spec/clauses.json",
  ],
  [
    "a clause in a document",
    "README.md",
    "a\nKEY-NONE",
    "README.md:2: KEY-NONE is banned here, it is not a clause: use an id of spec/clauses.json",
  ],
  ["a clause, a family and an assumption (allowed)", "src/mock/x.ts", "// JOB-RETRY-INFLIGHT, MCP-SCOPE-*; DISPATCH-TICK"],
  ["words of another prefix (allowed)", "src/mock/x.ts", "// ISO-8601, SHA-256, UTF-8"],
  ["what the code says (allowed)", "src/mock/x.ts", "const a = `WORKFLOW-BETA-`; // it is built"],
];
