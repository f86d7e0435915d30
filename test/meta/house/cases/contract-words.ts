import type { Case } from "../case.js";

const instead = "of the contract: use a value that the suite passes";

/** One line of the engine with the words that it must not have. */
function engine(what: string, text: string, ...words: [word: string, kind: string][]): Case {
  const path = "src/engine/x.ts";
  return [what, path, text, ...words.map(([word, kind]) => `${path}:1: ${word} is banned here, ${kind} ${instead}`)];
}

/** Words of the contract in the engine, and words that only look so. */
export const contractWords: Case[] = [
  engine("a route", `const a = "POST /api/keys";`, ["/api/keys", "a route"]),
  engine("a route in a regular expression", String.raw`const a = /^GET \/api\/forecasts\/lookup$/;`, [
    String.raw`\/api\/forecasts\/lookup`,
    "a route",
  ]),
  engine("a route behind a variable", 'const a = host + "/mcp/";', ["/mcp", "a route"]),
  engine("a route in a comment", "// what a GET /api/keys tells", ["/api/keys", "a route"]),
  engine("a segment of two words by itself", `const a = "publish-ticket";`, ["publish-ticket", "a route"]),
  engine("a tool's purpose", `const a = { set_learn_mode: 1 };`, ["set_learn_mode", "a tool"]),
  engine("a tool's purpose of one word", `const a = "knowledge";`, ["knowledge", "a tool"]),
  engine("an error code", `const a = "rate_limit_qps";`, ["rate_limit_qps", "an error"]),
  engine("an error's type in a type", `type A = "conflict";`, ["conflict", "an error"]),
  engine("a scope", `const a = "manage_tenant_settings";`, ["manage_tenant_settings", "a scope"]),
  engine("a workflow", `const a = ["revalidate"];`, ["revalidate", "a workflow"]),
  engine("a bucket", "const a = limits.list_repo_jobs;", ["list_repo_jobs", "a bucket"]),
  engine("a role", `const a = key("no_fix");`, ["no_fix", "a role"]),
  engine("a role of one word", `const a = key("viewer");`, ["viewer", "a role"]),
  engine("an event", `const a = "merge-fix-pr";`, ["merge-fix-pr", "an event"]),
  engine("a field", "const a = body.has_more;", ["has_more", "a field"]),
  engine("a field as a property of ours", "const { hasMore } = page;", ["hasMore", "a field"]),
  engine("a header", `const a = headers["idempotency-key"];`, ["idempotency-key", "a field"]),
  engine("a status", `const a = status === "pending";`, ["pending", "a value"]),
  engine("a resource inside a name", "const endedJobs = 1;", ["Jobs", "a resource"]),
  engine("a clause", "// JOB-SUBMIT-8: never", ["JOB-SUBMIT-8", "a clause"]),
  engine("an unknown clause", `const a = "MCP-NONE-SUCH";`, ["MCP-NONE-SUCH", "a clause"]),
  engine("a path of a file (allowed)", `import { a } from "../http/mcp.js"; // see http/mcp.ts`),
  engine("words of the engine's own files (allowed)", `const a = { full: target.repos, status: "failed", error: "expired" };`),
  engine("a role's name with another meaning (allowed)", "const slow = free(member); // an admin suspended the viewer"),
  engine("a workflow's name with another meaning (allowed)", "fix(task); // review"),
  engine("a header of HTTP itself (allowed)", `const a = headers["retry-after"]; // Retry-After`),
  engine("the cursor of MCP itself (allowed)", "const { nextCursor } = tools;"),
  engine("a field of one word (allowed)", `const a = { cursor: "cursor", priority: 1 };`),
  engine("a constant of ours (allowed)", "const LINE_END = 1;"),
  engine("part of another word (allowed)", `const a = "x-no_fix-y"; const bushas_more = 1;`),
  ["any word outside the engine (allowed)", "src/suite/x.ts", `const a = "POST /api/jobs"; // JOB-SUBMIT-8 next_cursor`],
];
