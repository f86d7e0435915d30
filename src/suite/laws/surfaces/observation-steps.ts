import type { Step } from "../../../engine/scenario/format.js";
import {
  type CloseReason,
  findStateAfterTriage,
  findTriageStatement,
  type ObservationStatus,
  type TriageAction,
} from "../../statements/observations.js";
import { findOperationStatement } from "../../statements/operations.js";
import { SPARE_SLUG } from "../../statements/setup-steps.js";
import type { Assertion } from "../steps.js";

/** The expected fields of an observation. The contract does not state whether a reopened one stays acknowledged: then `unknown`. */
export interface ObservationState {
  status: ObservationStatus;
  closeReason: CloseReason | null;
  acknowledged: boolean | "unknown";
}

/** A new observation. */
export const newObservation: ObservationState = { status: "new", closeReason: null, acknowledged: false };

const NOTE = "Changed by the runner.";

/** Returns the request of a triage action and the state after it; undefined where the result is open. */
export function createTriageStep(
  act: TriageAction,
  by: "rest" | "tool",
  item: number,
  { status, acknowledged }: ObservationState,
): { step: Step; observation: ObservationState } | undefined {
  const next = findStateAfterTriage(status, act);
  if (!next) return undefined;
  const { route, setsAcknowledgedAt, from, body } = findTriageStatement(act);
  const ref = `{ref${item}}`;
  const step: Step =
    by === "rest"
      ? { rest: route.replace("{ref}", ref), ...(body && { json: body(NOTE) }) }
      : { mcp: { tool: findOperationStatement(route).tool ?? "", arguments: { ref, ...body?.(NOTE) } } };
  const reopened = from === "closed" && acknowledged ? "unknown" : acknowledged;
  return { step, observation: { ...next, acknowledged: setsAcknowledgedAt ? true : reopened } };
}

/** Returns the state of an observation that both surfaces must show after an action. */
export function createTriageAssertions(
  item: number,
  { status, closeReason, acknowledged }: ObservationState,
  act: TriageAction,
  by: "rest" | "tool",
): Assertion[] {
  const { clause, route } = findTriageStatement(act);
  const { toolClause = clause } = findOperationStatement(route);
  const ref = `{ref${item}}`;
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
      clauses: [by === "tool" ? toolClause : clause],
      why: `REST does not show the result of ${act}`,
    },
    {
      step: listed(status, itself),
      clauses: ["MCP-TOOL-OBS-LIST"],
      why: `the tool does not list the observation as ${status} after ${act}`,
    },
    {
      step: listed(status === "new" ? "closed" : "new", { not: itself }),
      clauses: ["MCP-TOOL-OBS-LIST"],
      why: `the tool still lists the earlier status after ${act}`,
    },
  ];
}
