import type { Row } from "../../engine/scenario/format.js";
import type { Route } from "./routes.js";

/** The kinds of observations. OBS-FIELD-KIND. */
export const observationKinds = ["finding", "suggestion", "advisory"] as const;

/** The statuses of an observation. OBS-FIELD-STATUS. */
export const observationStatuses = ["new", "closed"] as const;

/** OBS-FIELD-PRIORITY */
export const priorities = ["P0", "P1", "P2", "P3"] as const;

/** OBS-FIELD-CATEGORY */
export const categories = ["security", "correctness", "maintainability", "performance", "architecture", "operations"] as const;

/** The reasons for which an observation is closed. OBS-FIELD-CLOSE-ENUM. */
export const closeReasons = ["fixed", "dismissed", "completed", "expired"] as const;

/** The score domains; no field of an observation shows them. OBS-FILTER-DOMAIN. */
export const domains = ["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"] as const;

/** A kind of observation. */
export type ObservationKind = (typeof observationKinds)[number];

/** A status of an observation. */
export type ObservationStatus = (typeof observationStatuses)[number];

/** A reason for which an observation is closed. */
export type CloseReason = (typeof closeReasons)[number];

/** A client's action on an observation: a row of the observation table of section 3. */
export interface TriageStatement {
  route: Route;
  from: ObservationStatus;
  to: ObservationStatus;
  /** The close reason after the action. */
  closeReason?: CloseReason;
  /** Whether the action sets `acknowledged_at`. */
  setsAcknowledgedAt?: true;
  /** Returns a valid body; `note` is the text of its required field. */
  body?(note: string): Row;
  clause: string;
  /** A second clause of the action. */
  secondClause?: string;
  /** The clause that leaves status and close reason unchanged in the other status. */
  wrongStatusClause: string;
}

/** The client's actions on an observation, by the last segment of the route. */
export const triageActions = {
  dismiss: {
    route: "POST /api/observations/{ref}/dismiss",
    from: "new",
    to: "closed",
    closeReason: "dismissed",
    body: (note: string) => ({ dismissal_category: "other", dismissal_note: note }),
    clause: "OBS-DISMISS-CLOSES",
    wrongStatusClause: "OBS-ACTION-CLOSED",
  },
  complete: {
    route: "POST /api/observations/{ref}/complete",
    from: "new",
    to: "closed",
    closeReason: "completed",
    body: (note: string) => ({ note }),
    clause: "OBS-COMPLETE-CLOSES",
    wrongStatusClause: "OBS-ACTION-CLOSED",
  },
  acknowledge: {
    route: "POST /api/observations/{ref}/acknowledge",
    from: "new",
    to: "new",
    setsAcknowledgedAt: true,
    clause: "OBS-ACK-STAMPS",
    secondClause: "OBS-ACK-OPEN",
    wrongStatusClause: "OBS-ACTION-CLOSED",
  },
  reopen: {
    route: "POST /api/observations/{ref}/reopen",
    from: "closed",
    to: "new",
    body: (note: string) => ({ reopen_reason: note }),
    clause: "OBS-REOPEN-OPENS",
    secondClause: "OBS-REOPEN-CLEARS",
    wrongStatusClause: "OBS-REOPEN-ON-NEW",
  },
} as const satisfies Record<string, TriageStatement>;

/** The name of an action. */
export type TriageAction = keyof typeof triageActions;

/** The names of the actions, in the order of the table. */
export const triageActionNames = Object.keys(triageActions) as readonly TriageAction[];

/** Returns the contract's statement about an action. */
export function findTriageStatement(act: TriageAction): TriageStatement {
  return triageActions[act];
}

/** Returns the status and close reason after an action; undefined where the table has no row, so both stay unchanged. */
export function findStateAfterTriage(
  status: ObservationStatus,
  act: TriageAction,
): { status: ObservationStatus; closeReason: CloseReason | null } | undefined {
  const { from, to, closeReason = null } = findTriageStatement(act);
  return from === status ? { status: to, closeReason } : undefined;
}

/** Returns whether an action keeps the status, so that it can be repeated. OBS-ACK-AGAIN: whether the server refuses the repetition is open. */
export function isRepeatable(act: TriageAction): boolean {
  const { from, to } = findTriageStatement(act);
  return from === to;
}

/** Returns the action of a route; undefined for other routes. */
export function findTriageAction(route: string): TriageAction | undefined {
  return triageActionNames.find((act) => triageActions[act].route === route);
}

/** The events of a fix pull request, by the event name in target files, and the observation's state after each. */
export const fixPrEvents = {
  "open-fix-pr": { status: "new", pull: "open", clause: "OBS-LANE-STATUS-NEW" },
  "revise-fix-pr": { status: "new", pull: "open", clause: "OBS-LANE-STATUS-NEW" },
  "merge-fix-pr": { status: "closed", closeReason: "fixed", pull: "merged", clause: "OBS-FIX-MERGED" },
  "close-fix-pr": { status: "new", pull: "closed", clause: "OBS-FIX-UNMERGED" },
} as const satisfies Record<string, { status: ObservationStatus; closeReason?: CloseReason; pull: FixPrState; clause: string }>;

/** The state of a fix pull request. */
export type FixPrState = "open" | "closed" | "merged";

/** A dismissal category of section 2. */
export interface DismissalCategory {
  /** Whether a client may use it. */
  client: boolean;
  /** Whether an observation with this category stays closed when it is found again. Otherwise it can reappear. */
  stays: boolean;
}

/** The dismissal categories. OBS-DISMISS-CATEGORY-ENUM, OBS-DISMISS-EXHAUSTED-SERVICE, OBS-REDISCOVER-*. */
export const dismissalCategories = {
  false_positive: { client: true, stays: true },
  wont_fix: { client: true, stays: true },
  out_of_scope: { client: true, stays: true },
  stale: { client: true, stays: false },
  no_longer_found: { client: true, stays: false },
  other: { client: true, stays: false },
  exhausted_fix_attempts: { client: false, stays: false },
} as const satisfies Record<string, DismissalCategory>;

/** The clauses for a dismissed observation that is found again. */
export const rediscovery = { stays: "OBS-REDISCOVER-STAY", reappears: "OBS-REDISCOVER-REAPPEAR" } as const;

/** The categories that a client may use. */
export const clientDismissalCategories: readonly string[] = Object.entries<DismissalCategory>(dismissalCategories).flatMap(
  ([name, { client }]) => (client ? [name] : []),
);

/** The category that only the service sets, after its last fix attempt fails. OBS-DISMISS-EXHAUSTED-SERVICE. */
export const serviceDismissalCategory = "exhausted_fix_attempts" satisfies keyof typeof dismissalCategories;

/** Returns whether an observation with this category stays closed when it is found again; false for an unknown category. */
export function staysDismissed(category: string | undefined): boolean {
  return Object.entries<DismissalCategory>(dismissalCategories).some(([name, { stays }]) => name === category && stays);
}
