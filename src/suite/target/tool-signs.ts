import type { FactSource, ToolSign } from "../../engine/preflight/rules.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { encodeTriple } from "../request-rules.js";
import { responses } from "../response-rules.js";

const TRIPLE = { owner: "owner", repo: "repo", branch: "branch" } as const;

/** Reads whose answers contain facts that tools show too. The owner, name and branch of the repository are facts as well. */
export const toolFacts: readonly FactSource[] = [
  {
    path: () => "/api/jobs?limit=1",
    read: (body) => ({ job: readText(readFirstRow(body).id), workflow: readText(readFirstRow(body).workflow) }),
  },
  {
    path: () => "/api/observations?limit=1&include=locations",
    read(body) {
      const { ref, title, locations } = readFirstRow(body);
      const [place] = Array.isArray(locations) ? (locations as unknown[]) : [];
      return { ref: readText(ref), title: readText(title), file: isRecord(place) ? readText(place.file_path) : undefined };
    },
  },
  {
    path: () => "/api/forecasts/lookup?workflow=audit",
    read: (body) => (isRecord(body) ? { low: readNumber(body.cost_low), high: readNumber(body.cost_high) } : {}),
  },
  {
    path: (repo) => `/api/repos/${encodeTriple(repo)}/knowledge`,
    // a long text with a space: no id and no time, which answers about other things contain too
    read: (body) => ({ known: listTexts(body).find((one) => one.includes(" ")) }),
  },
  {
    path: (repo) => `/api/repos/${encodeTriple(repo)}/fix-prs`,
    read: (body) => ({ fixed: JSON.stringify(body).match(/\b[A-Z]+-\d+\b/)?.[0] }),
  },
];

/** The responses that show the purpose of a read tool: they contain what REST shows of the same thing. */
export const toolSigns: readonly ToolSign[] = [
  { purpose: "list_jobs", given: {}, shows: ["job", "workflow"] },
  { purpose: "list_repositories", given: {}, shows: ["repo", "second"] },
  { purpose: "job_status", given: { job_id: "job" }, shows: ["job", "workflow"] },
  { purpose: "explain_observation", given: { ref: "ref" }, shows: ["ref", "title"] },
  { purpose: "forecast", given: { workflow: "=audit" }, shows: ["low", "high"] },
  { purpose: "knowledge", given: TRIPLE, shows: ["known"] },
  { purpose: "list_fix_prs", given: TRIPLE, shows: ["fixed"] },
  { purpose: "recent_issues", given: { ...TRIPLE, file_path: "file" }, shows: ["ref"] },
];

function readFirstRow(body: unknown): Record<string, unknown> {
  const rows = isRecord(body) ? body[responses.page.rows] : undefined;
  const [row] = Array.isArray(rows) ? (rows as unknown[]) : [];
  return isRecord(row) ? row : {};
}

/** Returns the strings in a JSON value that have at least 24 characters and need no escapes. */
function listTexts(body: unknown): string[] {
  return [...JSON.stringify(body).matchAll(/"([^"\\]{24,})"/g)].map(([, one = ""]) => one);
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readNumber(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : undefined;
}
