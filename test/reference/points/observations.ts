import type { Points } from "./point.js";

/** Observations: triage, fixes, tickets, lists and filters. */
export const ofObservations: Points = {
  "DISMISS-EXHAUSTED": {
    "400 `bad_request`": { exhaustedHttp: 400 },
    "403 `permission_error`": { exhaustedHttp: 403 },
  },
  "STATE-PRECONDITIONS": {
    "200 with the unchanged resource": { cancelIdle: "unchanged", triageIdle: "unchanged" },
    "422 `invalid_request_error`": { cancelIdle: "unprocessable", triageIdle: "unprocessable" },
    "403 `permission_error`": { cancelIdle: "forbidden", triageIdle: "forbidden" },
  },
  "FIX-CONDITIONS": {
    "Only a closed observation": { fixes: "all" },
    "Every kind but `finding`": { fixes: "findings" },
  },
  "FIX-RUN-LATE": {
    "A PR opens all the same": { lateFix: "opens" },
    "The run is cancelled": { lateFix: "cancelled" },
  },
  "FIX-IN-FLIGHT": {
    "201 with a second fix": { fixAgain: "second" },
    "409 `conflict`": { fixAgain: "conflict" },
    "422 `observation_not_fixable`": { fixAgain: "unprocessable" },
  },
  "FIX-WORKFLOW-FILES": {
    "Findings only": { workflowFiles: "findings" },
    "Only if every location lies there": { workflowFiles: "all locations" },
  },
  "FIX-BY-SUBMISSION": {
    "It counts as a spawned fix": { fixJob: "attempt" },
    "404 for an unknown ref": { fixJob: "attempt of an existing fix" },
  },
  RECENCY: {
    "`order=recency` by creation": { recency: "created" },
    "`since` includes its own moment": { sinceIncludes: true },
  },
  "DISPLAY-RANK": { "Any other ranking": { rank: "domain" } },
  "FINDING-FLAGS": {
    "Computed from cost and risk scores": { easy: "computed" },
    "`false` keeps the rest": { flagFalse: "the rest" },
  },
  REDISCOVERY: { "A new observation with another ref": { reappears: "anew" } },
  "FIELD-ABSENCE": {
    "null instead of absent": { nullReason: true },
    "Locations on every single GET": { singleLocations: true },
  },
  "SLUG-PARSE": {
    "The last `@` splits": { slugs: "last @" },
    "The first `@` splits": { slugs: "first @" },
    "An ambiguous slug is refused": { slugs: "unambiguous" },
  },
  "UNKNOWN-SLUG": {
    "404 for both": { unknownSlug: "refused" },
    "An estimate without samples": { unknownSlug: "estimate" },
  },
  "NOTE-LENGTH": {
    "UTF-16 units": { noteUnits: "utf-16" },
    Graphemes: { noteUnits: "graphemes" },
  },
  "RESOLVED-ORDER": { "Left out": { resolvedKeepsOpen: false } },
  "LIST-DEFAULTS": {
    "Open ones only": { defaultStatus: "new" },
    "422 for an unlisted parameter": { strictQuery: true },
    "422 for an unknown value of `force` or `workflow`": { unknownValues: "refused" },
  },
  "EXPIRED-TRIGGER": { "A timer of the service": { expiresAfterDays: 3 } },
  "ACKNOWLEDGE-AGAIN": {
    "A new stamp": { acknowledgedAgain: "is stamped" },
    "409 `conflict`": { acknowledgedAgain: "conflict" },
  },
  "REOPEN-KEEPS": { "Everything goes": { reopenForgets: true } },
  "TICKET-AGAIN": { "409 `conflict`": { ticketAgain: "conflict" }, "A second ticket": { ticketAgain: "second" } },
  "TICKET-BODY": { "Required fields": { ticketWants: "project" } },
  "LANE-NAMES": { "Any other names": { laneNames: { title: "subject", link: "href", state: "phase" } } },
  "FIX-PRS-SHAPE": { "Any other shape": { fixPrsShape: (rows) => ({ pull_requests: { count: rows.length, nodes: rows } }) } },
};
