import type { JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { createInconclusive } from "../laws/outcome.js";
import {
  type CloseReason,
  findStateAfterTriage,
  findTriageStatement,
  isRepeatable,
  type ObservationKind,
  type ObservationStatus,
  observationKinds,
  type TriageAction,
  triageActionNames,
} from "../statements/observations.js";
import { findOperationStatement } from "../statements/operations.js";
import type { Route } from "../statements/routes.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";
import { type RowAssertion, runScript, type Script, UNJUDGED_STATUSES } from "./row-script.js";

/** The states of an observation, and the steps that lead to each: open ones with a PR or an earlier change, and closed ones by reason. */
const states = {
  new: { status: "new", by: [] },
  acknowledged: { status: "new", by: [triage("acknowledge")] },
  "with a fix PR": { status: "new", by: [drive("open-fix-pr")] },
  "with a closed fix PR": { status: "new", by: [drive("open-fix-pr"), drive("close-fix-pr")] },
  reopened: { status: "new", by: [triage("dismiss"), triage("reopen")] },
  "reopened twice": { status: "new", by: [triage("complete"), triage("reopen"), triage("dismiss"), triage("reopen")] },
  "acknowledged and dismissed": { status: "closed", closeReason: "dismissed", by: [triage("acknowledge"), triage("dismiss")] },
  dismissed: { status: "closed", closeReason: "dismissed", by: [triage("dismiss")] },
  completed: { status: "closed", closeReason: "completed", by: [triage("complete")] },
  fixed: { status: "closed", closeReason: "fixed", by: [drive("open-fix-pr"), drive("merge-fix-pr")] },
  expired: { status: "closed", closeReason: "expired", by: [drive("expire-observation")] },
} as const satisfies Record<string, { status: ObservationStatus; closeReason?: CloseReason; by: readonly Step[] }>;

type State = keyof typeof states;
type Action = TriageAction | "fix" | "publish-ticket";

interface ObservationPair extends PairRow {
  kind: ObservationKind;
  state: State;
  act: Action;
  by: "rest" | "tool";
}

/** Another finding at the same place, which must not change. */
const OTHER_OBSERVATION_STEP: Step = {
  drive: "find",
  with: { repo: "{repo}", observation: { kind: "finding", title: "Beside {unique}" } },
  save: { beside: "/result/ref" },
};
const [FIX, TICKET] = ["POST /api/observations/{ref}/fix", "POST /api/observations/{ref}/publish-ticket"] as const;
const FIX_ON_CLOSED_CLAUSE = "OBS-FIX-ON-CLOSED";
const NO_TRACKER_CLAUSE = { rest: "OBS-TICKET-NOINTEGRATION", tool: "MCP-TOOL-TICKET-INTEGRATION" };
const NOTE = "Sent in each state by the runner.";

const actions: readonly Action[] = [...triageActionNames, "fix", "publish-ticket"];
/** A finding in every state, and each other kind in an open and a closed one. */
const statesOfKind: Readonly<Record<ObservationKind, readonly State[]>> = {
  finding: Object.keys(states) as State[],
  suggestion: ["new", "completed"],
  advisory: ["new", "completed"],
};
const rows: readonly ObservationPair[] = observationKinds.flatMap((kind) =>
  statesOfKind[kind].flatMap((state) =>
    actions.flatMap((act) => {
      // OBS-COMPLETE-CLOSES is about what was resolved outside a PR of the service, so the result with an open PR is open.
      if (state === "with a fix PR" && act === "complete") return [];
      return (["rest", "tool"] as const).map((by): ObservationPair => {
        const judges = listJudges(state, act, by).map((judgedPoint) => ({
          ...judgedPoint,
          covers: { ...judgedPoint.covers, "observation kind": kind },
        }));
        return { name: `${act} by ${by}, ${kind}, ${state}`, kind, state, act, by, judges };
      });
    }),
  ),
);

function listJudges(state: State, act: Action, by: "rest" | "tool"): JudgedPoint[] {
  const { status, closeReason } = expectState(state);
  const surface = by === "rest" ? "rest" : "mcp";
  const reason = closeReason === undefined ? {} : { "close reason": closeReason };
  if (act === "publish-ticket") return []; // the repository decides which clause applies
  if (act === "fix")
    return closeReason === undefined || by === "tool" ? [] : [{ clause: FIX_ON_CLOSED_CLAUSE, surface, covers: reason }];
  const { clause, secondClause, wrongStatusClause, route } = findTriageStatement(act);
  const moves = findStateAfterTriage(status, act) !== undefined;
  if (by === "tool")
    return moves ? [{ clause: findOperationStatement(route).toolClause ?? "", surface, covers: createCategory(act) }] : [];
  const closed = closeReason === undefined ? {} : { ...reason, "action on a closed observation": route };
  if (!moves) return [{ clause: wrongStatusClause, surface, covers: closed }];
  return [clause, ...(secondClause === undefined ? [] : [secondClause])].map((one) => ({
    clause: one,
    surface,
    covers: { ...reason, ...createCategory(act) },
  }));
}

function createCategory(act: Action): JudgedPoint["covers"] {
  return act === "dismiss" ? { "client category": "other" } : {};
}

/** OBS-*: the result of each action on an observation of each state, on both surfaces. */
export const observationPairs = createTableProperty<ObservationPair, undefined>({
  id: "pairs-of-observation-state-and-action",
  title: "Each action on an observation in each state, on each surface, has the result of the table, and changes nothing else",
  kind: "pairs of observation state and action",
  needs: ["worlds", "drive.find"],
  effects: ["read", "write", "paid"],
  proves: [
    ...rows.flatMap(({ judges }) => judges.map(({ clause }) => clause)),
    ...[
      "OBS-FIELD-ACK-NULL",
      "OBS-FIX-STAYS-NEW",
      "OBS-FIX-FIELD-IDS",
      FIX_ON_CLOSED_CLAUSE,
      "OBS-TICKET-ROUTE",
      "MCP-TOOL-TICKET",
      "MCP-TOOL-FIX",
    ],
    ...Object.values(NO_TRACKER_CLAUSE),
  ],
  rows,
  open: async () => ({ ok: true, context: undefined }),
  tryRow: tryAction,
});

async function tryAction(
  sut: SystemUnderTest,
  _: undefined,
  { name, kind, state, act, by }: ObservationPair,
): Promise<RowOutcome> {
  if (by === "tool" && !sut.offers("surface.mcp")) return createInconclusive("the target has no tool server");
  const { status, closeReason, by: steps } = expectState(state);
  const missingEvent = steps.find(({ drive: event }) => event !== undefined && !sut.offers(`drive.${event}`));
  if (missingEvent) return createInconclusive(`the target offers no drive.${missingEvent.drive}`);
  const find: Step = {
    drive: "find",
    with: { repo: "{repo}", observation: { kind, title: `${name} {unique}` } },
    save: { ref: "/result/ref" },
  };
  const sameState = { status: 200, json: { status, close_reason: closeReason ?? { absentOrNull: true } } };
  const there: Step = { rest: "GET /api/observations/{ref}", until: { within: "30s", every: "2s" }, given: sameState };
  const assertions = [...createAssertions(sut, state, act, by), ...createSideAssertions(state, act)];
  const script: Script = { setup: [OTHER_OBSERVATION_STEP, find, ...steps, there], assertions };
  const outcome = await runScript(sut, script);
  if (outcome.verdict === "passed") sut.coverage.reach("observation transitions", `${state}: ${act}`);
  return outcome;
}

function createAssertions(sut: SystemUnderTest, state: State, act: Action, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = expectState(state);
  if (act === "fix") return createFixAssertions(state, by);
  if (act === "publish-ticket") return createTicketAssertions(sut, state, by);
  const { clause, wrongStatusClause, setsAcknowledgedAt, body, route } = findTriageStatement(act);
  const next = findStateAfterTriage(status, act);
  const own = by === "tool" ? (findOperationStatement(route).toolClause ?? clause) : clause;
  const sentStep = createRequest(route, by, body?.(NOTE));
  if (!next)
    return [
      {
        step: { ...sentStep, expect: { status: { lt: 500 } } },
        clauses: [wrongStatusClause],
        why: `${act} of an observation that is ${state} causes a server failure`,
      },
      shows({ status, closeReason }, wrongStatusClause, `${act} changes an observation that is ${state}`),
    ];
  const why = `${act} of an observation that is ${state} does not have the result of the table`;
  const stamp = setsAcknowledgedAt && { acknowledged_at: { type: "timestamp" } };
  const again = state === "acknowledged" && isRepeatable(act);
  const response = again ? { status: { lt: 500 } } : expectServed(by);
  return [
    {
      step: { ...sentStep, expect: response },
      clauses: [own],
      why: `${act} of an observation that is ${state} is refused`,
      excused: UNJUDGED_STATUSES,
    },
    ...(act === "reopen" ? [shows({ status: next.status }, own, why)] : []),
    shows(next, by === "rest" && act === "reopen" ? "OBS-REOPEN-CLEARS" : own, why, stamp),
  ];
}

/** Checks that only an acknowledgement sets `acknowledged_at`, and that another finding at the same place is unchanged. */
function createSideAssertions(state: State, act: Action): RowAssertion[] {
  const newFields = { status: "new", close_reason: { absentOrNull: true }, acknowledged_at: null };
  const clause =
    act === "fix" ? "OBS-FIX-STAYS-NEW" : act === "publish-ticket" ? "OBS-TICKET-ROUTE" : findTriageStatement(act).clause;
  const beside: RowAssertion = {
    step: { rest: "GET /api/observations/{beside}", expect: { status: 200, json: newFields } },
    clauses: [clause],
    why: `${act} of an observation that is ${state} changes another observation`,
  };
  if (act === "acknowledge" || state.startsWith("acknowledged")) return [beside];
  const unacknowledged = { rest: "GET /api/observations/{ref}", expect: { status: 200, json: { acknowledged_at: null } } };
  return [
    {
      step: unacknowledged,
      clauses: ["OBS-FIELD-ACK-NULL"],
      why: `${act} of an observation that is ${state} sets acknowledged_at`,
    },
    beside,
  ];
}

/** OBS-FIX-*: the contract does not show when an open observation is not fixable, so only an accepted fix is judged. */
function createFixAssertions(state: State, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = expectState(state);
  const sentStep = createRequest(FIX, by, by === "rest" ? {} : undefined);
  if (status === "closed") {
    const jobs: Step = { rest: "GET /api/repos/{repo}/jobs", query: { workflow: "fix", limit: 200 } };
    const clauses = [FIX_ON_CLOSED_CLAUSE];
    return [
      {
        step: { ...jobs, save: { fixes: "/data/length" }, expect: { status: 200 } },
        clauses,
        why: "the list of jobs cannot be read",
        excused: [400, 401, 403, 404, 422, 500, ...UNJUDGED_STATUSES],
      },
      {
        step: { ...sentStep, expect: by === "rest" ? { status: "4xx" } : { refused: true } },
        clauses,
        why: `a fix of an observation that is ${state} is not refused`,
      },
      {
        step: { ...jobs, expect: { status: 200, json: { data: { length: "{fixes}" } } } },
        clauses,
        why: `a fix of an observation that is ${state} is started`,
      },
      shows({ status, closeReason }, FIX_ON_CLOSED_CLAUSE, `a refused fix changes an observation that is ${state}`),
    ];
  }
  const response = { json: { fields: { attempt_id: { type: "string" }, job_id: { type: "string" } } } };
  return [
    {
      step: { ...sentStep, expect: by === "rest" ? { status: "2xx", ...response } : { status: { lt: 500 } } },
      clauses: ["OBS-FIX-FIELD-IDS"],
      why: "the response to a fix lacks its ids",
      excused: [400, 403, 409, 422, ...UNJUDGED_STATUSES],
    },
    shows({ status, closeReason }, "OBS-FIX-STAYS-NEW", `a fix closes an observation that is ${state}`),
  ];
}

function createTicketAssertions(sut: SystemUnderTest, state: State, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = expectState(state);
  const slug = sut.lookup("slug");
  const hasTracker = sut.lookup("binding.tickets.with") === slug;
  const hasNoTracker = sut.lookup("binding.tickets.without") === slug;
  const sentStep = createRequest(TICKET, by, by === "rest" ? {} : undefined);
  const [clause, expect] = hasTracker
    ? [by === "rest" ? "OBS-TICKET-ROUTE" : "MCP-TOOL-TICKET", expectServed(by)]
    : [NO_TRACKER_CLAUSE[by], by === "rest" ? { status: 422 } : { refused: true as const }];
  const isKnown = status === "new" && (hasTracker || hasNoTracker);
  return [
    {
      step: { ...sentStep, expect: isKnown ? expect : { status: { lt: 500 } } },
      clauses: [clause],
      why: `a ticket for an observation that is ${state} gets another response`,
      excused: UNJUDGED_STATUSES,
    },
    shows({ status, closeReason }, clause, `a ticket changes an observation that is ${state}`),
  ];
}

function expectServed(by: "rest" | "tool") {
  return by === "rest" ? { status: "2xx" } : { content: { type: "string" } };
}

function shows(
  { status, closeReason }: { status: ObservationStatus; closeReason?: CloseReason | null },
  clause: string,
  why: string,
  more: object = {},
): RowAssertion {
  const reason = closeReason === undefined ? {} : { close_reason: closeReason ?? { absentOrNull: true } };
  const json = { status, ...reason, ...more };
  return { step: { rest: "GET /api/observations/{ref}", expect: { status: 200, json } }, clauses: [clause], why };
}

function createRequest(route: Route, by: "rest" | "tool", body: object | undefined): Step {
  if (by === "rest") return { rest: route, ...(body && { json: body }) };
  return { mcp: { tool: findOperationStatement(route).tool ?? "", arguments: { ref: "{ref}", ...body } } };
}

function expectState(state: State): { status: ObservationStatus; closeReason?: CloseReason; by: readonly Step[] } {
  return states[state];
}

function triage(name: TriageAction): Step {
  const { route, body } = findTriageStatement(name);
  return { rest: route, ...(body && { json: body("Changed by the runner.") }) };
}

function drive(event: string): Step {
  return { drive: event, with: { ref: "{ref}" } };
}
