import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findToolBindings } from "../../request-rules.js";
import { VIEW_SCOPES } from "../../statements/roles.js";
import { createKeyBody, REGISTRATION, SPARE } from "../../statements/setup-steps.js";
import { SAMPLE_LOCATION } from "../../statements/tools.js";
import { type Assertion, prepare } from "../steps.js";

/** The first words of every title in the owner's workspace. */
export const OWNER_MARK_WORDS = "Only of the owner";
/** A text in the owner's data, and in no other data. */
export const OWNER_MARK = `${OWNER_MARK_WORDS} {unique}`;
/** The Idempotency-Key of the cancelled job. */
export const OWNER_KEY_HEADER = { "Idempotency-Key": "owner-{unique}" } as const;

/** Returns the step that creates a finding of the owner, and saves its ref. The tools' samples name its file. */
export function findOwned(save: string): Step {
  return {
    drive: "find",
    with: {
      repo: SPARE,
      observation: { kind: "finding", title: OWNER_MARK, description: OWNER_MARK, locations: [SAMPLE_LOCATION] },
    },
    save: { [save]: "/result/ref" },
  };
}

const submit = (workflow: string): Step => ({
  rest: `POST /api/repos/${SPARE}/jobs`,
  json: { workflow, params: {} },
  given: { status: 201 },
});

/** Creates findings in the owner's repository: a closed one `{closed}`, an open one `{ref}`, and its fix `{fix}`. */
export const ownerFindings: readonly Step[] = [
  findOwned("closed"),
  { rest: "POST /api/observations/{closed}/complete", json: {} },
  findOwned("ref"), // after closing the other, because both have the same title
  { rest: "POST /api/observations/{ref}/fix", json: {}, save: { fix: "/job_id" } },
];

const registration: Step = { rest: "POST /api/repos", json: REGISTRATION };

/**
 * Registers the owner's repository. A plan may have no room for it (Registration rules, rule 3). In a new world another repository is then deleted
 * first. Returns the steps, or why there is no repository.
 */
export async function registerOwned(sut: SystemUnderTest): Promise<readonly Step[] | CaseOutcome> {
  const failure = await prepare(sut, [registration]);
  if (!failure) return [registration];
  const isFree = (n: string) => sut.offers(`repos.${n}`) && sut.lookup(`slug${n}`) !== sut.lookup("binding.tickets.with");
  const other = sut.offers("worlds") ? ["3", "2"].find(isFree) : undefined;
  const steps = [{ rest: `DELETE /api/repos/{repo${other}}` }, registration];
  return other !== undefined && (await prepare(sut, steps)) === undefined ? steps : failure;
}

/** Creates the owner's data in this repository: a job in flight `{live}`, a cancelled job `{job}`, an open finding `{ref}` and a closed one `{closed}`. */
export const ownerData: readonly Step[] = [
  { ...submit("standard_audit"), save: { live: "/id" } },
  { ...submit("audit"), headers: OWNER_KEY_HEADER, save: { job: "/id" } },
  { rest: "POST /api/jobs/{job}/cancel" },
  {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "cancelled" } },
  },
  ...ownerFindings,
];

/** Saves a finding of the owner that can be published as a ticket as `{ticketed}`. */
export const ownerTicket: Step = {
  rest: "GET /api/observations",
  query: { status: "new", repo: "{binding.tickets.with}", limit: 1 },
  save: { ticketed: "/data/0/ref" },
};

/** Creates a key of the owner: `{key_id}`, and the role `mine`. */
export const ownerKey: Step = {
  rest: "POST /api/keys",
  session: "admin",
  json: createKeyBody(VIEW_SCOPES),
  save: { key_id: "/key_id" },
  saveCredential: { mine: "/{binding.key_value_field}" },
};

/** Returns the steps that set the guidance and the context of the owner's workspace, where the target has tools for them. */
export function createOwnerContext(offers: SystemUnderTest["offers"]): Step[] {
  return [
    { tool: "set_guidance", arguments: { guidance: OWNER_MARK } },
    { tool: "set_workspace_context", arguments: { context: OWNER_MARK } },
  ]
    .filter((mcp) => findToolBindings(mcp).every((name) => offers(`binding.${name}`)))
    .map((mcp) => ({ mcp }));
}

/** The expected data of the owner after all requests from other workspaces. */
export const ownerAssertions: readonly Assertion[] = [
  expectSeen("GET /api/jobs/{live}", { workflow: "standard_audit", status: { not: "cancelled" } }),
  expectSeen("GET /api/jobs/{job}", { workflow: "audit", status: "cancelled" }),
  ...["standard_audit", "audit"].map((workflow) =>
    expectSeen(`GET /api/repos/${SPARE}/jobs`, { data: { length: 1 } }, { workflow }),
  ),
  expectSeen(`GET /api/repos/${SPARE}/jobs`, { data: [{ id: "{fix}" }] }, { workflow: "fix" }),
  // the fix may open a pull request, and a merge closes the observation as fixed
  expectSeen("GET /api/observations/{ref}", {
    title: OWNER_MARK,
    acknowledged_at: { absentOrNull: true },
    close_reason: { not: { in: ["dismissed", "completed"] } },
  }),
  expectSeen("GET /api/observations/{closed}", { status: "closed", close_reason: "completed" }),
  expectSeen(`GET /api/repos/${SPARE}`),
];

/** The owner's key must still work. */
export const ownerKeyAssertion: Assertion = expectSeen("GET /api/jobs", undefined, { limit: 1 }, "mine");

function expectSeen(rest: string, json?: object, query?: Step["query"], as?: string): Assertion {
  return {
    step: { rest, ...(query && { query }), ...(as && { as, retry: false }), expect: { status: 200, ...(json && { json }) } },
    clauses: ["KEY-WORKSPACE"],
    why: `${rest} shows that a key of another workspace has changed the owner's data`,
  };
}
