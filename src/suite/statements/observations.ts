import type { Row } from "../../engine/scenario/format.js";
import type { Route } from "./routes.js";

/** What an observation is. OBS-FIELD-KIND. */
export const observationKinds = ["finding", "suggestion", "advisory"] as const;

/** Where an observation can stand. OBS-FIELD-STATUS. */
export const observationStatuses = ["new", "closed"] as const;

/** OBS-FIELD-PRIORITY */
export const priorities = ["P0", "P1", "P2", "P3"] as const;

/** OBS-FIELD-CATEGORY */
export const categories = ["security", "correctness", "maintainability", "performance", "architecture", "operations"] as const;

/** What an observation was closed for. OBS-FIELD-CLOSE-ENUM. */
export const closeReasons = ["fixed", "dismissed", "completed", "expired"] as const;

/** The score domains; no field shows them. OBS-FILTER-DOMAIN. */
export const domains = ["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"] as const;

/** A status of an observation. */
export type ObservationStatus = (typeof observationStatuses)[number];

/** A reason for which one is closed. */
export type CloseReason = (typeof closeReasons)[number];

/** What a client can make of an observation: a line of the observation table of section 3. */
export interface TriageText {
  route: Route;
  from: ObservationStatus;
  to: ObservationStatus;
  /** The reason that it is then closed for. */
  closeReason?: CloseReason;
  /** Whether `acknowledged_at` is stamped. */
  stamps?: true;
  /** A body that is taken; `note` stands in it where a text must. */
  body?(note: string): Row;
  clause: string;
  /** What must be so beside. */
  also?: string;
  /** The clause by which it changes neither status nor reason in the other status. */
  outOfPlace: string;
}

/** What a client can make of an observation, by the last segment of the route. */
export const triageActs = {
  dismiss: {
    route: "POST /api/observations/{ref}/dismiss",
    from: "new",
    to: "closed",
    closeReason: "dismissed",
    body: (note: string) => ({ dismissal_category: "other", dismissal_note: note }),
    clause: "OBS-DISMISS-CLOSES",
    outOfPlace: "OBS-ACTION-CLOSED",
  },
  complete: {
    route: "POST /api/observations/{ref}/complete",
    from: "new",
    to: "closed",
    closeReason: "completed",
    body: (note: string) => ({ note }),
    clause: "OBS-COMPLETE-CLOSES",
    outOfPlace: "OBS-ACTION-CLOSED",
  },
  acknowledge: {
    route: "POST /api/observations/{ref}/acknowledge",
    from: "new",
    to: "new",
    stamps: true,
    clause: "OBS-ACK-STAMPS",
    also: "OBS-ACK-OPEN",
    outOfPlace: "OBS-ACTION-CLOSED",
  },
  reopen: {
    route: "POST /api/observations/{ref}/reopen",
    from: "closed",
    to: "new",
    body: (note: string) => ({ reopen_reason: note }),
    clause: "OBS-REOPEN-OPENS",
    also: "OBS-REOPEN-CLEARS",
    outOfPlace: "OBS-REOPEN-ON-NEW",
  },
} as const satisfies Record<string, TriageText>;

/** One of them. */
export type TriageAct = keyof typeof triageActs;

/** Their names, in the order of the table. */
export const triageActNames = Object.keys(triageActs) as readonly TriageAct[];

/** What an act of triage does. */
export function triageText(act: TriageAct): TriageText {
  return triageActs[act];
}

/** What an act makes of an observation; undefined where the table has no line for it: then status and reason stay as they are. */
export function triaged(
  status: ObservationStatus,
  act: TriageAct,
): { status: ObservationStatus; closeReason: CloseReason | null } | undefined {
  const { from, to, closeReason = null } = triageText(act);
  return from === status ? { status: to, closeReason } : undefined;
}

/** OBS-ACK-AGAIN: whether an act leaves the status as it is, so that it can be done twice; whether the second is refused is not said. */
export function isRepeatable(act: TriageAct): boolean {
  const { from, to } = triageText(act);
  return from === to;
}

/** The act that a route or the route of a tool stands for. */
export function triageActOf(route: string): TriageAct | undefined {
  return triageActNames.find((act) => triageActs[act].route === route);
}

/** What happens to an observation by its fix pull request, and by the event of a target file that brings it about. */
export const fixPullEvents = {
  "open-fix-pr": { status: "new", pull: "open", clause: "OBS-LANE-STATUS-NEW" },
  "revise-fix-pr": { status: "new", pull: "open", clause: "OBS-LANE-STATUS-NEW" },
  "merge-fix-pr": { status: "closed", closeReason: "fixed", pull: "merged", clause: "OBS-FIX-MERGED" },
  "close-fix-pr": { status: "new", pull: "closed", clause: "OBS-FIX-UNMERGED" },
} as const satisfies Record<string, { status: ObservationStatus; closeReason?: CloseReason; pull: PullState; clause: string }>;

/** What becomes of the pull request of a fix. */
export type PullState = "open" | "closed" | "merged";

/** One dismissal category of section 2. */
export interface Dismissal {
  /** Whether a client may give it. */
  client: boolean;
  /** Whether what it dismissed stays closed when it is found again; else it can reappear. */
  stays: boolean;
}

/** The dismissal categories. OBS-DISMISS-CATEGORY-ENUM, OBS-DISMISS-EXHAUSTED-SERVICE, OBS-REDISCOVER-*. */
export const dismissals = {
  false_positive: { client: true, stays: true },
  wont_fix: { client: true, stays: true },
  out_of_scope: { client: true, stays: true },
  stale: { client: true, stays: false },
  no_longer_found: { client: true, stays: false },
  other: { client: true, stays: false },
  exhausted_fix_attempts: { client: false, stays: false },
} as const satisfies Record<string, Dismissal>;

/** The clauses of what a dismissed observation does when it is found again. */
export const rediscovery = { stays: "OBS-REDISCOVER-STAY", reappears: "OBS-REDISCOVER-REAPPEAR" } as const;

/** The categories that a client may dismiss with. */
export const clientDismissals: readonly string[] = Object.entries<Dismissal>(dismissals).flatMap(([name, { client }]) =>
  client ? [name] : [],
);

/** The category that only the service sets, when its fix attempts are exhausted. OBS-DISMISS-EXHAUSTED-SERVICE. */
export const serviceDismissal = "exhausted_fix_attempts" satisfies keyof typeof dismissals;

/** Whether what was dismissed so stays closed when it is found again; false of a category that the text does not have. */
export function staysDismissed(category: string | undefined): boolean {
  return Object.entries<Dismissal>(dismissals).some(([name, { stays }]) => name === category && stays);
}
