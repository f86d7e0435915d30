import { expect, test } from "vitest";
import type { ModelRequest } from "../../../../src/suite/model/rules/request.js";
import type { Observation, ObservationState, States } from "../../../../src/suite/model/rules/states.js";
import { advanceTime, rediscoverObservation } from "../../../../src/suite/model/rules/time.js";
import type { Operation } from "../../../../src/suite/statements/operations.js";
import { type Exchange, freshStates, job, judgeExchanges, observation, refusal, rest, toolResponse } from "../responses.js";

const openState: ObservationState = { status: "new", reason: null, acknowledged: false, pull: "none" };
const closed = (reason: ObservationState["reason"], category?: string): ObservationState => ({
  ...openState,
  status: "closed",
  reason,
  ...(category !== undefined && { category }),
});
const createStates = (state: ObservationState, more: Partial<Observation> = {}): States => ({
  ...freshStates,
  observations: { o: observation([state], more) },
});
const request = (verb: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  what: `POST /api/observations/{ref}/${verb}` as Operation,
  by: "rest",
  as: "full",
  ref: "o",
  ...more,
});
const dismiss = request("dismiss", { with: { dismissal_category: "stale", dismissal_note: "{text:20}" } });
const short = request("dismiss", {
  with: { dismissal_category: "stale", dismissal_note: "{text:9}" },
  flaw: "OBS-DISMISS-NOTE-SHORT",
});
const readRequest: ModelRequest = { what: "GET /api/observations/{ref}", by: "rest", as: "full", ref: "o" };
const list = (query: Record<string, string>): ModelRequest => ({
  what: "GET /api/observations",
  by: "rest",
  as: "full",
  ref: "o",
  query,
  walk: true,
});
const view = (status: string, close_reason: string | null, acknowledged_at: string | null = null) =>
  rest(200, { ref: "o", status, close_reason, acknowledged_at });
const rows = (...refs: string[]) =>
  rest(200, { data: refs.map((ref) => ({ ref, status: "new", kind: "finding" })), has_more: false, next_cursor: null });
const conflict = refusal(409, "conflict");
const stamp = "2030-01-01T00:00:00Z";
const lane = createStates({ ...openState, pull: "open" });
const tracked = ((states: States): States => ({ ...states, repos: { repo: { ...states.repos.repo!, tickets: true } } }))(
  createStates(openState),
);

const allowed: [what: string, states: States, exchanges: Exchange[]][] = [
  [
    "dismissed and shown so",
    createStates(openState),
    [
      [dismiss, rest(200)],
      [readRequest, view("closed", "dismissed")],
    ],
  ],
  [
    "completed, then dismissed in vain",
    createStates(openState),
    [
      [request("complete"), rest(202)],
      [dismiss, rest(200)],
      [readRequest, view("closed", "completed")],
    ],
  ],
  [
    "acknowledged and stamped",
    createStates(openState),
    [
      [request("acknowledge"), rest(200)],
      [readRequest, view("new", null, stamp)],
    ],
  ],
  [
    "reopened",
    createStates(closed("fixed")),
    [
      [request("reopen"), rest(204)],
      [readRequest, view("new", null)],
    ],
  ],
  [
    "reopening an open observation is refused",
    createStates(openState),
    [
      [request("reopen"), conflict],
      [readRequest, view("new", null)],
    ],
  ],
  [
    "a fix is refused for reasons that are not shown",
    createStates(openState),
    [[request("fix"), refusal(422, "invalid_request_error", "observation_not_fixable")]],
  ],
  ["a fix of a closed one is refused", createStates(closed("completed")), [[request("fix"), conflict]]],
  [
    "one in the lane is new and not listed",
    lane,
    [
      [readRequest, view("new", null)],
      [list({ status: "new" }), rows("other")],
    ],
  ],
  [
    "a ticket without a tracker",
    createStates(openState),
    [[request("publish-ticket"), refusal(422, "invalid_request_error", "no_ticket_integration")]],
  ],
  [
    "a second ticket is refused",
    tracked,
    [
      [request("publish-ticket"), rest(200)],
      [request("publish-ticket", { by: "tool" }), toolResponse("It has one.", true)],
      [request("publish-ticket"), conflict],
    ],
  ],
  [
    "a tool dismisses",
    createStates(openState),
    [
      [{ ...dismiss, by: "tool" }, toolResponse("Done.")],
      [readRequest, view("closed", "dismissed")],
    ],
  ],
  [
    "a tool refuses a viewer",
    createStates(openState),
    [
      [{ ...dismiss, by: "tool", as: "viewer" }, toolResponse("No.", true)],
      [readRequest, view("new", null)],
    ],
  ],
  ["a body that is too short, in a wrong state", createStates(closed("fixed")), [[short, conflict]]],
];

test.each(allowed)("allows: %s", (_, states, exchanges) => {
  expect(judgeExchanges(states, exchanges)).toHaveProperty("states");
});

const invalidWireResponse = rest(422, {
  error: { type: "validation_error", code: "invalid_payload", message: "No.", request_id: "r", errors: [] },
});
const bareWireResponse = refusal(422, "validation_error", "invalid_payload");

const contradictions: [what: string, states: States, exchanges: Exchange[], clause: string][] = [
  ["dismissing an open one is refused", createStates(openState), [[dismiss, conflict]], "OBS-DISMISS-CLOSES"],
  [
    "dismissed and still open",
    createStates(openState),
    [
      [dismiss, rest(200)],
      [readRequest, view("new", null)],
    ],
    "OBS-DISMISS-CLOSES",
  ],
  [
    "completed and shown as fixed",
    createStates(openState),
    [
      [request("complete"), rest(200)],
      [readRequest, view("closed", "fixed")],
    ],
    "OBS-COMPLETE-CLOSES",
  ],
  [
    "acknowledged and closed",
    createStates(openState),
    [
      [request("acknowledge"), rest(200)],
      [readRequest, view("closed", null, stamp)],
    ],
    "OBS-ACK-STAMPS",
  ],
  [
    "acknowledged and not stamped",
    createStates(openState),
    [
      [request("acknowledge"), rest(200)],
      [readRequest, view("new", null)],
    ],
    "OBS-ACK-STAMPS",
  ],
  [
    "reopened with its reason kept",
    createStates(closed("fixed")),
    [
      [request("reopen"), rest(200)],
      [readRequest, view("new", "fixed")],
    ],
    "OBS-REOPEN-CLEARS",
  ],
  [
    "reopened and still closed",
    createStates(closed("fixed")),
    [
      [request("reopen"), rest(200)],
      [readRequest, view("closed", "fixed")],
    ],
    "OBS-REOPEN-OPENS",
  ],
  [
    "dismissed after it was completed",
    createStates(closed("completed")),
    [
      [dismiss, rest(200)],
      [readRequest, view("closed", "dismissed")],
    ],
    "OBS-ACTION-CLOSED",
  ],
  ["a fix of a closed one starts", createStates(closed("completed")), [[request("fix"), rest(201, {})]], "OBS-FIX-ON-CLOSED"],
  [
    "a fix names no attempt",
    createStates(openState),
    [[request("fix"), rest(201, { observation: { ref: "o", status: "new" }, job_id: "k" })]],
    "OBS-FIX-FIELD-IDS",
  ],
  [
    "a fix of a workflow file starts",
    createStates(openState, { inWorkflowFile: true }),
    [[request("fix"), rest(201, {})]],
    "ERR-CODE-WORKFLOW-FILE",
  ],
  ["one in the lane is listed as new", lane, [[list({ status: "new" }), rows("o")]], "OBS-LANE-EXCLUDED"],
  ["an open one is not listed as new", createStates(openState), [[list({ status: "new" }), rows("other")]], "OBS-FILTER-COMBINE"],
  ["a closed one is listed as new", createStates(closed("fixed")), [[list({ status: "new" }), rows("o")]], "OBS-FILTER-STATUS"],
  [
    "a list of closed ones has an open row",
    createStates(openState),
    [[list({ status: "closed" }), rows("other")]],
    "OBS-FILTER-STATUS",
  ],
  ["a note too short is taken", createStates(openState), [[short, rest(200)]], "OBS-DISMISS-NOTE-SHORT"],
  ["a note too short is refused without errors", createStates(openState), [[short, bareWireResponse]], "ERR-VALIDATION-ERRORS"],
  ["a ticket without a tracker", createStates(openState), [[request("publish-ticket"), rest(200)]], "OBS-TICKET-NOINTEGRATION"],
  ["a first ticket is refused", tracked, [[request("publish-ticket"), conflict]], "OBS-TICKET-ROUTE"],
  ["a viewer dismisses", createStates(openState), [[{ ...dismiss, as: "viewer" }, rest(200)]], "SCOPE-VIEW-TRIAGE"],
  [
    "a tool lets a viewer dismiss",
    createStates(openState),
    [[{ ...dismiss, by: "tool", as: "viewer" }, toolResponse("Done.")]],
    "MCP-SCOPE-TRIAGE",
  ],
];

test.each(contradictions)("refuses: %s", (_, states, exchanges, clause) => {
  expect(judgeExchanges(states, exchanges)).toMatchObject({
    at: exchanges.length - 1,
    clauses: expect.arrayContaining([clause]),
  });
});

test("a correctly refused body changes nothing", () => {
  expect(
    judgeExchanges(createStates(openState), [
      [short, invalidWireResponse],
      [readRequest, view("new", null)],
    ]),
  ).toHaveProperty("states");
});

const again: [category: string, statuses: string[]][] = [
  ["false_positive", ["closed"]],
  ["wont_fix", ["closed"]],
  ["out_of_scope", ["closed"]],
  ["stale", ["closed", "new"]],
  ["no_longer_found", ["closed", "new"]],
  ["other", ["closed", "new"]],
  ["exhausted_fix_attempts", ["closed", "new"]],
];

test.each(again)("an observation dismissed as %s may be %j after rediscovery", (category, statuses) => {
  const foundObservation = rediscoverObservation(observation([closed("dismissed", category)]));
  expect(foundObservation.possible.map(({ status }) => status)).toEqual(statuses);
});

test("only a run in its repository may change an observation, and a fix only opens a pull request", () => {
  const run = (more: Partial<Parameters<typeof job>[1] & object>) => ({
    ...createStates(openState),
    jobs: { j: job(["running"], more) },
  });
  const possible = (states: States) => advanceTime(states, 1).observations.o?.possible;
  expect(possible(run({}))).toHaveLength(5);
  expect(possible(run({ repo: "spare1" }))).toEqual([openState]);
  expect(possible(run({ workflow: "fix", ref: "o" }))).toEqual([{ ...openState, pull: null }]);
});
