import type { Step } from "../scenario/format.js";
import type { Claim } from "./check.js";
import { SPARE_SLUG } from "./set-up.js";

/** What must be seen of an observation. Whether it stays acknowledged when it is opened again is not said: then `unknown`. */
export interface ObservationState {
  status: "new" | "closed";
  closeReason?: "dismissed" | "completed";
  acknowledged: boolean | "unknown";
}

type Act = "acknowledge" | "dismiss" | "complete" | "reopen";

const CLAUSES: Record<Act, readonly [tool: string, rest: string]> = {
  acknowledge: ["MCP-TOOL-ACK", "OBS-ACK-STAMPS"],
  dismiss: ["MCP-TOOL-DISMISS", "OBS-DISMISS-CLOSES"],
  complete: ["MCP-TOOL-COMPLETE", "OBS-COMPLETE-CLOSES"],
  reopen: ["MCP-TOOL-REOPEN", "OBS-REOPEN-OPENS"],
};
const BODIES: Record<Act, Record<string, string>> = {
  acknowledge: {},
  dismiss: { dismissal_category: "other", dismissal_note: "Done by one surface, seen by the other." },
  complete: { note: "Done by one surface, seen by the other." },
  reopen: { reopen_reason: "Done by one surface, seen by the other." },
};

/** The request of a change of an observation and what it then is; undefined where the text does not say what the change does. */
export function triageAction(
  act: Act,
  by: "rest" | "tool",
  thing: number,
  { status, acknowledged }: ObservationState,
): { step: Step; observation: ObservationState } | undefined {
  if ((act === "reopen") !== (status === "closed")) return undefined;
  const step: Step =
    by === "rest"
      ? { rest: `POST /api/observations/{ref${thing}}/${act}`, ...(act !== "acknowledge" && { json: BODIES[act] }) }
      : { mcp: { tool: `${act}_observation`, arguments: { ref: `{ref${thing}}`, ...BODIES[act] } } };
  switch (act) {
    case "acknowledge":
      return { step, observation: { status: "new", acknowledged: true } };
    case "reopen":
      return { step, observation: { status: "new", acknowledged: acknowledged ? "unknown" : false } };
    case "dismiss":
      return { step, observation: { status: "closed", closeReason: "dismissed", acknowledged } };
    case "complete":
      return { step, observation: { status: "closed", closeReason: "completed", acknowledged } };
    default:
      return act satisfies never;
  }
}

/** What both surfaces must show of an observation after a change. */
export function triageClaims(thing: number, { status, closeReason, acknowledged }: ObservationState, act: Act): Claim[] {
  const [tool, rest] = CLAUSES[act];
  const ref = `{ref${thing}}`;
  const stamp =
    acknowledged === "unknown" ? {} : { acknowledged_at: acknowledged ? { type: "timestamp" } : { absentOrNull: true } };
  const shown = { status, close_reason: closeReason ?? { absentOrNull: true }, ...stamp };
  const listed = (of: string, expected: unknown): Step & { expect: object } => ({
    mcp: { tool: "list_observations", arguments: { repo: SPARE_SLUG, status: of } },
    expect: { says: expected },
  });
  const itself = { matches: `${ref}(?![0-9])` };
  return [
    {
      step: { rest: `GET /api/observations/${ref}`, expect: { status: 200, json: shown } },
      clauses: [tool, rest],
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
