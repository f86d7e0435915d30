import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { bindingsOfTool } from "../../request-rules.js";
import { VIEW_SCOPES } from "../../statements/roles.js";
import { keyBody, REGISTRATION, SPARE, SPARE_SLUG } from "../../statements/setup-steps.js";
import type { Assertion } from "../assertion.js";

/** How every title of what the owner holds begins. */
export const MARK_WORDS = "Theirs alone";
/** Words that stand in what the owner holds and nowhere else. */
export const MARK = `${MARK_WORDS} {unique}`;
/** The Idempotency-Key of the job that was cancelled. */
export const REMEMBERED = { "Idempotency-Key": "theirs-{unique}" } as const;

const find = (save: string): Step => ({
  drive: "find",
  with: { repo: SPARE, observation: { kind: "finding", title: MARK, description: MARK } },
  save: { [save]: "/result/ref" },
});

const submit = (workflow: string): Step => ({
  rest: `POST /api/repos/${SPARE}/jobs`,
  json: { workflow, params: {} },
  given: { status: 201 },
});

/** Makes what the owner holds: a repository, a job in flight `{live}`, one that was cancelled `{job}`, an open finding `{ref}` and a closed one `{closed}`. */
export const owned: readonly Step[] = [
  { rest: "POST /api/repos", json: REGISTRATION },
  { ...submit("standard_audit"), save: { live: "/id" } },
  { ...submit("audit"), headers: REMEMBERED, save: { job: "/id" } },
  { rest: "POST /api/jobs/{job}/cancel" },
  {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "cancelled" } },
  },
  find("ref"),
  find("closed"),
  { rest: "POST /api/observations/{closed}/complete", json: {} },
  { rest: "POST /api/observations/{ref}/fix", json: {}, save: { fix: "/job_id" } },
];

/** Saves a finding of the owner's for which a ticket could be written as `{ticketed}`. */
export const ownedTicket: Step = {
  rest: "GET /api/observations",
  query: { status: "new", repo: "{binding.tickets.with}", limit: 1 },
  save: { ticketed: "/data/0/ref" },
};

/** Makes a key of the owner's: `{key_id}`, and the role `mine`. */
export const ownedKey: Step = {
  rest: "POST /api/keys",
  session: "admin",
  json: keyBody(VIEW_SCOPES),
  save: { key_id: "/key_id" },
  saveCredential: { mine: "/{binding.key_value_field}" },
};

/** What the owner tells its workspace, as far as there are tools for it. */
export function ownedWords(offers: SystemUnderTest["offers"]): Step[] {
  return [
    { tool: "set_guidance", arguments: { guidance: MARK } },
    { tool: "set_workspace_context", arguments: { context: MARK } },
  ]
    .filter((mcp) => bindingsOfTool(mcp).every((name) => offers(`binding.${name}`)))
    .map((mcp) => ({ mcp }));
}

/** What the owner must see of it whatever others have asked. */
export const stillOwned: readonly Assertion[] = [
  seen("GET /api/jobs/{live}", { workflow: "standard_audit", status: { not: "cancelled" } }),
  seen("GET /api/jobs/{job}", { workflow: "audit", status: "cancelled" }),
  ...["standard_audit", "audit"].map((workflow) => seen(`GET /api/repos/${SPARE}/jobs`, { data: { length: 1 } }, { workflow })),
  seen(`GET /api/repos/${SPARE}/jobs`, { data: [{ id: "{fix}" }] }, { workflow: "fix" }),
  seen("GET /api/observations/{ref}", { status: "new", title: MARK, acknowledged_at: { absentOrNull: true } }),
  seen("GET /api/observations/{closed}", { status: "closed", close_reason: "completed" }),
  seen("GET /api/observations", { data: { length: 1 } }, { repo: SPARE_SLUG, status: "new" }),
  seen(`GET /api/repos/${SPARE}`),
];

/** The key goes on as well. */
export const keyStillOwned: Assertion = seen("GET /api/jobs", undefined, { limit: 1 }, "mine");

function seen(rest: string, json?: object, query?: Step["query"], as?: string): Assertion {
  return {
    step: { rest, ...(query && { query }), ...(as && { as, retry: false }), expect: { status: 200, ...(json && { json }) } },
    clauses: ["KEY-WORKSPACE"],
    why: `${rest} shows its owner that a key of another workspace has changed something`,
  };
}
