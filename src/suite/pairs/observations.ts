import type { JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import {
  type CloseReason,
  isRepeatable,
  type ObservationStatus,
  stateAfterTriage,
  type TriageAction,
  triageActionNames,
  triageStatement,
} from "../statements/observations.js";
import { operationStatement } from "../statements/operations.js";
import type { Route } from "../statements/routes.js";
import { ASIDE, play, type RowAssertion, type Script } from "./script.js";
import { type PairRow, propertyOfTable, type RowOutcome } from "./table.js";

/** How an observation can stand: by whom it was closed, what else there is about an open one, and what it has been through. */
const states = {
  new: { status: "new", by: [] },
  acknowledged: { status: "new", by: [act("acknowledge")] },
  "with a fix PR": { status: "new", by: [drive("open-fix-pr")] },
  "with a closed fix PR": { status: "new", by: [drive("open-fix-pr"), drive("close-fix-pr")] },
  reopened: { status: "new", by: [act("dismiss"), act("reopen")] },
  "reopened twice": { status: "new", by: [act("complete"), act("reopen"), act("dismiss"), act("reopen")] },
  "acknowledged and dismissed": { status: "closed", closeReason: "dismissed", by: [act("acknowledge"), act("dismiss")] },
  dismissed: { status: "closed", closeReason: "dismissed", by: [act("dismiss")] },
  completed: { status: "closed", closeReason: "completed", by: [act("complete")] },
  fixed: { status: "closed", closeReason: "fixed", by: [drive("open-fix-pr"), drive("merge-fix-pr")] },
  expired: { status: "closed", closeReason: "expired", by: [drive("expire-observation")] },
} as const satisfies Record<string, { status: ObservationStatus; closeReason?: CloseReason; by: readonly Step[] }>;

type State = keyof typeof states;
type Act = TriageAction | "fix" | "publish-ticket";

interface ObservationPair extends PairRow {
  state: State;
  act: Act;
  by: "rest" | "tool";
}

/** Another, found before it at the same place. */
const BESIDE: Step = {
  drive: "find",
  with: { repo: "{repo}", observation: { kind: "finding", title: "Beside {unique}" } },
  save: { beside: "/result/ref" },
};
const [FIX, TICKET] = ["POST /api/observations/{ref}/fix", "POST /api/observations/{ref}/publish-ticket"] as const;
const FIX_ON_CLOSED = "OBS-FIX-ON-CLOSED";
const NO_TRACKER = { rest: "OBS-TICKET-NOINTEGRATION", tool: "MCP-TOOL-TICKET-INTEGRATION" };
const NOTE = "Asked of each state by the examiner.";

const acts: readonly Act[] = [...triageActionNames, "fix", "publish-ticket"];
const rows: readonly ObservationPair[] = (Object.keys(states) as State[]).flatMap((state) =>
  acts.flatMap((act) =>
    (["rest", "tool"] as const).map((by): ObservationPair => {
      return { name: `${act} by ${by} of one ${state}`, state, act, by, judges: judgesOf(state, act, by) };
    }),
  ),
);

function judgesOf(state: State, act: Act, by: "rest" | "tool"): JudgedPoint[] {
  const { status, closeReason } = stateText(state);
  const surface = by === "rest" ? "rest" : "mcp";
  const reason = closeReason === undefined ? {} : { "close reason": closeReason };
  if (act === "publish-ticket") return []; // which of its clauses depends on the repository
  if (act === "fix")
    return closeReason === undefined || by === "tool" ? [] : [{ clause: FIX_ON_CLOSED, surface, covers: reason }];
  const { clause, secondClause, wrongStatusClause, route } = triageStatement(act);
  const moves = stateAfterTriage(status, act) !== undefined;
  if (by === "tool")
    return moves ? [{ clause: operationStatement(route).toolClause ?? "", surface, covers: ofCategory(act) }] : [];
  const closed = closeReason === undefined ? {} : { ...reason, "action on a closed observation": route };
  if (!moves) return [{ clause: wrongStatusClause, surface, covers: closed }];
  return [clause, ...(secondClause === undefined ? [] : [secondClause])].map((one) => ({
    clause: one,
    surface,
    covers: { ...reason, ...ofCategory(act) },
  }));
}

function ofCategory(act: Act): JudgedPoint["covers"] {
  return act === "dismiss" ? { "client category": "other" } : {};
}

/** OBS-*: what an observation of each state becomes of each thing that is asked of it, on both surfaces. */
export const observationPairs = propertyOfTable<ObservationPair, undefined>({
  id: "pairs-of-observation-state-and-action",
  title:
    "An observation of each state, acted on in each way on each surface, becomes what the table says, and else stays as it is",
  kind: "pairs of observation state and action",
  needs: ["worlds", "drive.find"],
  effects: ["read", "write", "paid"],
  proves: [
    ...rows.flatMap(({ judges }) => judges.map(({ clause }) => clause)),
    ...[
      "OBS-FIELD-ACK-NULL",
      "OBS-FIX-STAYS-NEW",
      "OBS-FIX-FIELD-IDS",
      FIX_ON_CLOSED,
      "OBS-TICKET-ROUTE",
      "MCP-TOOL-TICKET",
      "MCP-TOOL-FIX",
    ],
    ...Object.values(NO_TRACKER),
  ],
  rows,
  open: async () => ({ ok: true, context: undefined }),
  tryRow: tryAct,
});

async function tryAct(sut: SystemUnderTest, _: undefined, { name, state, act, by }: ObservationPair): Promise<RowOutcome> {
  if (by === "tool" && !sut.offers("surface.mcp")) return { verdict: "unsaid", why: "there is no tool server" };
  const { status, closeReason, by: steps } = stateText(state);
  const undriven = steps.find(({ drive: event }) => event !== undefined && !sut.offers(`drive.${event}`));
  if (undriven) return { verdict: "unsaid", why: `the target offers no drive.${undriven.drive}` };
  const find: Step = {
    drive: "find",
    with: { repo: "{repo}", observation: { kind: "finding", title: `${name} {unique}` } },
    save: { ref: "/result/ref" },
  };
  const stands = { status: 200, json: { status, close_reason: closeReason ?? { absentOrNull: true } } };
  const there: Step = { rest: "GET /api/observations/{ref}", until: { within: "30s", every: "2s" }, given: stands };
  const assertions = [...assertionsOf(sut, state, act, by), ...aside(state, act)];
  const script: Script = { setUp: [BESIDE, find, ...steps, there], assertions };
  const outcome = await play(sut, script);
  if (outcome.verdict === "kept") sut.coverage.reach("observation transitions", `${state}: ${act}`);
  return outcome;
}

function assertionsOf(sut: SystemUnderTest, state: State, act: Act, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = stateText(state);
  if (act === "fix") return fixing(state, by);
  if (act === "publish-ticket") return ticketing(sut, state, by);
  const { clause, wrongStatusClause, setsAcknowledgedAt, body, route } = triageStatement(act);
  const next = stateAfterTriage(status, act);
  const own = by === "tool" ? (operationStatement(route).toolClause ?? clause) : clause;
  const asked = request(route, by, body?.(NOTE));
  if (!next)
    return [
      {
        step: { ...asked, expect: { status: { lt: 500 } } },
        clauses: [wrongStatusClause],
        why: `${act} of one ${state} is a fault of the server`,
      },
      shows({ status, closeReason }, wrongStatusClause, `${act} changes one ${state}`),
    ];
  const shown = shows(
    next,
    clause,
    `${act} does not do to one ${state} what the table says`,
    setsAcknowledgedAt && { acknowledged_at: { type: "timestamp" } },
  );
  const again = state === "acknowledged" && isRepeatable(act);
  const answer = again ? { status: { lt: 500 } } : served(by);
  return [
    { step: { ...asked, expect: answer }, clauses: [own], why: `${act} of one ${state} is refused`, excused: ASIDE },
    { ...shown, clauses: [...new Set([own, clause])] },
  ];
}

/** Nothing but an acknowledgement setsAcknowledgedAt; and what is found at the same place stays as it was found. */
function aside(state: State, act: Act): RowAssertion[] {
  const untouched = { status: "new", close_reason: { absentOrNull: true }, acknowledged_at: null };
  const clause =
    act === "fix" ? "OBS-FIX-STAYS-NEW" : act === "publish-ticket" ? "OBS-TICKET-ROUTE" : triageStatement(act).clause;
  const beside: RowAssertion = {
    step: { rest: "GET /api/observations/{beside}", expect: { status: 200, json: untouched } },
    clauses: [clause],
    why: `${act} of one ${state} changes another`,
  };
  if (act === "acknowledge" || state.startsWith("acknowledged")) return [beside];
  const unstamped = { rest: "GET /api/observations/{ref}", expect: { status: 200, json: { acknowledged_at: null } } };
  return [
    { step: unstamped, clauses: ["OBS-FIELD-ACK-NULL"], why: `${act} setsAcknowledgedAt one ${state} as acknowledged` },
    beside,
  ];
}

/** OBS-FIX-*: when an open one is not fixable is not shown, so only a fix that was spawned is judged. */
function fixing(state: State, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = stateText(state);
  const asked = request(FIX, by, by === "rest" ? {} : undefined);
  if (status === "closed") {
    const jobs: Step = { rest: "GET /api/repos/{repo}/jobs", query: { workflow: "fix", limit: 200 } };
    const clauses = [FIX_ON_CLOSED];
    return [
      {
        step: { ...jobs, save: { fixes: "/data/length" }, expect: { status: 200 } },
        clauses,
        why: "the jobs are not listed",
        excused: [400, 401, 403, 404, 422, 500, ...ASIDE],
      },
      {
        step: { ...asked, expect: by === "rest" ? { status: "4xx" } : { refused: true } },
        clauses,
        why: `a fix of one ${state} is not refused`,
      },
      {
        step: { ...jobs, expect: { status: 200, json: { data: { length: "{fixes}" } } } },
        clauses,
        why: `a fix of one ${state} is started`,
      },
      shows({ status, closeReason }, FIX_ON_CLOSED, `asking for a fix changes one ${state}`),
    ];
  }
  const answer = { json: { fields: { attempt_id: { type: "string" }, job_id: { type: "string" } } } };
  return [
    {
      step: { ...asked, expect: by === "rest" ? { status: "2xx", ...answer } : { status: { lt: 500 } } },
      clauses: ["OBS-FIX-FIELD-IDS"],
      why: "a fix does not say what it is",
      excused: [400, 403, 409, 422, ...ASIDE],
    },
    shows({ status, closeReason }, "OBS-FIX-STAYS-NEW", `a fix closes one ${state}`),
  ];
}

function ticketing(sut: SystemUnderTest, state: State, by: "rest" | "tool"): RowAssertion[] {
  const { status, closeReason = null } = stateText(state);
  const slug = sut.lookup("slug");
  const wired = sut.lookup("binding.tickets.with") === slug;
  const bare = sut.lookup("binding.tickets.without") === slug;
  const asked = request(TICKET, by, by === "rest" ? {} : undefined);
  const [clause, expect] = wired
    ? [by === "rest" ? "OBS-TICKET-ROUTE" : "MCP-TOOL-TICKET", served(by)]
    : [NO_TRACKER[by], by === "rest" ? { status: 422 } : { refused: true as const }];
  const known = status === "new" && (wired || bare);
  return [
    {
      step: { ...asked, expect: known ? expect : { status: { lt: 500 } } },
      clauses: [clause],
      why: `a ticket for one ${state} is answered otherwise`,
      excused: ASIDE,
    },
    shows({ status, closeReason }, clause, `a ticket changes one ${state}`),
  ];
}

function served(by: "rest" | "tool") {
  return by === "rest" ? { status: "2xx" } : { content: { type: "string" } };
}

function shows(
  { status, closeReason }: { status: ObservationStatus; closeReason: CloseReason | null },
  clause: string,
  why: string,
  more: object = {},
): RowAssertion {
  const json = { status, close_reason: closeReason ?? { absentOrNull: true }, ...more };
  return { step: { rest: "GET /api/observations/{ref}", expect: { status: 200, json } }, clauses: [clause], why };
}

function request(route: Route, by: "rest" | "tool", body: object | undefined): Step {
  if (by === "rest") return { rest: route, ...(body && { json: body }) };
  return { mcp: { tool: operationStatement(route).tool ?? "", arguments: { ref: "{ref}", ...body } } };
}

function stateText(state: State): { status: ObservationStatus; closeReason?: CloseReason; by: readonly Step[] } {
  return states[state];
}

function act(name: TriageAction): Step {
  const { route, body } = triageStatement(name);
  return { rest: route, ...(body && { json: body("Closed or seen by the examiner.") }) };
}

function drive(event: string): Step {
  return { drive: event, with: { ref: "{ref}" } };
}
