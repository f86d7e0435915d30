import type { Step } from "../../engine/scenario/format.js";
import {
  type CloseReason,
  type ObservationStatus,
  stateAfterTriage,
  type TriageAction,
  triageStatement,
} from "../statements/observations.js";
import { operationStatement } from "../statements/operations.js";
import { SPARE_SLUG } from "../statements/setup-steps.js";
import type { Assertion } from "./assertion.js";

/** What must be seen of an observation. Whether it stays acknowledged when it is opened again is not said: then `unknown`. */
export interface ObservationState {
  status: ObservationStatus;
  closeReason: CloseReason | null;
  acknowledged: boolean | "unknown";
}

/** An observation that nothing has touched. */
export const untouched: ObservationState = { status: "new", closeReason: null, acknowledged: false };

const NOTE = "Done by one surface, seen by the other.";

/** The request of a change of an observation and what it then is; undefined where the text does not say what the change does. */
export function triageAction(
  act: TriageAction,
  by: "rest" | "tool",
  thing: number,
  { status, acknowledged }: ObservationState,
): { step: Step; observation: ObservationState } | undefined {
  const next = stateAfterTriage(status, act);
  if (!next) return undefined;
  const { route, setsAcknowledgedAt, from, body } = triageStatement(act);
  const ref = `{ref${thing}}`;
  const step: Step =
    by === "rest"
      ? { rest: route.replace("{ref}", ref), ...(body && { json: body(NOTE) }) }
      : { mcp: { tool: operationStatement(route).tool ?? "", arguments: { ref, ...body?.(NOTE) } } };
  const reopened = from === "closed" && acknowledged ? "unknown" : acknowledged;
  return { step, observation: { ...next, acknowledged: setsAcknowledgedAt ? true : reopened } };
}

/** What both surfaces must show of an observation after a change. */
export function triageAssertions(
  thing: number,
  { status, closeReason, acknowledged }: ObservationState,
  act: TriageAction,
): Assertion[] {
  const { clause, route } = triageStatement(act);
  const ref = `{ref${thing}}`;
  const stamp =
    acknowledged === "unknown" ? {} : { acknowledged_at: acknowledged ? { type: "timestamp" } : { absentOrNull: true } };
  const shown = { status, close_reason: closeReason ?? { absentOrNull: true }, ...stamp };
  const listed = (of: string, expected: unknown): Step & { expect: object } => ({
    mcp: { tool: "list_observations", arguments: { repo: SPARE_SLUG, status: of } },
    expect: { content: expected },
  });
  const itself = { matches: `${ref}(?![0-9])` };
  return [
    {
      step: { rest: `GET /api/observations/${ref}`, expect: { status: 200, json: shown } },
      clauses: [operationStatement(route).toolClause ?? "", clause],
      why: `after ${act} REST does not show what was done`,
    },
    { step: listed(status, itself), clauses: ["MCP-TOOL-OBS-LIST"], why: `after ${act} the tool does not list it as ${status}` },
    {
      step: listed(status === "new" ? "closed" : "new", { not: itself }),
      clauses: ["MCP-TOOL-OBS-LIST"],
      why: `after ${act} the tool still lists it as it was`,
    },
  ];
}
